"""The wing of seats, rounds, presence."""

from __future__ import annotations

from server.rooms import handlers, messages
from server.rooms.services import RoomServices
from server.wing import Wing


class RoomsWing(RoomServices):
    """Seats, rounds, presence."""

    wing = Wing(messages=(messages,), handlers=(handlers,))
