"""A race room: seats, rounds and results, as a fold over the room's journal."""

from __future__ import annotations

from dataclasses import dataclass, replace

from msgspec import Struct

from server.core.ids import AttemptId, DealId, PlayerId, RoomCode, attempt_id
from server.core.ranking import Result, standing
from server.core.refusal import Refusal

COUNTDOWN = 4_000
"""Milliseconds from the host's start to the first card."""

MOST_SEATS = 8


class RoomOpened(Struct, tag="opened", frozen=True):
    """The room was made; its host has no seat yet. `limit` is milliseconds a round."""

    code: RoomCode
    host: PlayerId
    game: str
    variant: str
    seats: int
    limit: int
    at: int


class SeatTaken(Struct, tag="taken", frozen=True):
    """A player took a seat."""

    player: PlayerId
    at: int


class SeatLeft(Struct, tag="left", frozen=True):
    """A player gave the seat up; the longest seated of the others becomes host."""

    player: PlayerId
    at: int


class ReadySet(Struct, tag="ready", frozen=True):
    """A player will, or will not, be in the next round."""

    player: PlayerId
    ready: bool
    at: int


class RoundStarted(Struct, tag="round", frozen=True, omit_defaults=True):
    """A round was called: its cards are turned up at `starts`.

    `rules` is the digest of the rules that it is played by; `None` in what release 0.1.0 wrote.
    """

    number: int
    deal: DealId
    commitment: str
    players: tuple[PlayerId, ...]
    starts: int
    deadline: int
    at: int
    rules: str | None = None


class RunnerFinished(Struct, tag="finished", frozen=True):
    """A player's attempt at the round is over."""

    number: int
    player: PlayerId
    result: Result
    at: int


Event = RoomOpened | SeatTaken | SeatLeft | ReadySet | RoundStarted | RunnerFinished


@dataclass(frozen=True, slots=True)
class Seat:
    """A player's place in the room."""

    player: PlayerId
    ready: bool = False


@dataclass(frozen=True, slots=True)
class Round:
    """A round, and the results of those who have finished."""

    number: int
    deal: DealId
    commitment: str
    players: tuple[PlayerId, ...]
    starts: int
    deadline: int
    results: dict[PlayerId, Result]
    rules: str | None = None

    @property
    def over(self) -> bool:
        """Whether everyone has finished."""
        return len(self.results) == len(self.players)

    def attempt(self, player: PlayerId) -> AttemptId:
        """Return the id of a player's attempt."""
        return attempt_id(self.deal, player)

    def unfinished(self) -> list[PlayerId]:
        """Return who is still playing."""
        return [player for player in self.players if player not in self.results]

    def ranks(self) -> dict[PlayerId, int]:
        """Return the rank of everyone who has finished."""
        return {player: rank for rank, player, _ in standing(self.results.items())}


@dataclass(frozen=True, slots=True)
class Room:
    """Where a room stands. `version` is the number of the last entry, `at` its time."""

    opened: RoomOpened
    host: PlayerId
    seats: tuple[Seat, ...]
    round: Round | None
    wins: dict[PlayerId, int]
    version: int
    at: int

    def seat_of(self, player: PlayerId) -> Seat | None:
        """Return a player's seat, or `None`."""
        return next((seat for seat in self.seats if seat.player == player), None)

    @property
    def running(self) -> Round | None:
        """The round that is not over, or `None`."""
        return self.round if self.round is not None and not self.round.over else None


def fold(room: Room | None, event: Event) -> Room:
    """Return the room after an entry of its journal."""
    if isinstance(event, RoomOpened):
        assert room is None, "a room opens once"
        return Room(event, event.host, (), None, {}, version=1, at=event.at)
    assert room is not None, "a room opens first"
    return replace(_folded(room, event), version=room.version + 1, at=event.at)


def _folded(room: Room, event: Event) -> Room:
    match event:
        case SeatTaken(player=player):
            host = room.host if room.seat_of(room.host) else player
            return replace(room, host=host, seats=(*room.seats, Seat(player)))
        case SeatLeft(player=player):
            seats = tuple(seat for seat in room.seats if seat.player != player)
            host = seats[0].player if room.host == player and seats else room.host
            return replace(room, host=host, seats=seats)
        case ReadySet(player=player, ready=ready):
            seats = tuple(Seat(s.player, ready) if s.player == player else s for s in room.seats)
            return replace(room, seats=seats)
        case RoundStarted():
            begun = Round(
                event.number,
                event.deal,
                event.commitment,
                event.players,
                event.starts,
                event.deadline,
                {},
                event.rules,
            )
            return replace(room, seats=tuple(Seat(s.player) for s in room.seats), round=begun)
        case RunnerFinished(player=player, result=result):
            assert room.round is not None
            after = replace(room.round, results=room.round.results | {player: result})
            return replace(room, round=after, wins=_wins_after(room, after))
    raise AssertionError(f"unknown event {event!r}")


def _wins_after(room: Room, after: Round) -> dict[PlayerId, int]:
    """Return the wins, counting the round if it has just ended and there was a race to win."""
    wins = dict(room.wins)
    if after.over and len(after.players) > 1:
        for player, rank in after.ranks().items():
            if rank == 1:
                wins[player] = wins.get(player, 0) + 1
    return wins


def take_seat(room: Room, player: PlayerId, now: int) -> Event | None:
    """Decide joining: `None` if the player has a seat already.

    Raises:
        Refusal: every seat is taken.
    """
    if room.seat_of(player):
        return None
    if len(room.seats) >= room.opened.seats:
        raise Refusal("room_full")
    return SeatTaken(player, now)


def leave(room: Room, player: PlayerId, now: int) -> Event | None:
    """Decide leaving: `None` if the player has no seat. A running attempt is to be resigned."""
    return SeatLeft(player, now) if room.seat_of(player) else None


def set_ready(room: Room, player: PlayerId, ready: bool, now: int) -> Event | None:
    """Decide readiness: `None` if nothing changes.

    Raises:
        Refusal: the player has no seat, or a round is running.
    """
    seat = room.seat_of(player)
    if seat is None:
        raise Refusal("not_seated")
    if room.running:
        raise Refusal("round_running")
    return ReadySet(player, ready, now) if seat.ready != ready else None


def start(
    room: Room,
    player: PlayerId,
    deal: DealId,
    commitment: str,
    now: int,
    *,
    rules: str | None = None,
) -> Event:
    """Decide a round, for the host and every other member who is ready.

    Raises:
        Refusal: the player is not the host, or a round is running.
    """
    if not room.seat_of(player):
        raise Refusal("not_seated")
    if player != room.host:
        raise Refusal("not_host")
    if room.running:
        raise Refusal("round_running")
    players = tuple(seat.player for seat in room.seats if seat.ready or seat.player == player)
    starts = now + COUNTDOWN
    number = room.round.number + 1 if room.round else 1
    deadline = starts + room.opened.limit
    return RoundStarted(number, deal, commitment, players, starts, deadline, now, rules)


def finish(room: Room, deal: DealId, player: PlayerId, result: Result, now: int) -> Event | None:
    """Record that a player's attempt is over: `None` if that stands already."""
    running = room.running
    if running is None or running.deal != deal or player not in running.unfinished():
        return None
    return RunnerFinished(running.number, player, result, now)
