"""The services of the lobby."""

from __future__ import annotations

from typing import TypeAlias

from server.foundation import Setup
from server.lobby.open_rooms import OpenRooms
from server.lobby.quick_matches import QuickMatches
from server.lobby.quick_matches_store import QuickMatchStore
from server.lobby.store import OpenRoomStore
from server.request import C_co, NodeRequest
from server.rooms.services import RoomServices


class LobbyServices(RoomServices):
    """Open rooms and quick matches."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.open_room_store = OpenRoomStore(setup.database)
        self.open_rooms = OpenRooms(
            self.open_room_store,
            self.live,
            self.profiles,
            self.room_addresses,
            self.background,
            clock=self.clock,
        )
        self.quick_match_store = QuickMatchStore(setup.database)
        self.quick_matches = QuickMatches(
            self.quick_match_store, self.rooms, self.live, self.background, clock=self.clock
        )


Request: TypeAlias = NodeRequest[C_co, LobbyServices]
"""A command and the services that execute it."""
