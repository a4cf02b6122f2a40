"""A race room: seats, rounds and results, as a fold over the room's journal.

Times are Unix milliseconds of the server's clock.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from msgspec import Struct

from server.core.ids import AttemptId, DealId, PlayerId, RoomCode, attempt_id
from server.core.ranking import Result, standing
from server.core.refusal import Refusal
from server.core.stored import StoredResult

COUNTDOWN = 4_000
"""The time from the host's command to the start of a round, in milliseconds."""


class RoomOpened(Struct, tag="opened", frozen=True):
    """The room was opened; its host has no seat yet. `limit` is the length of a round in ms."""

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
    """A player left; if it was the host, the member who has been seated longest becomes host."""

    player: PlayerId
    at: int


class ReadySet(Struct, tag="ready", frozen=True):
    """A player is ready, or no longer ready, for the next round."""

    player: PlayerId
    ready: bool
    at: int


class RoundStarted(Struct, tag="round", frozen=True, omit_defaults=True):
    """The host started a round. It begins at `starts`, after the countdown.

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
    result: StoredResult
    at: int


Event = RoomOpened | SeatTaken | SeatLeft | ReadySet | RoundStarted | RunnerFinished


@dataclass(frozen=True, slots=True)
class Seat:
    """A player's place in the room."""

    player: PlayerId
    ready: bool = False


@dataclass(frozen=True, slots=True)
class Round:
    """A round, with the results of the players who have finished."""

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
        """Whether all players have finished."""
        return len(self.results) == len(self.players)

    def attempt(self, player: PlayerId) -> AttemptId:
        """Return the id of a player's attempt."""
        return attempt_id(self.deal, player)

    def unfinished(self) -> list[PlayerId]:
        """Return the players who have not finished."""
        return [player for player in self.players if player not in self.results]

    def ranks(self) -> dict[PlayerId, int]:
        """Return the ranks of the players who have finished, from 1."""
        return {player: rank for rank, player, _ in standing(self.results.items())}


@dataclass(frozen=True, slots=True)
class Room:
    """The state of a room after the last entry of its journal.

    Attributes:
        opened: the first entry.
        host: the player who may start a round.
        seats: the members' seats, in the order in which they were taken.
        round: the last round that was started, or `None`.
        wins: the number of rounds won, for players who have won any.
        version: the number of the last entry.
        at: the time of the last entry.
    """

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
        """The round that is running or counting down, or `None`."""
        return self.round if self.round is not None and not self.round.over else None


def fold(room: Room | None, event: Event) -> Room:
    """Return the room after one more entry of its journal; `room` is `None` before the first."""
    if isinstance(event, RoomOpened):
        assert room is None, "RoomOpened is only the first entry"
        return Room(event, event.host, (), None, {}, version=1, at=event.at)
    assert room is not None, "the first entry is RoomOpened"
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
            results = room.round.results | {player: result.restored()}
            after = replace(room.round, results=results)
            return replace(room, round=after, wins=_wins_after(room, after))
    raise AssertionError(f"unknown event {event!r}")


def _wins_after(room: Room, after: Round) -> dict[PlayerId, int]:
    """Return the wins, with those of the round `after` if it is over and had several players."""
    wins = dict(room.wins)
    if after.over and len(after.players) > 1:
        for player, rank in after.ranks().items():
            if rank == 1:
                wins[player] = wins.get(player, 0) + 1
    return wins


def take_seat(room: Room, player: PlayerId, now: int) -> Event | None:
    """Decide the command to join: `None` if the player has a seat already.

    Raises:
        Refusal: with the code `room_full`.
    """
    if room.seat_of(player):
        return None
    if len(room.seats) >= room.opened.seats:
        raise Refusal("room_full")
    return SeatTaken(player, now)


def leave(room: Room, player: PlayerId, now: int) -> Event | None:
    """Decide the command to leave: `None` if the player has no seat.

    The caller resigns the player's attempt if a round is running.
    """
    return SeatLeft(player, now) if room.seat_of(player) else None


def set_ready(room: Room, player: PlayerId, ready: bool, now: int) -> Event | None:
    """Decide the command to be ready, or no longer ready: `None` if that is so already.

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
    player: PlayerId,
    deal: DealId,
    commitment: str,
    now: int,
    *,
    rules: str | None = None,
) -> Event:
    """Decide the host's command to start a round, for the host and all members who are ready.

    Args:
        room: the room.
        player: who gave the command.
        deal: the deal to race on.
        commitment: the deal's commitment, published with the round.
        now: the time.
        rules: the digest of the rules of the deal.

    Raises:
        Refusal: with the code `not_seated`, `not_host` or `round_running`.
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
    """Return the entry that a player's attempt has ended, or `None` if the room needs none.

    It needs none if the entry is there already, or if the attempt is not of the running round.
    """
    running = room.running
    if running is None or running.deal != deal or player not in running.unfinished():
        return None
    return RunnerFinished(running.number, player, StoredResult.of(result), now)
