"""An attempt: one player's play of one deal, as a fold over its journal.

Entry 1 is the start, and each later entry is one move, or the end. Times are Unix milliseconds on
the server's clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from msgspec import Struct

from engine.board import Board
from engine.errors import EngineError
from engine.moves import is_stuck
from engine.notation import parse_move
from engine.play import apply, play
from server.core.ids import AttemptId, DealId, PlayerId, RoomCode, attempt_id
from server.core.ranking import Result
from server.core.refusal import Refusal

End = Literal["won", "stuck", "resigned", "time"]


class Started(Struct, tag="started", frozen=True):
    """The attempt began; `at` is when its clock starts, `deadline` when it ends by itself."""

    player: PlayerId
    deal: DealId
    game: str
    variant: str
    room: RoomCode | None
    day: int | None
    at: int
    deadline: int


class Moved(Struct, tag="moved", frozen=True, omit_defaults=True):
    """A move was played; `end` if it was the last one."""

    move: str
    at: int
    end: End | None = None


class Ended(Struct, tag="ended", frozen=True):
    """The attempt ended without a move."""

    end: End
    at: int


Event = Started | Moved | Ended


@dataclass(frozen=True, slots=True)
class Attempt:
    """Where an attempt stands.

    Attributes:
        seq: the number of the last entry.
        at: its time; no later one is before it, even if the clock has been set back.
        last_home: milliseconds from the start to the last card that came home.
        end: why it is over, or `None`.
    """

    start: Started
    board: Board
    seq: int
    at: int
    last_home: int
    end: End | None

    @property
    def id(self) -> AttemptId:
        """The attempt's id."""
        return attempt_id(self.start.deal, self.start.player)

    @property
    def result(self) -> Result:
        """How far it has got."""
        board = self.board
        left = board.ruleset.total - board.home
        return Result(board.home, left, self.last_home, board.moves, self.end)


@dataclass(frozen=True, slots=True)
class Play:
    """Play a move, given by its text."""

    move: str


@dataclass(frozen=True, slots=True)
class Resign:
    """End the attempt as it stands."""


def begin(start: Started, board: Board) -> Attempt:
    """Return the attempt after its first entry, on the board that its deal lays out."""
    return Attempt(start, board, seq=1, at=start.at, last_home=0, end=None)


def fold(attempt: Attempt, event: Event) -> Attempt:
    """Return the attempt after an entry of its journal."""
    seq = attempt.seq + 1
    if isinstance(event, Moved):
        before = attempt.board
        after = apply(before, parse_move(before.ruleset, event.move))
        came_home = after.home > before.home
        last_home = event.at - attempt.start.at if came_home else attempt.last_home
        return Attempt(attempt.start, after, seq, event.at, last_home, event.end)
    assert isinstance(event, Ended), "an attempt starts once"
    return Attempt(attempt.start, attempt.board, seq, event.at, attempt.last_home, event.end)


def due(attempt: Attempt, now: int) -> Event | None:
    """Return what the time alone has brought about."""
    if attempt.end is None and now >= attempt.start.deadline:
        return Ended("time", attempt.start.deadline)
    return None


def end_stuck(attempt: Attempt, seq: int, now: int) -> Event | None:
    """Return what comes of a search that found entry `seq` to leave the player stuck, if anything.

    It does not matter which moves have followed: none of them, and none to come, brings a card
    home.
    """
    if attempt.end is not None or attempt.seq < seq:
        return None
    return Ended("stuck", max(now, attempt.at))


def give_up(attempt: Attempt, now: int) -> Event | None:
    """Return the resignation of an attempt that has begun or not, if it is not over."""
    return None if attempt.end is not None else Ended("resigned", max(now, attempt.at))


def decide(attempt: Attempt, command: Play | Resign, now: int) -> Event:
    """Return the entry that a command becomes.

    Raises:
        Refusal: it is not carried out.
    """
    if attempt.end is not None:
        raise Refusal("attempt_ended")
    if now < attempt.start.at:
        raise Refusal("not_started")
    now = max(now, attempt.at)
    if isinstance(command, Resign):
        return Ended("resigned", now)
    try:
        board, _ = play(attempt.board, parse_move(attempt.board.ruleset, command.move))
    except EngineError as error:
        raise Refusal.of(error) from error
    if board.won:
        return Moved(command.move, now, "won")
    return Moved(command.move, now, "stuck" if is_stuck(board) else None)
