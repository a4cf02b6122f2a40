"""Handlers of the commands in `server.lobby.messages`."""

from __future__ import annotations

from server.lobby import present as lobby_present
from server.lobby.messages import ListRooms, QuickMatch, Rooms
from server.lobby.services import Request
from server.rooms import handlers as rooms_handlers
from server.rooms.core import charges
from server.rooms.messages import RoomState

ROW_COST = 0.04  # of each listed room: 50 rooms take 0.3 ms


async def quick_match(request: Request[QuickMatch]) -> RoomState:
    """Find a quick match unless the server is overloaded, and subscribe the session to its room."""
    await rooms_handlers.admit(request)
    async with request.paying("room", charges.MATCH):
        room = await request.services.quick_matches.match(request.player, request.command.game)
    return await rooms_handlers.subscribed(request, room)


async def list_rooms(request: Request[ListRooms]) -> Rooms:
    """Return the open rooms; each node reads the store at most once every two seconds."""
    found = await request.services.open_rooms.list()
    request.pay(ROW_COST * len(found))
    return lobby_present.rooms(found)
