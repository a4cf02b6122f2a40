"""An attempt: one player's play of one deal, as a fold over its journal.

Entry 1 of the journal is `Started`; each later entry is a move, an undo, a hint or the end. Times
are Unix milliseconds of the server's clock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from engine.board import Board, Delta, delta_between
from engine.errors import EngineError
from engine.hints import hint as hint_on
from engine.moves import is_stuck
from engine.notation import move_text, parse_move
from engine.play import apply
from engine.play import play as play_move
from engine.ruleset import Move
from engine.search import cards_never_seen
from server.base.core.ids import AttemptId, DealId, Occasion, PlayerId, RoomCode, attempt_id
from server.base.core.quota import KEPT_DAYS
from server.base.core.refusal import Refusal
from server.play.core.refusals import PlayRefusals
from server.play.core.result import MAX_MOVES, End, Help, Result

# Moves that can be undone in a row; the boards before them take up to 50 KB of memory.
UNDO_DEPTH = 100

UNDONE = "undo"  # stands for an undo in lists of move texts


class Started(Struct, tag="started", frozen=True, omit_defaults=True):
    """The attempt was started."""

    player: PlayerId
    deal: DealId
    game: str
    variant: str
    room: RoomCode | None
    day: int | None
    at: int  # the start of its clock
    deadline: int  # when it ends automatically
    rules: str
    help: Help = "none"
    days: int = KEPT_DAYS  # how many days it is kept after its deadline if it is played
    # Whether it is an attempt at a daily by a player with a kept identity at its start.
    ranked: bool = False
    occasion: Occasion | None = None  # its purpose if it is neither in a room nor a daily


class Moved(Struct, tag="moved", frozen=True, omit_defaults=True, gc=False):
    """A move was played; `end` is set if it ended the attempt."""

    move: str
    at: int
    end: End | None = None


class Ended(Struct, tag="ended", frozen=True):
    """The attempt ended without another move."""

    end: End
    at: int


class Undone(Struct, tag="undone", frozen=True):
    """The last move not yet undone was undone. An undo counts as a move."""

    at: int


class Hinted(Struct, tag="hinted", frozen=True):
    """The player was given a hint: a move to play next."""

    move: str
    at: int


Event = Started | Moved | Undone | Hinted | Ended


def move_of(event: Event) -> str | None:
    """Return an entry's move as text, `UNDONE` for an undo, or `None` for other entries."""
    if isinstance(event, Moved):
        return event.move
    return UNDONE if isinstance(event, Undone) else None


class Past(NamedTuple):
    """An attempt's board and `last_home` before a move."""

    board: Board
    last_home: int


class Attempt(Struct, frozen=True, gc=False):
    """The state of an attempt after the last entry of its journal."""

    start: Started
    board: Board
    seq: int
    at: int  # the time of the last entry. Times never decrease, even if the clock is set back.
    last_home: int  # milliseconds from the start to the last move that brought a card home
    end: End | None  # why the attempt ended, or `None` while it is running
    # The states before the moves that can be undone, oldest first; empty where undo is not allowed.
    past: tuple[Past, ...] = ()
    hinted: Move | None = None
    undos: int = 0
    hints: int = 0
    peeked: bool = False  # whether an undone move had turned a card up

    @property
    def id(self) -> AttemptId:
        """The id that deal and player give it."""
        return attempt_id(self.start.deal, self.start.player)

    def has_begun(self, now: int) -> bool:
        """Return whether moves are accepted; a round first counts down."""
        # `is_played` shows that the countdown is over even if this node's clock lags behind the
        # clock of the node that wrote the entry.
        return self.start.room is None or self.is_played or now >= self.start.at

    @property
    def is_played(self) -> bool:
        """Whether the player has made a move or used a hint."""
        return self.board.moves > 0 or self.hints > 0

    @property
    def counts(self) -> bool:
        """Whether it counts as a run: it is played, or it is a daily that its player has given up.

        Otherwise, players could give up unlucky dailies at first sight without a loss.
        """
        return self.is_played or (self.start.day is not None and self.end == "resigned")

    @property
    def result(self) -> Result:
        """The attempt's result so far."""
        board = self.board
        left = board.ruleset.total - board.home
        marks = self.undos, self.hints, self.peeked
        return Result(board.home, left, self.last_home, board.moves, self.end, *marks)

    @property
    def undoable(self) -> int:
        """The number of moves that can be undone in a row."""
        if self.end is not None:
            return 0
        return min(len(self.past), MAX_MOVES - self.board.moves)


class Played(Struct, frozen=True, gc=False):
    """A decided move: its journal entry, the attempt after it, and the board's change."""

    event: Moved | Undone
    after: Attempt
    delta: Delta


def begin(start: Started, board: Board) -> Attempt:
    """Return the attempt after its first entry, on the initial board of its deal."""
    return Attempt(start, board, seq=1, at=start.at, last_home=0, end=None)


def fold(attempt: Attempt, event: Event) -> Attempt:
    """Return the attempt after one more entry of its journal, without validating the entry.

    Raises:
        NotationError: the entry's move names a pile that the game does not have.
    """
    seq = attempt.seq + 1
    if isinstance(event, Moved):
        # Moves first: they are by far the most frequent entries.
        before = attempt.board
        return _moved(attempt, apply(before, parse_move(before.ruleset, event.move)), event)
    match event:
        case Undone():
            return _undone(attempt, event)
        case Hinted(move=text):
            hinted = parse_move(attempt.board.ruleset, text)
            hints = attempt.hints + 1
            return replace(attempt, seq=seq, at=event.at, hinted=hinted, hints=hints)
        case Ended(end=end):
            return replace(attempt, seq=seq, at=event.at, end=end, past=(), hinted=None)
    raise AssertionError("Started is only the first entry")


def due(attempt: Attempt, now: int) -> Event | None:
    """Return the end at the deadline if it has passed, or `None`."""
    if attempt.end is None and now >= attempt.start.deadline:
        return Ended("time", attempt.start.deadline)
    return None


def end_stuck(attempt: Attempt, seq: int, now: int) -> Event | None:
    """Return the end of an attempt that a search found stuck at entry `seq`.

    Return `None` if it has ended, has no such entry, or allows undo, which may lead out of the dead
    end.
    """
    if attempt.end is not None or attempt.seq < seq or attempt.undoable:
        return None
    # Later entries do not matter: if no line from `seq` brings a card home, neither does any
    # continuation of the moves played since.
    return Ended("stuck", max(now, attempt.at))


def give_up(attempt: Attempt, now: int) -> Event | None:
    """Return the resignation of an attempt, started or not, or `None` if it has ended."""
    return None if attempt.end is not None else Ended("resigned", max(now, attempt.at))


def play(attempt: Attempt, move: Move, now: int) -> Played:
    """Decide a move.

    Refused as `attempt_ended`, `not_started`, `too_many_moves` or `illegal_move`.
    """
    board = attempt.board
    # After a move, an attempt without an end is running.
    if attempt.end is not None or not board.moves:
        _check_running(attempt, now)
    if board.moves >= MAX_MOVES:
        raise Refusal(PlayRefusals.too_many_moves)
    try:
        after, delta = play_move(board, move)
    except EngineError as error:
        raise Refusal.of(error) from error
    end: End | None = None
    if after.home == board.ruleset.total:
        end = "won"
    elif not _can_undo(attempt, after) and is_stuck(after):
        end = "stuck"
    event = Moved(move_text(board.ruleset, move), max(now, attempt.at), end)
    return Played(event, _moved(attempt, after, event), delta)


def undo(attempt: Attempt, now: int) -> Played:
    """Decide a player's command to undo the last move.

    The board and `last_home` return to their values before it. Cards that it turned up are hidden
    again, also in the delta, and the result is marked as `peeked`. Refused as `attempt_ended`,
    `not_started`, `no_help`, `nothing_to_undo` or `too_many_moves`.
    """
    _check_running(attempt, now)
    if attempt.start.help == "none":
        raise Refusal(PlayRefusals.no_help)
    if not attempt.past:
        raise Refusal(PlayRefusals.nothing_to_undo)
    if attempt.board.moves >= MAX_MOVES:
        raise Refusal(PlayRefusals.too_many_moves)
    event = Undone(max(now, attempt.at))
    after = _undone(attempt, event)
    return Played(event, after, delta_between(attempt.board, after.board))


def hint(
    attempt: Attempt, now: int, find: Callable[[Board], Move | None] = hint_on
) -> Hinted | None:
    """Decide a player's request for a hint; `None` if it was given on this board, or there is none.

    `find` returns the hint for a board; pass a function with an earlier result to save the search.
    Refused as `attempt_ended`, `not_started` or `no_help`.
    """
    _check_running(attempt, now)
    if attempt.start.help != "hints":
        raise Refusal(PlayRefusals.no_help)
    move = find(attempt.board) if attempt.hinted is None else None
    if move is None:
        return None
    return Hinted(move_text(attempt.board.ruleset, move), max(now, attempt.at))


def resign(attempt: Attempt, now: int) -> Event:
    """Decide a player's command to resign. Refused as `attempt_ended` or `not_started`."""
    _check_running(attempt, now)
    return Ended("resigned", max(now, attempt.at))


def _check_running(attempt: Attempt, now: int) -> None:
    if attempt.end is not None:
        raise Refusal(PlayRefusals.attempt_ended)
    if not attempt.has_begun(now):
        raise Refusal(PlayRefusals.not_started)


def _moved(attempt: Attempt, after: Board, event: Moved) -> Attempt:
    came_home = after.home > attempt.board.home
    last_home = event.at - attempt.start.at if came_home else attempt.last_home
    past: tuple[Past, ...] = ()
    if attempt.start.help != "none" and event.end is None:
        past = (*attempt.past[1 - UNDO_DEPTH :], Past(attempt.board, attempt.last_home))
    return Attempt(
        attempt.start,
        after,
        attempt.seq + 1,
        event.at,
        last_home,
        event.end,
        past,
        None,
        attempt.undos,
        attempt.hints,
        attempt.peeked,
    )


def _undone(attempt: Attempt, event: Undone) -> Attempt:
    *past, (before, last_home) = attempt.past
    board = attempt.board
    return replace(
        attempt,
        board=Board(board.ruleset, before.piles, before.redeals, board.moves + 1, before.home),
        seq=attempt.seq + 1,
        at=event.at,
        last_home=last_home,
        past=tuple(past),
        hinted=None,
        undos=attempt.undos + 1,
        peeked=attempt.peeked or cards_never_seen(before) > cards_never_seen(board),
    )


def _can_undo(attempt: Attempt, after: Board) -> bool:
    return attempt.start.help != "none" and after.moves < MAX_MOVES
