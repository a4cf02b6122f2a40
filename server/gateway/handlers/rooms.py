"""Handlers of the commands in `server.gateway.messages.rooms`."""

from __future__ import annotations

from server.core.ids import RoomCode
from server.core.race import Room
from server.core.refusal import Refusal
from server.gateway import present
from server.gateway.handlers.request import HandlerTable, Request
from server.gateway.messages.rooms import (
    CreateRoom,
    JoinRoom,
    LeaveRoom,
    RoomState,
    SetReady,
    StartRound,
)
from server.gateway.messages.session import Done
from server.gateway.messages.shared import Command


async def create(request: Request[CreateRoom]) -> RoomState:
    """Open a room unless the node is overloaded, and subscribe the session to it."""
    if request.load.is_too_high:
        raise Refusal("overloaded", wait=request.load.wait())
    command = request.command
    room = await request.services.rooms.create(
        request.player,
        command.game,
        command.variant,
        seats=command.seats,
        limit=command.limit * 1000,
        creation=command.key,
    )
    return await _subscribed(request, room)


async def join(request: Request[JoinRoom]) -> RoomState:
    """Take a seat, and subscribe the session to the room; the code's case does not matter."""
    code = RoomCode(request.command.code.upper())
    room = await request.services.rooms.join(code, request.player)
    return await _subscribed(request, room)


async def leave(request: Request[LeaveRoom]) -> Done:
    """Give the seat up, and end the session's subscription to the room."""
    code = RoomCode(request.command.code)
    await request.services.rooms.leave(code, request.player)
    request.hub.leave_room(request.session, code)
    return Done()


async def set_ready(request: Request[SetReady]) -> RoomState:
    """Say whether the player will be in the next round."""
    code, ready = RoomCode(request.command.code), request.command.ready
    room = await request.services.rooms.set_ready(code, request.player, ready=ready)
    return await _state(request, room)


async def start_round(request: Request[StartRound]) -> RoomState:
    """Start a round; its cards are sent to the runners when the countdown is over."""
    room = await request.services.rooms.start(RoomCode(request.command.code), request.player)
    return await _state(request, room)


async def _subscribed(request: Request[Command], room: Room) -> RoomState:
    """Subscribe the session to a room, and return the room's state."""
    await request.hub.enter_room(request.session, room)
    state = await _state(request, room)
    request.hub.rooms.answered(request.session, room.opened.code)
    return state


async def _state(request: Request[Command], room: Room) -> RoomState:
    """Return a room's state; the store is read only if no session of this node is subscribed."""
    return present.room(await request.services.live.read_page(room))


HANDLERS: HandlerTable = {
    CreateRoom: create,
    JoinRoom: join,
    LeaveRoom: leave,
    SetReady: set_ready,
    StartRound: start_round,
}
