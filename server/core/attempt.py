"""An attempt: one player's play of one deal, as a fold over its journal.

Entry 1 of the journal is `Started`; each later entry is one move, or the end. Times are Unix
milliseconds of the server's clock.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from engine.board import Board, Delta
from engine.errors import EngineError
from engine.moves import is_stuck
from engine.notation import move_text, parse_move
from engine.play import apply
from engine.play import play as play_move
from engine.ruleset import Move
from server.core.ids import AttemptId, DealId, PlayerId, RoomCode, attempt_id
from server.core.ranking import MAX_MOVES, End, Result
from server.core.refusal import Refusal


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
    """A move was played; `end` says why the attempt ended with it, if it did."""

    move: str
    at: int
    end: End | None = None


class Ended(Struct, tag="ended", frozen=True):
    """The attempt ended without another move."""

    end: End
    at: int


Event = Started | Moved | Ended


class Attempt(Struct, frozen=True):
    """The state of an attempt after the last entry of its journal.

    Attributes:
        start: the first entry.
        board: the board after all moves.
        seq: the number of the last entry.
        at: the time of the last entry. Times never decrease, even if the clock is set back.
        last_home: milliseconds from the start to the last move that brought a card home.
        end: why the attempt ended, or `None` while it is running.
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
        """Return whether moves are accepted.

        A round has a countdown first. An attempt at a daily accepts moves from its first entry on,
        even if this node's clock is behind that of the node which wrote the entry.
        """
        return self.start.room is None or now >= self.start.at

    @property
    def result(self) -> Result:
        """The attempt's result so far."""
        board = self.board
        left = board.ruleset.total - board.home
        return Result(board.home, left, self.last_home, board.moves, self.end)


class Played(NamedTuple):
    """A decided move: its journal entry, the attempt after it, and the board's change."""

    event: Moved
    after: Attempt
    delta: Delta


def begin(start: Started, board: Board) -> Attempt:
    """Return the attempt after its first entry, on the initial board of its deal."""
    return Attempt(start, board, seq=1, at=start.at, last_home=0, end=None)


def fold(attempt: Attempt, event: Event) -> Attempt:
    """Return the attempt after one more entry of its journal, which is not checked again.

    Raises:
        NotationError: the entry's move names a pile that the game does not have.
    """
    seq = attempt.seq + 1
    if isinstance(event, Moved):
        before = attempt.board
        return _moved(attempt, apply(before, parse_move(before.ruleset, event.move)), event)
    assert isinstance(event, Ended), "Started is only the first entry"
    return Attempt(attempt.start, attempt.board, seq, event.at, attempt.last_home, event.end)


def due(attempt: Attempt, now: int) -> Event | None:
    """Return the end at the deadline if it has passed, or `None`."""
    if attempt.end is None and now >= attempt.start.deadline:
        return Ended("time", attempt.start.deadline)
    return None


def end_stuck(attempt: Attempt, seq: int, now: int) -> Event | None:
    """Return the end of an attempt that a search found stuck at entry `seq`.

    Entries after `seq` do not matter: if no line of moves from there brings a card home, none of
    those that followed did, and none that continues them can.

    Returns:
        The entry, or `None` if the attempt has ended already or has no entry `seq`.
    """
    if attempt.end is not None or attempt.seq < seq:
        return None
    return Ended("stuck", max(now, attempt.at))


def give_up(attempt: Attempt, now: int) -> Event | None:
    """Return the resignation of an attempt, begun or not, or `None` if it has ended."""
    return None if attempt.end is not None else Ended("resigned", max(now, attempt.at))


def play(attempt: Attempt, move: Move, now: int) -> Played:
    """Decide a move.

    Raises:
        Refusal: with the code `attempt_ended`, `not_started`, `too_many_moves` or `illegal_move`.
    """
    _check_running(attempt, now)
    board = attempt.board
    if board.moves >= MAX_MOVES:
        raise Refusal("too_many_moves")
    try:
        after, delta = play_move(board, move)
    except EngineError as error:
        raise Refusal.of(error) from error
    end: End | None = "won" if after.won else "stuck" if is_stuck(after) else None
    event = Moved(move_text(board.ruleset, move), max(now, attempt.at), end)
    return Played(event, _moved(attempt, after, event), delta)


def resign(attempt: Attempt, now: int) -> Event:
    """Decide a player's command to resign.

    Raises:
        Refusal: with the code `attempt_ended` or `not_started`.
    """
    _check_running(attempt, now)
    return Ended("resigned", max(now, attempt.at))


def _check_running(attempt: Attempt, now: int) -> None:
    """Raise `Refusal` unless the attempt accepts commands."""
    if attempt.end is not None:
        raise Refusal("attempt_ended")
    if not attempt.has_begun(now):
        raise Refusal("not_started")


def _moved(attempt: Attempt, after: Board, event: Moved) -> Attempt:
    """Return the attempt after the move `event`, which led to the board `after`."""
    came_home = after.home > attempt.board.home
    last_home = event.at - attempt.start.at if came_home else attempt.last_home
    return Attempt(attempt.start, after, attempt.seq + 1, event.at, last_home, event.end)
