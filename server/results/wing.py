"""The wing of consequences of completed attempts."""

from __future__ import annotations

from server.results import api, handlers, messages, players_api
from server.results.core.refusals import ResultRefusals
from server.results.services import ResultServices
from server.wing import Wing

WING = Wing(
    services=ResultServices,
    refusals=ResultRefusals,
    messages=(messages,),
    handlers=(handlers,),
    api=(api, players_api),
)
