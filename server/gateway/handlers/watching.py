"""Handlers of the commands in `server.gateway.messages.watching`."""

from __future__ import annotations

from server.core import watching as core
from server.core.codes import read_room_code
from server.core.ids import RoomCode
from server.gateway import present
from server.gateway.handlers.request import HandlerTable, Request
from server.gateway.messages.session import Done
from server.gateway.messages.watching import (
    GetWatchKey,
    StopWatching,
    Watched,
    WatchKey,
    WatchRound,
)


async def watch(request: Request[WatchRound]) -> Watched:
    """Let the session watch a room; one that is new there is sent the room before the answer."""
    code = read_room_code(request.command.code)
    session, player, services = request.session, request.player, request.services
    room = await services.rooms.find(code)
    has_key = await services.watching.is_key(room, request.command.key)
    core.sight(room, player, has_key=has_key)
    request.hub.watching.admit(session, code)
    if request.hub.rooms.room_of(session) != code:
        seated = room.seat_of(player) is not None
        await request.hub.enter_room(session, room, seated=seated)
        session.send(present.room(await services.live.read_page(room)))
        request.hub.rooms.answered(session, code)
    return await request.hub.watching.watch(session, code, has_key=has_key)


async def stop(request: Request[StopWatching]) -> Done:
    """End the watching, and the subscription to the room of a player who has no seat there."""
    request.hub.stop_watching(request.session)
    return Done()


async def get_key(request: Request[GetWatchKey]) -> WatchKey:
    """Return the room's watch key to its host."""
    code = RoomCode(request.command.code)
    return WatchKey(code, await request.services.watching.key_for(code, request.player))


HANDLERS: HandlerTable = {WatchRound: watch, StopWatching: stop, GetWatchKey: get_key}
