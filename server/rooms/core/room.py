"""A race room: seats, rounds and results, as a fold over the room's journal.

Times are Unix milliseconds of the server's clock.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from msgspec import Struct

from server.base.core.ids import PACE_BOT, AttemptId, DealId, PlayerId, attempt_id
from server.play.core import result as ranking
from server.play.core.result import Result
from server.rooms.core import colours, rate_limit
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

UNKNOWN_DEAL = DealId("")  # the deal of a score in an old checkpoint that lacks it

# The number of latest rounds whose places are kept; older rounds count only in the sums. Every
# snapshot of a room carries them: about 180 bytes for a round of eight players.
MAX_SCORES = 8

MAX_REMOVED = 32  # the number of latest removed players who cannot return


@dataclass(frozen=True, slots=True)
class Seat:
    """A player's place in the room."""

    player: PlayerId
    # Whether the player has agreed to the next round. Taking a seat before the first round counts
    # as agreement; each later round requires a new one.
    ready: bool = True
    since: int = 0  # when it was taken, in Unix milliseconds
    out: bool = False  # whether the player sits out all rounds until they agree to one
    # Whether the room was public when the seat was taken, so that its holder may be a stranger.
    public: bool = False

    @property
    def is_bot(self) -> bool:
        """Whether this is the seat of the pace bot, which is always present."""
        return self.player == PACE_BOT


@dataclass(frozen=True, slots=True)
class Round:
    """A round, with the results of the players who have finished."""

    number: int
    terms: Terms  # the room's terms when the round was started
    deal: DealId
    commitment: str
    players: tuple[PlayerId, ...]
    starts: int
    deadline: int
    results: dict[PlayerId, Result]
    rules: str
    home: int  # the number of cards that are home after dealing
    # Whether strangers may be in it: the room was public when the round was started, or at any time
    # since, or when one of the players took the seat.
    public: bool = False
    rated: bool = True  # whether it can change ratings
    counts: bool = True  # whether it is in histories and on leaderboards
    winnable: bool = False  # whether its deal is certified as winnable

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
        """Return the ranks of the players who have finished, from 1. See `ranking.ranks`."""
        return ranking.ranks(self.results, self.home)

    def winners(self) -> list[PlayerId]:
        """Return the winners of a finished round; empty if no card came home."""
        return ranking.winners(self.results, self.home)

    def points(self) -> dict[PlayerId, int]:
        """Return each player's points in a finished round: the number of players ranked below."""
        ranks = self.ranks()
        return {
            player: sum(rank < other for other in ranks.values()) for player, rank in ranks.items()
        }


@dataclass(frozen=True, slots=True)
class Score:
    """The places in a finished round of several players."""

    number: int
    game: str
    ranks: dict[PlayerId, int]
    points: dict[PlayerId, int]
    deal: DealId = UNKNOWN_DEAL


@dataclass(frozen=True, slots=True)
class Room:
    """The state of a room after the last entry of its journal.

    All fields are bounded, since a checkpoint stores them. A new field needs a default that reads
    old checkpoints correctly.
    """

    opened: RoomOpened
    host: PlayerId | None  # the player who runs the room; a quick match has none
    seats: tuple[Seat, ...]  # the members' seats, the earliest first
    round: Round | None  # the last round that was started, or `None`
    terms: Terms
    # The number of rounds won by each member or `former` player, without zeros.
    wins: dict[PlayerId, int]
    version: int
    at: int  # the time of the last entry
    # Each member's latest proposal of other terms.
    proposals: dict[PlayerId, Terms] = field(default_factory=dict)
    locked: bool = False  # whether the room takes no new members
    removed: tuple[PlayerId, ...] = ()  # the latest players removed by a host
    # The sum of points over all rounds by the same players, without zeros.
    points: dict[PlayerId, int] = field(default_factory=dict)
    scores: tuple[Score, ...] = ()  # the latest rounds of several players, the oldest first
    public: bool = False  # whether strangers find the room in the list of open rooms
    closed: bool = False  # whether an operator has closed it, permanently
    # How often watch keys were revoked: on a change of host, a removal or a lock.
    watch_epoch: int = 0
    # The number of the entry that the journal is read from: the first, or a checkpoint.
    begin: int = 1
    # Until when each player's changes count; see `server.rooms.core.rate_limit`.
    paces: dict[PlayerId, int] = field(default_factory=dict)
    # Of the members and of the players of `round`; see `server.rooms.core.colours`.
    colours: dict[PlayerId, int] = field(default_factory=dict)

    def seat_of(self, player: PlayerId | None) -> Seat | None:
        """Return a player's seat, or `None`."""
        return next((seat for seat in self.seats if seat.player == player), None)

    def has_acted(self, player: PlayerId) -> bool:
        """Return whether a member is known to have done more here than take a seat."""
        seat = self.seat_of(player)
        said = seat is not None and (seat.out or (seat.ready and self.round is not None))
        ran = self.round is not None and player in self.round.players
        return (
            player == self.opened.host
            or said
            or ran
            or player in self.proposals
            or any(player in score.ranks for score in self.scores)
        )

    @property
    def former(self) -> list[PlayerId]:
        """The players without a seat who have a place in `scores`, at most eight per score."""
        scored = dict.fromkeys(player for score in self.scores for player in score.ranks)
        seated = {seat.player for seat in self.seats}
        return [player for player in scored if player not in seated]

    @property
    def running(self) -> Round | None:
        """The round that is running or counting down, or `None`."""
        return self.round if self.round is not None and not self.round.over else None

    def not_raced(self, viewer: PlayerId | None) -> frozenset[DealId]:
        """Return the deals of shown, finished rounds that a viewer has not raced.

        The viewer may still be challenged to play them: see `without`.
        """
        found = {score.deal for score in self.scores if viewer not in score.ranks}
        if self.round is not None and self.round.over and viewer not in self.round.players:
            found.add(self.round.deal)
        return frozenset(found)

    def without(self, hidden: Collection[DealId]) -> Room:
        """Return the room without the scores on `hidden` deals; `round` keeps its results."""
        scores = [score for score in self.scores if score.deal in hidden]
        wins, points = self.wins, self.points
        for score in scores:
            won = [player for player, rank in score.ranks.items() if rank == 1]
            wins = _sums(wins, dict.fromkeys(won, -1))
            points = _sums(points, {player: -each for player, each in score.points.items()})
        left = tuple(score for score in self.scores if score not in scores)
        return replace(self, wins=wins, points=points, scores=left)

    @property
    def joinable(self) -> bool:
        """Whether a stranger can take a seat: the room is public, and neither locked nor full."""
        return self.public and not self.locked and len(self.seats) < self.opened.seats


class Checkpoint(Struct, tag="checkpoint", frozen=True):
    """The fold of all earlier entries; the journal is trimmed up to the last checkpoint."""

    room: Room
    at: int  # the time of the previous entry


Entry: TypeAlias = Event | Checkpoint

Change: TypeAlias = Entry | Founded
"""An entry appended by a command, or the first two."""


class KeptRound(Struct, tag="kept", frozen=True):
    """A finished round, stored outside the journal, which is trimmed."""

    round: Round


def fold(room: Room | None, event: Change) -> Room:
    """Return the room after a change; `room` is `None` before its journal's first entry."""
    if isinstance(event, Founded):
        return fold(fold(room, event.opened), event.taken)
    if isinstance(event, Checkpoint):
        assert room is None or room.version == event.room.version, "entries follow each other"
        number = event.room.version + 1
        colours_ = _colours_of(event.room)
        return replace(event.room, version=number, begin=number, colours=colours_)
    if isinstance(event, RoomOpened):
        assert room is None, "RoomOpened is only the first entry"
        host = None if event.quick else event.host
        return Room(
            event, host, (), None, event.terms, {}, version=1, at=event.at, public=event.quick
        )
    assert room is not None, "the first entry is RoomOpened or a checkpoint"
    after = _folded(room, event)
    epoch = room.watch_epoch + _ends_watch_keys(room, event, after)
    payer = payer_of(room, event)
    paces = room.paces if payer is None else rate_limit.after(room.paces, payer, event.at)
    return replace(
        after,
        version=room.version + 1,
        at=event.at,
        watch_epoch=epoch,
        paces=paces,
        colours=_colours_of(after),
    )


def _colours_of(room: Room) -> dict[PlayerId, int]:
    """Return a colour for each player; old checkpoints lack colours."""
    members = [seat.player for seat in room.seats]
    runners = room.round.players if room.round else ()
    return colours.after(room.colours, members, runners)


def _ends_watch_keys(before: Room, event: Event, after: Room) -> bool:
    """Return whether an entry revokes all watch keys."""
    match event:
        case SeatLeft(by=by) if by is not None:
            return True
        case LockSet(locked=True):
            return True
    return before.host != after.host


def payer_of(room: Room, event: Event) -> PlayerId | None:
    """Return the player whose rate limit an entry counts against; `None` if it is free."""
    # Rounds are free, since they take time anyway. Replacing an absent host counts as the host's
    # change.
    payer: PlayerId | None = None
    match event:
        case SeatTaken(player=player) | ReadySet(player=player) | TermsProposed(player=player):
            payer = player
        case SeatLeft(player=player, by=by):
            payer = player if by is None else by
        case HostChanged() | TermsSet() | LockSet() | PublicSet():
            payer = room.host
    return payer if payer != PACE_BOT else None


def _folded(room: Room, event: Event) -> Room:
    match event:
        case SeatTaken(player=player):
            # A room without a seated host goes to the next new member.
            host = player if not room.opened.quick and not room.seat_of(room.host) else room.host
            agrees = room.round is None or player == PACE_BOT
            seat = Seat(player, agrees, event.at, public=room.public)
            after = replace(room, host=host, seats=(*room.seats, seat))
        case SeatLeft(player=player):
            seats = tuple(seat for seat in room.seats if seat.player != player)
            following = (seat.player for seat in seats if not seat.is_bot)
            # Without another member, the host stays, so that they can return.
            host = next(following, player) if room.host == player else room.host
            by_host = (player,) if event.by is not None else ()
            removed = (*room.removed, *by_host)[-MAX_REMOVED:]
            proposals = {by: terms for by, terms in room.proposals.items() if by != player}
            after = _forget_unshown(
                replace(room, host=host, seats=seats, removed=removed, proposals=proposals)
            )
        case HostChanged(player=player):
            after = replace(room, host=player if not room.opened.quick else None)
        case TermsSet(terms=terms):
            # Agreement to a rematch does not extend to other terms.
            same = room.round is None or terms == room.terms
            seats = room.seats if same else _reset_agreement(room.seats, room.host)
            after = replace(room, terms=terms, proposals={}, seats=seats)
        case TermsProposed(player=player, terms=terms):
            after = replace(room, proposals=room.proposals | {player: terms})
        case LockSet(locked=locked):
            after = replace(room, locked=locked)
        case PublicSet(public=public):
            round_ = room.running and replace(room.running, public=True) if public else None
            after = replace(room, public=public, round=round_ or room.round)
        case RoomClosed():
            after = _forget_unshown(
                replace(room, seats=(), proposals={}, public=False, closed=True)
            )
        case ReadySet(player=player, ready=ready):
            seats = tuple(
                replace(seat, ready=ready, out=not ready) if seat.player == player else seat
                for seat in room.seats
            )
            after = replace(room, seats=seats)
        case RoundStarted():
            begun = Round(
                event.number,
                room.terms,
                event.deal,
                event.commitment,
                event.players,
                event.starts,
                event.deadline,
                {},
                event.rules,
                event.home,
                room.public or any(s.public for s in room.seats if s.player in event.players),
                counts=room.terms.counts,
                winnable=event.winnable,
            )
            after = replace(room, round=begun, proposals={}, seats=_reset_agreement(room.seats))
        case RunnerFinished(player=player, result=result):
            assert room.round is not None
            results = room.round.results | {player: result}
            round_ = replace(room.round, results=results)
            after = _add_score(replace(room, round=round_), round_)
        case _:
            raise AssertionError(f"unknown event {event!r}")
    return after


def _reset_agreement(seats: tuple[Seat, ...], host: PlayerId | None = None) -> tuple[Seat, ...]:
    """Return the seats with agreements reset, except those of the host and the pace bot."""
    return tuple(
        seat if seat.is_bot or seat.player == host else replace(seat, ready=False) for seat in seats
    )


def _add_score(room: Room, round_: Round) -> Room:
    """Add the wins and points of a round, if it is over and had several players."""
    if not round_.over or len(round_.players) == 1:
        return room
    points = round_.points()
    score = Score(round_.number, round_.terms.game, round_.ranks(), points, round_.deal)
    return _forget_unshown(
        replace(
            room,
            wins=_sums(room.wins, dict.fromkeys(round_.winners(), 1)),
            points=_sums(room.points, points),
            scores=(*room.scores, score)[-MAX_SCORES:],
        )
    )


def _forget_unshown(room: Room) -> Room:
    """Drop the wins and points of players who are no longer shown."""
    shown = {seat.player for seat in room.seats}.union(*(score.ranks for score in room.scores))
    return replace(
        room,
        wins={player: count for player, count in room.wins.items() if player in shown},
        points={player: count for player, count in room.points.items() if player in shown},
    )


def _sums(numbers: dict[PlayerId, int], more: dict[PlayerId, int]) -> dict[PlayerId, int]:
    """Return the sums by player, without players that add 0."""
    sums = dict(numbers)
    for player, number in more.items():
        if number:
            sums[player] = sums.get(player, 0) + number
    return sums
