"""Handlers of the commands in `server.rooms.messages`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVarTuple, Unpack

from server.base.core import costs
from server.base.core.codes import parse_room_code
from server.base.core.ids import PACE_BOT, PlayerId, RoomCode
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.net.addresses import wide_of
from server.base.wire.messages import Command
from server.base.wire.session_messages import Done
from server.rooms.core import charges, commands
from server.rooms.core.events import Event as RoomEvent
from server.rooms.core.events import Terms
from server.rooms.core.room import Room
from server.rooms.live_rooms import LiveRooms
from server.rooms.messages import (
    CreateRoom,
    HandOver,
    JoinRoom,
    LeaveRoom,
    ProposeTerms,
    RemoveMember,
    RoomCommand,
    RoomState,
    SendEmote,
    SetLock,
    SetPublic,
    SetReady,
    SetTerms,
    StartRound,
)
from server.rooms.services import Request

Given = TypeVarTuple("Given")


def is_seated(live: LiveRooms, player: PlayerId, command: Command) -> bool:
    """Return whether a player has a seat in a command's room, if it is in memory."""
    if not isinstance(command, RoomCommand):
        return False
    # No read of the store: for a guessed code, its duration would reveal whether the room exists.
    room = live.state(parse_room_code(command.code))
    return room is not None and room.seat_of(player) is not None


async def create(request: Request[CreateRoom]) -> RoomState:
    """Create a room unless the server is overloaded, and subscribe the session to it."""
    await admit(request)
    command = request.command
    request.pay_for_rules(command.game, command.variant)
    async with request.paying("room", charges.ROOM):
        room = await request.services.rooms.create(
            request.player,
            command.game,
            command.variant,
            seats=command.seats,
            limit=command.limit * 1000,
            creation=command.key,
            allowed=command.help,
            known=command.known,
            winnable=command.winnable,
        )
    return await subscribed(request, room)


async def admit(request: Request[Command]) -> None:
    """Refuse a new room under load, first to players without results."""
    load, histories = request.load, request.services.histories
    if load.has_room("first_room"):
        return
    if not load.has_room("room") or not await histories.has_results(request.player):
        raise Refusal(BaseRefusals.overloaded, wait=load.wait())


async def join(request: Request[JoinRoom]) -> RoomState:
    """Take a seat, and subscribe the session to the room; the code may be as typed."""
    code = parse_room_code(request.command.code)
    # Charge before the lookup: a player who can join may know whether the room exists.
    request.pay(min(costs.SUBSCRIBER * request.services.room_feeds.size(code), costs.MAX_BROADCAST))
    # A player who returns keeps the seat: nothing is to be decided unless this has changed.
    known = request.services.rooms.joined(code, request.player)
    if known is not None:
        await _record_address(request, code)
        room = await request.services.room_feeds.enter_again(request.session, known)
        if room is not None:
            return await _state(request, room)
    room = await request.services.rooms.decide(code, commands.take_seat, request.player)
    return await subscribed(request, room)


async def leave(request: Request[LeaveRoom]) -> Done:
    """Give up the seat, and unsubscribe the session from the room."""
    _pay(request)
    code = RoomCode(request.command.code)
    await request.services.rooms.leave(code, request.player)
    request.services.room_feeds.leave(request.session, code)
    return Done()


async def set_ready(request: Request[SetReady]) -> RoomState:
    """Agree to the next round, or sit out."""
    return await _decided(request, commands.set_ready, request.command.ready)


async def start_round(request: Request[StartRound]) -> RoomState:
    """Start a round; the runners get its cards after the countdown."""
    code, anyway = RoomCode(request.command.code), request.command.anyway
    services = request.services
    # Check this before charging the address: a refusal by its quota would reveal the room.
    await services.rooms.check_member(code, request.player)
    if not services.memory.has_room("round"):
        raise Refusal(BaseRefusals.overloaded, wait=request.load.wait())
    _pay(request)
    known = services.live.state(code)
    items = charges.round_of()
    if known is not None:
        first, bot = known.round is None, known.seat_of(PACE_BOT) is not None
        items = charges.round_of(len(known.seats), known.terms.limit, first=first, bot=bot)
        request.pay_for_rules(known.terms.game, known.terms.variant)
    seats = len(known.seats) if known is not None else charges.MAX_SEATS
    request.pay(costs.RUNNER * (seats - 1))
    async with request.paying("game", items):
        online = await services.live.online(code)
        room = await services.rooms.start(code, request.player, online, anyway=anyway)
    return await _state(request, room)


async def set_terms(request: Request[SetTerms]) -> RoomState:
    """Set the terms of the next rounds."""
    _pay(request)
    code, terms = RoomCode(request.command.code), _terms(request)
    return await _state(
        request, await request.services.rooms.set_terms(code, request.player, terms)
    )


async def propose_terms(request: Request[ProposeTerms]) -> RoomState:
    """Propose terms for the next rounds."""
    _pay(request)
    code, terms = RoomCode(request.command.code), _terms(request)
    return await _state(
        request, await request.services.rooms.propose_terms(code, request.player, terms)
    )


async def remove_member(request: Request[RemoveMember]) -> RoomState:
    """Remove a member; the broadcast of the room's new state notifies the member's sessions."""
    return await _decided(request, commands.remove, PlayerId(request.command.player))


async def hand_over(request: Request[HandOver]) -> RoomState:
    """Make another member the host."""
    return await _decided(request, commands.hand_over, PlayerId(request.command.player))


async def set_lock(request: Request[SetLock]) -> RoomState:
    """Lock or unlock the room."""
    return await _decided(request, commands.set_lock, request.command.locked)


async def set_public(request: Request[SetPublic]) -> RoomState:
    """Make the room public or private."""
    return await _decided(request, commands.set_public, request.command.public)


async def _decided(
    request: Request[Any],
    command: Callable[[Room, PlayerId, Unpack[Given], int], RoomEvent | None],
    *given: *Given,
) -> RoomState:
    """Carry out a member's command, and return the room's state."""
    _pay(request)
    code = RoomCode(request.command.code)
    room = await request.services.rooms.decide(code, command, request.player, *given)
    return await _state(request, room)


def _pay(request: Request[Any], each: float = costs.SUBSCRIBER) -> None:
    """Charge for sending to each local subscriber of a room, if the player has a seat in it.

    Raises:
        Refusal: as `Request.pay`.
    """
    command: RoomCommand = request.command
    # Charge members only: a refusal would reveal the room to others.
    if is_seated(request.services.live, request.player, command):
        size = request.services.room_feeds.size(RoomCode(command.code))
        request.pay(min(each * size, costs.MAX_BROADCAST))


def _terms(request: Request[SetTerms] | Request[ProposeTerms]) -> Terms:
    """Return a command's terms, and charge for custom rules."""
    command = request.command
    request.pay_for_rules(command.game, command.variant)
    limit = command.limit * 1000
    return Terms(
        command.game,
        command.variant,
        limit,
        command.help,
        command.known,
        winnable=command.winnable,
    )


async def send_emote(request: Request[SendEmote]) -> Done:
    """Send an emote to the subscribers of the room."""
    code, emote = RoomCode(request.command.code), request.command.emote
    _pay(request, costs.HEARER)
    await request.services.emotes.send(request.session, code, emote)
    return Done()


async def subscribed(request: Request[Command], room: Room) -> RoomState:
    """Subscribe the session to a room, and return the room's state."""
    await _record_address(request, room.opened.code)
    await request.services.room_feeds.enter(request.session, room)
    return await _state(request, room)


async def _record_address(request: Request[Command], code: RoomCode) -> None:
    address = request.session.address
    await request.services.room_addresses.record(code, request.player, address, wide_of(address))


async def _state(request: Request[Command], room: Room) -> RoomState:
    """Charge for a stored entry, and return the room's state; see `RoomFeeds.state`."""
    request.services.quotas.note(request.player, charges.ENTRY)
    return await request.services.room_feeds.state(request.session, room)
