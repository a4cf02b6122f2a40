"""The wing of seats, rounds, presence."""

from __future__ import annotations

from server.rooms import handlers, messages
from server.rooms.core.refusals import RoomRefusals
from server.rooms.services import RoomServices
from server.wing import Wing

WING = Wing(
    services=RoomServices, refusals=RoomRefusals, messages=(messages,), handlers=(handlers,)
)
