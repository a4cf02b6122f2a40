"""Commands on a race room, decided from its folded journal.

Each function returns the event to append, or `None` if nothing changes. Times are Unix milliseconds
of the server's clock.

Players without a seat get `unknown_room` from every command except `take_seat`, so that they cannot
probe for rooms. No player can end or decide another's round: all its players agreed to it, and none
can be removed while it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import wraps
from typing import Concatenate, ParamSpec

from server.base.core.ids import PACE_BOT, DealId, PlayerId, has_owner
from server.base.core.refusal import BaseRefusals, Refusal
from server.play.core.result import Result
from server.rooms.core import quick_match, rate_limit
from server.rooms.core.absence import anchor, max_absence_ms
from server.rooms.core.events import (
    Event,
    Founded,
    HostChanged,
    LockSet,
    PublicSet,
    ReadySet,
    RoomClosed,
    RoomOpened,
    RoundStarted,
    RunnerFinished,
    SeatLeft,
    SeatTaken,
    Terms,
    TermsProposed,
    TermsSet,
)
from server.rooms.core.refusals import RoomRefusals
from server.rooms.core.room import Room, Seat, payer_of

COUNTDOWN_MS = 4_000  # the time from the command to the start of a round, in milliseconds

Given = ParamSpec("Given")
Decide = Callable[Concatenate[Room, Given], Event | None]


def _paced(decide: Decide[Given]) -> Decide[Given]:
    """Make a command raise `too_fast` if the player has changed the room too often."""

    @wraps(decide)
    def paced(room: Room, /, *args: Given.args, **named: Given.kwargs) -> Event | None:
        event = decide(room, *args, **named)
        # Check the rate limit last: the refusal must not reveal a room to outsiders.
        payer = payer_of(room, event) if event is not None else None
        if event is not None and payer is not None:
            rate_limit.check(room.paces, payer, event.at)
        return event

    return paced


def found(opened: RoomOpened) -> Founded:
    """Decide to open a room for a player, the host, who takes the first seat."""
    return Founded(opened, SeatTaken(opened.host, opened.at))


@_paced
def take_seat(room: Room, player: PlayerId, now: int) -> Event | None:
    """Decide a command to join; `None` if the player already has a seat.

    Refused as `room_closed`, `removed`, `not_for_bots`, `room_locked` or `room_full`.
    """
    check_open(room)
    if room.seat_of(player):
        return None
    if player in room.removed:
        raise Refusal(RoomRefusals.removed)
    _check_bots([*room.seats, Seat(player, ready=True, since=now, public=room.public)])
    if room.locked and room.seats:
        raise Refusal(RoomRefusals.room_locked)
    if len(room.seats) >= room.opened.seats:
        raise Refusal(RoomRefusals.room_full)
    return SeatTaken(player, now)


def _check_bots(seats: Sequence[Seat], *, public: bool = False) -> None:
    """Refuse as `not_for_bots` that a player's bot shares the room with strangers.

    Strangers are members who joined while the room was public, and anyone while it is. `seats` and
    `public` describe the room after the change.
    """
    has_bot = any(has_owner(seat.player) for seat in seats)
    if has_bot and (public or any(seat.public for seat in seats)):
        raise Refusal(BaseRefusals.not_for_bots)


def match(room: Room, player: PlayerId, now: int) -> Event | None:
    """Decide that a player takes the free seat of a quick match; `None` if they have a seat.

    Refused as `room_full` if the room no longer waits for a player, or as for `take_seat`.
    """
    if not quick_match.waits(room):
        raise Refusal(RoomRefusals.room_full)
    return take_seat(room, player, now)


def leave(room: Room, player: PlayerId, now: int) -> Event | None:
    """Decide a command to leave; `None` if a player of the last round has already left.

    The caller resigns the player's attempt if a round is running. Refused as `unknown_room`.
    """
    if room.round is not None and player in room.round.players and not room.seat_of(player):
        # If resigning the attempt failed, the client sends the command again.
        return None
    check_member(room, player)
    return SeatLeft(player, now)


@_paced
def remove(room: Room, host: PlayerId, player: PlayerId, now: int) -> Event | None:
    """Decide the host's command to remove a member; `None` if the player has no seat.

    Refused as `check_host`, or as `round_running` while the player is in a round that is running or
    counting down.
    """
    check_host(room, host)
    if player == host or not room.seat_of(player):
        return None
    if room.running and player in room.running.players:
        raise Refusal(RoomRefusals.round_running)
    return SeatLeft(player, now, host)


@_paced
def hand_over(room: Room, host: PlayerId, player: PlayerId, now: int) -> Event | None:
    """Decide the host's command to make another member the host; `None` for the host.

    Refused as `check_host`, or as `not_seated` if the player has no seat.
    """
    check_host(room, host)
    if not room.seat_of(player):
        raise Refusal(RoomRefusals.not_seated)
    return HostChanged(player, now) if player != host else None


def replace_host(
    room: Room, host: PlayerId, seen: int, present: Collection[PlayerId], now: int
) -> Event | None:
    """Replace an absent host, observed since the `anchor` `seen`, with the longest-seated member.

    Return `None` if `host` is no longer the host or has another anchor, or no member is present.
    """
    if room.host != host or host in present or not _has_anchor(room, host, seen):
        return None
    following = next((seat.player for seat in room.seats if seat.player in present), None)
    return HostChanged(following, now) if following is not None else None


def free_seat(room: Room, player: PlayerId, seen: int, away: int, now: int) -> Event | None:
    """Free the seat of a member, observed away for `away` ms since the `anchor` `seen`.

    Returns:
        `None` while a round is running, or if the member can be away longer or has another anchor.
    """
    # The member may have acted, and so earned a longer absence, unseen by the observing node.
    is_over = _has_anchor(room, player, seen) and away >= max_absence_ms(room, player)
    return SeatLeft(player, now) if is_over and not room.running else None


def _has_anchor(room: Room, player: PlayerId, seen: int) -> bool:
    """Return whether an absence observed since an anchor still counts."""
    seat = room.seat_of(player)
    return seat is not None and anchor(room, seat) == seen


def close(room: Room, now: int) -> Event | None:
    """Decide that an operator closes the room; `None` if it is closed.

    The caller resigns the attempts at a running round.
    """
    return RoomClosed(now) if not room.closed else None


def check_open(room: Room) -> None:
    """Check that a room is not closed. Refused as `room_closed`."""
    if room.closed:
        raise Refusal(RoomRefusals.room_closed)


@_paced
def set_lock(room: Room, player: PlayerId, locked: bool, now: int) -> Event | None:
    """Decide the host's command to lock or unlock the room; `None` if nothing changes.

    Refused as `check_host`.
    """
    check_host(room, player)
    return LockSet(locked, now) if room.locked != locked else None


@_paced
def set_public(room: Room, player: PlayerId, public: bool, now: int) -> Event | None:
    """Decide the host's command to make the room public or private; `None` if nothing changes.

    Refused as `check_host`, or as `not_for_bots` if a player's bot has a seat in a room to be made
    public.
    """
    check_host(room, player)
    _check_bots(room.seats, public=public)
    return PublicSet(public, now) if room.public != public else None


@_paced
def set_terms(room: Room, player: PlayerId, terms: Terms, now: int) -> Event | None:
    """Decide the host's command to set the next round's terms; `None` if they are already set.

    Refused as `check_host` or `round_running`.
    """
    check_host(room, player)
    if room.running:
        raise Refusal(RoomRefusals.round_running)
    return TermsSet(terms, now) if room.terms != terms or room.proposals else None


@_paced
def propose_terms(room: Room, player: PlayerId, terms: Terms, now: int) -> Event | None:
    """Decide a member's command to propose terms; `None` if they are already proposed or set.

    Refused as `unknown_room`, `no_host` or `round_running`.
    """
    check_member(room, player)
    if room.host is None:
        raise Refusal(RoomRefusals.no_host)
    if room.running:
        raise Refusal(RoomRefusals.round_running)
    if terms in (room.terms, room.proposals.get(player)):
        return None
    return TermsProposed(player, terms, now)


@_paced
def set_ready(room: Room, player: PlayerId, ready: bool, now: int) -> Event | None:
    """Decide a command to agree to the next round or sit out; `None` if nothing changes.

    Refused as `unknown_room` or `round_running`.
    """
    seat = check_member(room, player)
    if room.running:
        raise Refusal(RoomRefusals.round_running)
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
    winnable: bool = False,
) -> Event:
    """Decide a command to start a round for all members who are present and have agreed to it.

    The host starts the first round, any member can start later ones; `player` is `None` for the
    first round of a quick match, which starts automatically. With `anyway`, it starts without
    members who do not sit out but are away or have not agreed. `home` is the number of cards that
    are home after dealing, `rules` the digest of the deal's rules, and `winnable` says whether the
    deal is certified as winnable. Refused as `room_closed`,
    `unknown_room`, `not_host`, `no_host`, `round_running`, `players_away`, `not_ready` or
    `nobody_plays`.
    """
    if player is not None:
        _check_starter(room, player)
    else:
        check_open(room)
        if not quick_match.starts(room, present):
            raise Refusal(
                RoomRefusals.round_running if room.round is not None else RoomRefusals.players_away
            )
    if room.running:
        raise Refusal(RoomRefusals.round_running)
    # The member who gives the command is present, and so is the pace bot, always.
    there = {*present, player, PACE_BOT}
    wanted = [seat for seat in room.seats if not seat.out]
    here = [seat for seat in wanted if seat.player in there]
    # The command counts as agreement, unless the player sits out.
    players = tuple(seat.player for seat in here if seat.ready or seat.player == player)
    if len(here) < len(wanted) and not anyway:
        raise Refusal(RoomRefusals.players_away)
    if len(players) < len(here) and not anyway:
        raise Refusal(RoomRefusals.not_ready)
    if not any(each != PACE_BOT for each in players):
        raise Refusal(RoomRefusals.nobody_plays)
    starts = now + COUNTDOWN_MS
    number = room.round.number + 1 if room.round else 1
    deadline = starts + room.terms.limit
    return RoundStarted(
        number,
        deal,
        commitment,
        players,
        starts,
        deadline,
        now,
        rules=rules,
        home=home,
        by=player,
        winnable=winnable,
    )


def check_member(room: Room, player: PlayerId) -> Seat:
    """Return a player's seat. Refused as `unknown_room`."""
    seat = room.seat_of(player)
    if seat is None:
        raise Refusal(RoomRefusals.unknown_room)
    return seat


def check_host(room: Room, player: PlayerId) -> None:
    """Refuse any player but the host, as `unknown_room`, `not_host` or `no_host` (quick match)."""
    check_member(room, player)
    if room.host is None:
        raise Refusal(RoomRefusals.no_host)
    if player != room.host:
        raise Refusal(RoomRefusals.not_host)


def _check_starter(room: Room, player: PlayerId) -> None:
    """Check that a player can start a round: the host the first one, any member later ones."""
    if room.round is None:
        check_host(room, player)
    else:
        check_member(room, player)


def finish(room: Room, deal: DealId, player: PlayerId, result: Result, now: int) -> Event | None:
    """Return the entry for the end of a player's attempt, or `None` if none is needed."""
    running = room.running
    # It is already in the journal, or the attempt is not part of the running round.
    if running is None or running.deal != deal or player not in running.unfinished():
        return None
    return RunnerFinished(running.number, player, result, now)
