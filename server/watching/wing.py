"""The wing of other players' boards."""

from __future__ import annotations

from server.watching import handlers, messages
from server.watching.core.refusals import WatchRefusals
from server.watching.services import WatchServices
from server.wing import Wing

WING = Wing(
    services=WatchServices, refusals=WatchRefusals, messages=(messages,), handlers=(handlers,)
)
