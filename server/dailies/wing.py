"""The wing of the deals of each day, and their archive."""

from __future__ import annotations

from server.dailies import api, archive_api, handlers, messages
from server.dailies.core.refusals import DailyRefusals
from server.dailies.services import DailyServices
from server.wing import Wing

WING = Wing(
    services=DailyServices,
    refusals=DailyRefusals,
    messages=(messages,),
    handlers=(handlers,),
    api=(api, archive_api),
)
