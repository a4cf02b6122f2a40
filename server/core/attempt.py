"""An attempt: one player's play of one deal, as a fold over its journal.

Entry 1 is the start, and each later entry is one move, or the end. Times are Unix milliseconds on
the server's clock.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from msgspec import Struct

from engine.board import Board, Delta
from engine.errors import EngineError
from engine.moves import is_stuck
from engine.notation import move_text, parse_move
from engine.play import apply
from engine.play import play as play_move
from engine.ruleset import Move
from server.core.ids import AttemptId, DealId, PlayerId, RoomCode, attempt_id
from server.core.ranking import MOST_MOVES, Result
from server.core.refusal import Refusal

End = Literal["won", "stuck", "resigned", "time"]


class Started(Struct, tag="started", frozen=True, omit_defaults=True):
    """The attempt began.

    Attributes:
        at: when its clock starts.
        deadline: when it ends by itself.
        rules: the digest of the rules that it is played by; `None` in what release 0.1.0 wrote.
    """

    player: PlayerId
    deal: DealId
    game: str
    variant: str
    room: RoomCode | None
    day: int | None
    at: int
    deadline: int
    rules: str | None = None


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


class Attempt(Struct, frozen=True):
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

    def has_begun(self, now: int) -> bool:
        """Return whether its clock runs.

        That of a daily does from its first entry on, whatever another node's clock says; a round
        has a countdown before it.
        """
        return self.start.room is None or now >= self.start.at

    @property
    def result(self) -> Result:
        """How far it has got."""
        board = self.board
        left = board.ruleset.total - board.home
        return Result(board.home, left, self.last_home, board.moves, self.end)


class Played(NamedTuple):
    """A move that has been decided: its entry, the attempt after it, and what it changed."""

    event: Moved
    after: Attempt
    delta: Delta


def begin(start: Started, board: Board) -> Attempt:
    """Return the attempt after its first entry, on the board that its deal lays out."""
    return Attempt(start, board, seq=1, at=start.at, last_home=0, end=None)


def fold(attempt: Attempt, event: Event) -> Attempt:
    """Return the attempt after an entry of its journal."""
    seq = attempt.seq + 1
    if isinstance(event, Moved):
        before = attempt.board
        return _moved(attempt, apply(before, parse_move(before.ruleset, event.move)), event)
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


def play(attempt: Attempt, move: Move, now: int) -> Played:
    """Decide a move.

    Raises:
        Refusal: it is not carried out.
    """
    _check_running(attempt, now)
    board = attempt.board
    if board.moves >= MOST_MOVES:
        raise Refusal("too_many_moves")
    try:
        after, delta = play_move(board, move)
    except EngineError as error:
        raise Refusal.of(error) from error
    end: End | None = "won" if after.won else "stuck" if is_stuck(after) else None
    event = Moved(move_text(board.ruleset, move), max(now, attempt.at), end)
    return Played(event, _moved(attempt, after, event), delta)


def resign(attempt: Attempt, now: int) -> Event:
    """Decide a resignation.

    Raises:
        Refusal: it is not carried out.
    """
    _check_running(attempt, now)
    return Ended("resigned", max(now, attempt.at))


def _check_running(attempt: Attempt, now: int) -> None:
    if attempt.end is not None:
        raise Refusal("attempt_ended")
    if not attempt.has_begun(now):
        raise Refusal("not_started")


def _moved(attempt: Attempt, after: Board, event: Moved) -> Attempt:
    """Return the attempt after a move that led to this board."""
    came_home = after.home > attempt.board.home
    last_home = event.at - attempt.start.at if came_home else attempt.last_home
    return Attempt(attempt.start, after, attempt.seq + 1, event.at, last_home, event.end)
