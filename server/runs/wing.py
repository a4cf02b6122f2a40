"""The wing of the public runs of closed deals."""

from __future__ import annotations

from server.runs import api, deal_handlers, deal_messages, deals_api, handlers, messages
from server.runs.core.refusals import RunRefusals
from server.runs.services import RunServices
from server.wing import Wing

WING = Wing(
    services=RunServices,
    refusals=RunRefusals,
    messages=(deal_messages, messages),
    handlers=(deal_handlers, handlers),
    api=(deals_api, api),
)
