"""The wing of credentials, export and deletion."""

from __future__ import annotations

from server.accounts import handlers, messages
from server.accounts.core.refusals import AccountRefusals
from server.accounts.services import AccountServices
from server.wing import Wing

WING = Wing(
    services=AccountServices,
    refusals=AccountRefusals,
    messages=(messages,),
    is_rare=True,
    handlers=(handlers,),
)
