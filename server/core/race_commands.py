"""The commands on a race room, decided on the state of its journal.

Each function returns the event to append, or `None` if there is nothing to change. Times are Unix
milliseconds of the server's clock.
"""

from __future__ import annotations

from collections.abc import Collection

from server.core import quick
from server.core.ids import PACE_BOT, DealId, PlayerId
from server.core.race import Room
from server.core.race_events import (
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
from server.core.ranking import Result
from server.core.refusal import Refusal
from server.core.stored import StoredResult

COUNTDOWN = 4_000
"""The time from the command to the start of a round, in milliseconds."""


def take_seat(room: Room, player: PlayerId, now: int) -> Event | None:
    """Decide the command to join: `None` if the player has a seat already.

    Raises:
        Refusal: with the code `removed`, `room_locked` or `room_full`.
    """
    if room.seat_of(player):
        return None
    if player in room.removed:
        raise Refusal("removed")
    if room.locked and room.seats:
        raise Refusal("room_locked")
    if len(room.seats) >= room.opened.seats:
        raise Refusal("room_full")
    return SeatTaken(player, now)


def match(room: Room, player: PlayerId, now: int) -> Event | None:
    """Decide that a player who looks for a quick match takes a seat: `None` if there is one.

    Raises:
        Refusal: with the code `room_full` if the room does not wait for anybody any more, or as
            for `take_seat`.
    """
    if not quick.waits(room):
        raise Refusal("room_full")
    return take_seat(room, player, now)


def leave(room: Room, player: PlayerId, now: int) -> Event | None:
    """Decide the command to leave: `None` if the player has no seat.

    The caller resigns the player's attempt if a round is running.
    """
    return SeatLeft(player, now) if room.seat_of(player) else None


def remove(room: Room, host: PlayerId, player: PlayerId, now: int) -> Event | None:
    """Decide the host's command to remove a member: `None` if the player has no seat.

    The caller resigns the player's attempt if a round is running.

    Raises:
        Refusal: with the code `not_seated` or `not_host`.
    """
    _check_host(room, host)
    if player == host or not room.seat_of(player):
        return None
    return SeatLeft(player, now, host)


def hand_over(room: Room, host: PlayerId, player: PlayerId, now: int) -> Event | None:
    """Decide the host's command to make another member the host: `None` for the host.

    Raises:
        Refusal: with the code `not_seated`, also if the other one is the pace bot, or `not_host`.
    """
    _check_host(room, host)
    seat = room.seat_of(player)
    if seat is None or seat.is_bot:
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
    return None if room.running else leave(room, player, now)


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


def set_lock(room: Room, player: PlayerId, locked: bool, now: int) -> Event | None:
    """Decide the host's command to lock or unlock the room: `None` if that is so already.

    Raises:
        Refusal: with the code `not_seated` or `not_host`.
    """
    _check_host(room, player)
    return LockSet(locked, now) if room.locked != locked else None


def set_public(room: Room, player: PlayerId, public: bool, now: int) -> Event | None:
    """Decide the host's command to open the room to anybody, or to close it: `None` if it is so.

    Raises:
        Refusal: with the code `not_seated` or `not_host`.
    """
    _check_host(room, player)
    return PublicSet(public, now) if room.public != public else None


def set_terms(room: Room, player: PlayerId, terms: Terms, now: int) -> Event | None:
    """Decide the host's command to set the next round's terms: `None` if they are set already.

    Raises:
        Refusal: with the code `not_seated`, `not_host` or `round_running`.
    """
    _check_host(room, player)
    if room.running:
        raise Refusal("round_running")
    return TermsSet(terms, now) if room.terms != terms or room.proposals else None


def propose_terms(room: Room, player: PlayerId, terms: Terms, now: int) -> Event | None:
    """Decide a member's command to propose terms: `None` if they are proposed or set already.

    Raises:
        Refusal: with the code `not_seated` or `round_running`.
    """
    if not room.seat_of(player):
        raise Refusal("not_seated")
    if room.running:
        raise Refusal("round_running")
    if terms in (room.terms, room.proposals.get(player)):
        return None
    return TermsProposed(player, terms, now)


def set_ready(room: Room, player: PlayerId, ready: bool, now: int) -> Event | None:
    """Decide the command to be ready, or to sit out: `None` if that is so already.

    Raises:
        Refusal: with the code `not_seated` or `round_running`.
    """
    seat = room.seat_of(player)
    if seat is None:
        raise Refusal("not_seated")
    if room.running:
        raise Refusal("round_running")
    return ReadySet(player, ready, now) if seat.ready != ready else None


def start(
    room: Room,
    player: PlayerId | None,
    deal: DealId,
    commitment: str,
    now: int,
    *,
    present: Collection[PlayerId],
    anyway: bool = False,
    rules: str | None = None,
    home: int = 0,
) -> Event:
    """Decide the command to start a round, for all members who are present and do not sit out.

    The host may start a round, and after a round any member may start the next one.

    Args:
        room: the room.
        player: who gave the command; `None` if the first round of a quick match starts by itself.
        deal: the deal to race on.
        commitment: the deal's commitment, published with the round.
        now: the time.
        present: players who are present.
        anyway: whether to start without members who are away and do not sit out.
        rules: the digest of the rules of the deal.
        home: how many cards the deal itself brings home.

    Raises:
        Refusal: with the code `room_closed`, `not_seated`, `not_host`, `round_running`,
            `players_away` or `nobody_plays`.
    """
    check_open(room)
    if player is None:
        if not quick.starts(room, present):
            raise Refusal("round_running" if room.round is not None else "players_away")
        player = room.host
    if not room.seat_of(player):
        raise Refusal("not_seated")
    if player != room.host and room.round is None:
        raise Refusal("not_host")
    if room.running:
        raise Refusal("round_running")
    ready = [seat.player for seat in room.seats if seat.ready]
    there = {*present, player, PACE_BOT}
    players = tuple(each for each in ready if each in there)
    if len(players) < len(ready) and not anyway:
        raise Refusal("players_away")
    if not any(each != PACE_BOT for each in players):
        raise Refusal("nobody_plays")
    starts = now + COUNTDOWN
    number = room.round.number + 1 if room.round else 1
    deadline = starts + room.terms.limit
    return RoundStarted(
        number, deal, commitment, players, starts, deadline, now, rules=rules, home=home
    )


def _check_host(room: Room, player: PlayerId) -> None:
    if not room.seat_of(player):
        raise Refusal("not_seated")
    if player != room.host:
        raise Refusal("not_host")


def finish(room: Room, deal: DealId, player: PlayerId, result: Result, now: int) -> Event | None:
    """Return the entry that a player's attempt has ended, or `None` if the room needs none.

    It needs none if the entry is there already, or if the attempt is not of the running round.
    """
    running = room.running
    if running is None or running.deal != deal or player not in running.unfinished():
        return None
    return RunnerFinished(running.number, player, StoredResult.of(result), now)
