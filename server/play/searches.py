"""Searches: ending the attempts in which no line of moves brings another card home.

Searches run in the background, after the move has been answered. The line that one finds is kept,
and while the moves played follow it, nothing is searched. If a node dies, only its pending searches
are lost: such an attempt goes on, and its next move or opening enqueues a new search.
"""

from __future__ import annotations

from typing import NamedTuple

import structlog

from engine.board import Board
from engine.cards import DOWN
from engine.moves import has_few_moves
from engine.notation import move_text, parse_move
from engine.ruleset import ENDLESS, Move
from engine.search import Outcome, cards_never_seen, leads_home, search
from server.base.core.ids import AttemptId
from server.base.core.refusal import UnavailableError
from server.base.work.background import Background
from server.base.work.line_process import LineProcessError
from server.base.work.worker_pool import WorkerPool
from server.play.attempts import Attempts
from server.play.core import pace_bot
from server.play.core.attempt import Attempt, Moved
from server.play.journal import decode
from server.play.mirrors import Mirrors
from server.play.searcher import Search

MAX_WAITING = 1_000
"""Attempts that may be queued for a search; others are searched after a later move or opening."""

FEW_MOVES = 6
"""The most moves of a board that is searched, in games whose cards are all dealt face up."""

MOVES_AT_ONCE = 40
"""The most moves of a board whose first position is searched here, in half a millisecond; others
are the searcher's."""

MAX_LINE_BYTES = 4 << 20
"""About how many bytes kept lines take; the oldest is dropped first, and may be found again.

Nearly all lines have fewer than ten moves, so that these are of about ten thousand attempts.
"""

LINE_BYTES = 350
"""About how many bytes a kept line takes besides 8 for each of its moves."""

log = structlog.get_logger()


class _Line(NamedTuple):
    """A line of moves of which the rest brings a card home, if no other moves are played.

    Attributes:
        line: all its moves.
        played: how many of them have been played.
        moves: `Board.moves` after the last of these.
    """

    line: tuple[Move, ...]
    played: int
    moves: int


class Searches:
    """Searches the attempts of this node, each as it is after its latest entry.

    A *line* is a sequence of moves that brings another card home.
    """

    def __init__(
        self, attempts: Attempts, mirrors: Mirrors, searcher: Search, background: Background
    ) -> None:
        self._attempts = attempts
        self._mirrors = mirrors
        self._pending: dict[AttemptId, Attempt] = {}
        self._lines: dict[AttemptId, _Line] = {}
        self._line_bytes = 0
        self._searcher = searcher
        self._background = background
        # One at a time: the searcher is one process.
        self._searches: WorkerPool[AttemptId] = WorkerPool(
            background, "searches", self._search, size=1
        )
        attempts.appended.subscribe(lambda _, after, entry: self._enqueue(after, entry))
        attempts.opened.subscribe(self._enqueue)

    def _enqueue(self, attempt: Attempt, entry: str = "") -> None:
        """Enqueue an attempt that has changed, if all its cards have been seen.

        Where the waste is turned over without end, it is also enqueued each time that it has been:
        it is over if no line turns up another card, and nobody need go through it again.

        One whose moves can be undone has no dead end, nor has one that follows its line.

        If it is queued already, its latest state replaces the earlier one; if it is over, it is
        removed from the queue.
        """
        if pace_bot.is_its(attempt):
            return  # It gives up by itself.
        if attempt.end is not None:
            self._pending.pop(attempt.id, None)
            self._drop_line(attempt.id)
        elif attempt.undoable:
            self._pending.pop(attempt.id, None)
        elif (
            _may_have_seen_all(attempt.board)
            and not self._follows_line(attempt, entry)
            and (_begins_pass(attempt.board) or not cards_never_seen(attempt.board))
            and _is_small(attempt.board)
        ):
            if len(self._pending) >= MAX_WAITING and attempt.id not in self._pending:
                log.warning("searches_full", attempt=attempt.id)
                return
            self._pending[attempt.id] = attempt
            self._searches.add(attempt.id)

    async def close(self) -> None:
        """End the searcher, when no search is in progress any more."""
        await self._searcher.close()

    async def _search(self, attempt_id: AttemptId) -> None:
        """Search an attempt as it is after its latest entry, and end it if it is hopeless."""
        attempt = self._pending.pop(attempt_id, None)
        if attempt is None:
            return
        try:
            if await self._find_outcome(attempt) is Outcome.UNREACHABLE:
                await self._end(attempt)
        except LineProcessError as error:
            # Its next move or opening enqueues a new search.
            log.debug("search_failed", attempt=attempt.id, error=str(error))
        except UnavailableError:
            self._pending.setdefault(attempt.id, attempt)
            raise

    async def _find_outcome(self, attempt: Attempt) -> Outcome:
        """Return whether a line of moves brings another card home, by the cheapest of three means.

        These are the line that is kept, a search of one position, and a full search by the
        searcher. Its answer is of use to a later state, too: moves may have followed the line.
        """
        board = attempt.board
        no_moves: tuple[Move, ...] = ()
        if self._line_leads_home(attempt):
            return Outcome.REACHABLE
        outcome, line = Outcome.UNKNOWN, no_moves
        if has_few_moves(board, MOVES_AT_ONCE):
            found = search(board, positions=1)
            outcome, line = found.outcome, found.line
        if outcome is Outcome.UNKNOWN:
            answer = await self._background.stop.or_wait(self._searcher.ask(board))
            if answer is None:
                return outcome
            outcome = answer.outcome
            line = tuple(parse_move(board.ruleset, move) for move in answer.line)
        if line:
            self._keep_line(attempt, line)
        return outcome

    def _follows_line(self, attempt: Attempt, entry: str) -> bool:
        """Return whether an attempt is where its line still leads home, after an entry (JSON).

        It compares one move with another, in 2 µs.
        """
        kept = self._lines.get(attempt.id)
        if kept is None:
            return False
        line, played, moves = kept
        if attempt.board.moves == moves:
            return True
        if not entry or attempt.board.moves != moves + 1 or played + 1 == len(line):
            return False
        event, due = decode(entry), move_text(attempt.board.ruleset, line[played])
        if not isinstance(event, Moved) or event.move != due:
            return False
        self._lines[attempt.id] = _Line(line, played + 1, moves + 1)
        return True

    def _line_leads_home(self, attempt: Attempt) -> bool:
        """Return whether the line that is kept leads home although it was departed from.

        What is left of it may do so after moves that do not concern it, or less of it, if it was
        found while moves were played that follow it. If not, it is dropped.
        """
        line, played, moves = self._lines.get(attempt.id, _Line((), 0, 0))
        for rest in (line[played:], line[played + attempt.board.moves - moves :]):
            if leads_home(attempt.board, rest):
                self._keep_line(attempt, rest)
                return True
        self._drop_line(attempt.id)
        return False

    def _keep_line(self, attempt: Attempt, line: tuple[Move, ...]) -> None:
        """Keep the line that leads home from an attempt as it is, instead of any other."""
        self._drop_line(attempt.id)
        self._lines[attempt.id] = _Line(line, 0, attempt.board.moves)
        self._line_bytes += _size(line)
        while self._line_bytes > MAX_LINE_BYTES:
            self._drop_line(next(iter(self._lines)))

    def _drop_line(self, attempt: AttemptId) -> None:
        kept = self._lines.pop(attempt, None)
        if kept is not None:
            self._line_bytes -= _size(kept.line)

    async def _end(self, attempt: Attempt) -> None:
        """End an attempt that is stuck, and notify its player."""
        ended = await self._attempts.end_stuck(attempt.id, attempt.seq)
        if ended is not None:
            self._mirrors.notify_ended(ended)


def _size(line: tuple[Move, ...]) -> int:
    """Return about how many bytes a kept line takes."""
    return LINE_BYTES + 8 * len(line)


def _is_small(board: Board) -> bool:
    """Return whether a search may see the end of a board that never had an unseen card.

    Such a game would be searched from its first move on, in vain as long as there is much to do.
    """
    tableau = board.ruleset.rules.tableau
    shows_all = board.ruleset.in_stock == 0 and tableau is not None and tableau.face_up == "all"
    return not shows_all or has_few_moves(board, FEW_MOVES)


def _begins_pass(board: Board) -> bool:
    """Return whether a waste that is turned over without end has just been."""
    ruleset = board.ruleset
    if ruleset.redeals < ENDLESS or ruleset.waste is None:
        return False
    return board.redeals > 0 and not board.piles[ruleset.waste]


def _may_have_seen_all(board: Board) -> bool:
    """Return cheaply whether all cards of a board may have been seen.

    They have not, as long as the last card of a stock that was never redealt lies face down.
    """
    stock = board.piles[board.ruleset.stock]
    return not stock or board.redeals > 0 or not stock[0] & DOWN
