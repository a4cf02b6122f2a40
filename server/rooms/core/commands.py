"""The commands on a race room, decided on the state of its journal.

Each function returns the event to append, or `None` if there is nothing to change. Times are Unix
milliseconds of the server's clock.

Whoever has no seat is told the same by each of them, but for the one that takes a seat: that there
is no such room. What one player does to another never ends or decides a round: who is in one has
agreed to it, and is not removed from it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import wraps
from typing import Concatenate, ParamSpec

from server.base.core.ids import PACE_BOT, DealId, PlayerId, has_owner
from server.base.core.refusal import Refusal
from server.play.core.result import Result
from server.rooms.core import quick_match, rate_limit
from server.rooms.core.events import (
    Event,
    HostChanged,
    LockSet,
    PublicSet,
    ReadySet,
    RoomClosed,
    RoundStarted,
    RunnerFinished,
    SeatLeft,
    SeatTaken,
    Terms,
    TermsProposed,
    TermsSet,
)
from server.rooms.core.room import Room, Seat, payer_of

COUNTDOWN_MS = 4_000
"""The time from the command to the start of a round, in milliseconds."""

Given = ParamSpec("Given")
Decide = Callable[Concatenate[Room, Given], Event | None]


def _paced(decide: Decide[Given]) -> Decide[Given]:
    """Let a command also be refused as `too_fast` if the player has changed the room too often.

    That is looked at last, so that it tells nobody more than members know.
    """

    @wraps(decide)
    def paced(room: Room, /, *args: Given.args, **named: Given.kwargs) -> Event | None:
        event = decide(room, *args, **named)
        payer = payer_of(room, event) if event is not None else None
        if event is not None and payer is not None:
            rate_limit.check(room.paces, payer, event.at)
        return event

    return paced


@_paced
def take_seat(room: Room, player: PlayerId, now: int) -> Event | None:
    """Decide the command to join: `None` if the player has a seat already.

    Raises:
        Refusal: with the code `room_closed`, `removed`, `not_for_bots`, `room_locked` or
            `room_full`.
    """
    check_open(room)
    if room.seat_of(player):
        return None
    if player in room.removed:
        raise Refusal("removed")
    _check_bots([*room.seats, Seat(player, ready=True, since=now, public=room.public)])
    if room.locked and room.seats:
        raise Refusal("room_locked")
    if len(room.seats) >= room.opened.seats:
        raise Refusal("room_full")
    return SeatTaken(player, now)


def _check_bots(seats: Sequence[Seat], *, public: bool = False) -> None:
    """Check that nobody would meet a bot who has not let it in: who comes while a room is public.

    Args:
        seats: those that there would be.
        public: whether anybody might come then.

    Raises:
        Refusal: with the code `not_for_bots`.
    """
    has_bot = any(has_owner(seat.player) for seat in seats)
    if has_bot and (public or any(seat.public for seat in seats)):
        raise Refusal("not_for_bots")


def match(room: Room, player: PlayerId, now: int) -> Event | None:
    """Decide that a player who looks for a quick match takes a seat: `None` if there is one.

    Raises:
        Refusal: with the code `room_full` if the room does not wait for anybody any more, or as
            for `take_seat`.
    """
    if not quick_match.waits(room):
        raise Refusal("room_full")
    return take_seat(room, player, now)


def leave(room: Room, player: PlayerId, now: int) -> Event | None:
    """Decide the command to leave: `None` if a player of the last round has no seat any more.

    The caller resigns the player's attempt if a round is running.

    Raises:
        Refusal: with the code `unknown_room`.
    """
    if room.round is not None and player in room.round.players and not room.seat_of(player):
        # The attempt may not have been resigned yet: whoever left it sends this again.
        return None
    check_member(room, player)
    return SeatLeft(player, now)


@_paced
def remove(room: Room, host: PlayerId, player: PlayerId, now: int) -> Event | None:
    """Decide the host's command to remove a member: `None` if the player has no seat.

    Raises:
        Refusal: as for every command of a host, or with the code `round_running` while the player
            is in a round that is running or counting down.
    """
    check_host(room, host)
    if player == host or not room.seat_of(player):
        return None
    if room.running and player in room.running.players:
        raise Refusal("round_running")
    return SeatLeft(player, now, host)


@_paced
def hand_over(room: Room, host: PlayerId, player: PlayerId, now: int) -> Event | None:
    """Decide the host's command to make another member the host: `None` for the host.

    Raises:
        Refusal: as for every command of a host, or with the code `not_seated` if the other one has
            no seat.
    """
    check_host(room, host)
    if not room.seat_of(player):
        raise Refusal("not_seated")
    return HostChanged(player, now) if player != host else None


def replace_host(
    room: Room, host: PlayerId, present: Collection[PlayerId], now: int
) -> Event | None:
    """Decide who follows a host who is away: the member who is present and longest seated.

    Returns:
        The event, or `None` if `host` is not the host any more, or no member is present.
    """
    if room.host != host or host in present:
        return None
    following = next((seat.player for seat in room.seats if seat.player in present), None)
    return HostChanged(following, now) if following is not None else None


def free_seat(room: Room, player: PlayerId, now: int) -> Event | None:
    """Decide that a member who is away loses the seat: `None` while a round is run."""
    return SeatLeft(player, now) if room.seat_of(player) and not room.running else None


def close(room: Room, now: int) -> Event | None:
    """Decide that an operator closes the room: `None` if it is closed.

    The caller resigns the attempts at a running round.
    """
    return RoomClosed(now) if not room.closed else None


def check_open(room: Room) -> None:
    """Check that a room takes commands.

    Raises:
        Refusal: with the code `room_closed`.
    """
    if room.closed:
        raise Refusal("room_closed")


@_paced
def set_lock(room: Room, player: PlayerId, locked: bool, now: int) -> Event | None:
    """Decide the host's command to lock or unlock the room: `None` if that is so already.

    Raises:
        Refusal: as for every command of a host.
    """
    check_host(room, player)
    return LockSet(locked, now) if room.locked != locked else None


@_paced
def set_public(room: Room, player: PlayerId, public: bool, now: int) -> Event | None:
    """Decide the host's command to open the room to anybody, or to close it: `None` if it is so.

    Raises:
        Refusal: as for every command of a host, or with the code `not_for_bots` if it is to be open
            while a player's bot has a seat.
    """
    check_host(room, player)
    _check_bots(room.seats, public=public)
    return PublicSet(public, now) if room.public != public else None


@_paced
def set_terms(room: Room, player: PlayerId, terms: Terms, now: int) -> Event | None:
    """Decide the host's command to set the next round's terms: `None` if they are set already.

    Raises:
        Refusal: as for every command of a host, or with the code `round_running`.
    """
    check_host(room, player)
    if room.running:
        raise Refusal("round_running")
    return TermsSet(terms, now) if room.terms != terms or room.proposals else None


@_paced
def propose_terms(room: Room, player: PlayerId, terms: Terms, now: int) -> Event | None:
    """Decide a member's command to propose terms: `None` if they are proposed or set already.

    Raises:
        Refusal: with the code `unknown_room`, `no_host` or `round_running`.
    """
    check_member(room, player)
    if room.host is None:
        raise Refusal("no_host")
    if room.running:
        raise Refusal("round_running")
    if terms in (room.terms, room.proposals.get(player)):
        return None
    return TermsProposed(player, terms, now)


@_paced
def set_ready(room: Room, player: PlayerId, ready: bool, now: int) -> Event | None:
    """Decide the command to agree to the next round, or to sit out: `None` if that is so already.

    Raises:
        Refusal: with the code `unknown_room` or `round_running`.
    """
    seat = check_member(room, player)
    if room.running:
        raise Refusal("round_running")
    said = seat.ready if ready else seat.out
    return None if said else ReadySet(player, ready, now)


def start(
    room: Room,
    player: PlayerId | None,
    deal: DealId,
    commitment: str,
    now: int,
    *,
    present: Collection[PlayerId],
    anyway: bool = False,
    rules: str = "",
    home: int = 0,
) -> Event:
    """Decide the command to start a round, for all members who are present and have agreed to it.

    The host may start a round, and after a round any member may start the next one. Whoever gives
    the command agrees to the round, unless they sit out.

    Args:
        room: the room.
        player: the one who gave the command; `None` if the first round of a quick match starts by
            itself.
        deal: the deal to race on.
        commitment: the deal's commitment, published with the round.
        now: the time.
        present: players who are present.
        anyway: whether to start without members who do not sit out, and are away or have not
            agreed.
        rules: the digest of the rules of the deal.
        home: how many cards the deal itself brings home.

    Raises:
        Refusal: with the code `room_closed`, `unknown_room`, `not_host`, `no_host`,
            `round_running`, `players_away`, `not_ready` or `nobody_plays`.
    """
    if player is not None:
        _check_starter(room, player)
    else:
        check_open(room)
        if not quick_match.starts(room, present):
            raise Refusal("round_running" if room.round is not None else "players_away")
    if room.running:
        raise Refusal("round_running")
    there = {*present, player, PACE_BOT}
    wanted = [seat for seat in room.seats if not seat.out]
    here = [seat for seat in wanted if seat.player in there]
    players = tuple(seat.player for seat in here if seat.ready or seat.player == player)
    if len(here) < len(wanted) and not anyway:
        raise Refusal("players_away")
    if len(players) < len(here) and not anyway:
        raise Refusal("not_ready")
    if not any(each != PACE_BOT for each in players):
        raise Refusal("nobody_plays")
    starts = now + COUNTDOWN_MS
    number = room.round.number + 1 if room.round else 1
    deadline = starts + room.terms.limit
    return RoundStarted(
        number, deal, commitment, players, starts, deadline, now, rules=rules, home=home, by=player
    )


def check_member(room: Room, player: PlayerId) -> Seat:
    """Return a player's seat; whoever has none is not told that there is such a room.

    Raises:
        Refusal: with the code `unknown_room`.
    """
    seat = room.seat_of(player)
    if seat is None:
        raise Refusal("unknown_room")
    return seat


def check_host(room: Room, player: PlayerId) -> None:
    """Check that a player runs a room.

    Raises:
        Refusal: with the code `unknown_room`, `no_host` (in a quick match) or `not_host`.
    """
    check_member(room, player)
    if room.host is None:
        raise Refusal("no_host")
    if player != room.host:
        raise Refusal("not_host")


def _check_starter(room: Room, player: PlayerId) -> None:
    """Check that a player may start a round: the host the first one, any member the others."""
    if room.round is None:
        check_host(room, player)
    else:
        check_member(room, player)


def finish(room: Room, deal: DealId, player: PlayerId, result: Result, now: int) -> Event | None:
    """Return the entry that a player's attempt has ended, or `None` if the room needs none.

    It needs none if the entry is there already, or if the attempt is not of the running round.
    """
    running = room.running
    if running is None or running.deal != deal or player not in running.unfinished():
        return None
    return RunnerFinished(running.number, player, result, now)
