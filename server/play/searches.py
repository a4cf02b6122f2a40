"""Searches: ending the attempts in which no line of moves brings another card home.

Searches run in the background, after the move has been answered. If a node dies, only its pending
searches are lost: such an attempt goes on, and its next move or opening enqueues a new search.
"""

from __future__ import annotations

import structlog

from engine.board import Board
from engine.cards import DOWN
from engine.notation import parse_move
from engine.ruleset import Move
from engine.search import Outcome, cards_never_seen, ends_on_foundation, search
from server.base.core.ids import AttemptId
from server.base.core.refusal import UnavailableError
from server.base.work.background import Background
from server.base.work.line_process import LineProcessError
from server.base.work.worker_pool import WorkerPool
from server.play.attempts import Attempts
from server.play.core import pace_bot
from server.play.core.attempt import Attempt
from server.play.mirrors import Mirrors
from server.play.searcher import Search

MAX_WAITING = 1_000
"""Attempts that may be queued for a search; others are searched after a later move or opening."""

MAX_LINES = 5_000
"""Cached lines, one for each attempt; the oldest is evicted first."""

MAX_LINE_MOVES = 8
"""Moves of the longest line that is cached, since a cached line is tried after each move."""

log = structlog.get_logger()


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
        self._lines: dict[AttemptId, tuple[int, tuple[Move, ...]]] = {}
        self._searcher = searcher
        self._background = background
        # One at a time: the searcher is one process.
        self._searches: WorkerPool[AttemptId] = WorkerPool(
            background, "searches", self._search, size=1
        )
        attempts.advanced.subscribe(self._enqueue)
        attempts.opened.subscribe(self._enqueue)

    def _enqueue(self, attempt: Attempt) -> None:
        """Enqueue an attempt that has changed, if all its cards have been seen.

        One whose moves can be undone has no dead end.

        If it is queued already, its latest state replaces the earlier one; if it is over, it is
        removed from the queue.
        """
        if pace_bot.is_its(attempt):
            return  # It gives up by itself.
        if attempt.end is not None:
            self._pending.pop(attempt.id, None)
            self._lines.pop(attempt.id, None)
        elif attempt.undoable:
            self._pending.pop(attempt.id, None)
        elif _may_have_seen_all(attempt.board) and not cards_never_seen(attempt.board):
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

        These are a search of one position, the cached line, and a full search by the searcher.
        """
        board = attempt.board
        first = search(board, positions=1)
        if first.outcome is not Outcome.UNKNOWN:
            return first.outcome
        if self._cached_line_ends_home(attempt):
            return Outcome.REACHABLE
        answer = await self._background.stop.or_wait(self._searcher.ask(board))
        if answer is None:
            return Outcome.UNKNOWN
        if answer.outcome is Outcome.REACHABLE and len(answer.line) <= MAX_LINE_MOVES:
            if len(self._lines) >= MAX_LINES:
                del self._lines[next(iter(self._lines))]
            line = tuple(parse_move(board.ruleset, move) for move in answer.line)
            self._lines[attempt.id] = attempt.seq, line
        return answer.outcome

    def _cached_line_ends_home(self, attempt: Attempt) -> bool:
        """Return whether the cached line still leads home, all of it or what the moves have left.

        If not, it is removed from the cache.
        """
        seq, line = self._lines.get(attempt.id, (0, ()))
        rest = line[attempt.seq - seq :]
        if ends_on_foundation(attempt.board, line) or ends_on_foundation(attempt.board, rest):
            return True
        self._lines.pop(attempt.id, None)
        return False

    async def _end(self, attempt: Attempt) -> None:
        """End an attempt that is stuck, and notify its player."""
        ended = await self._attempts.end_stuck(attempt.id, attempt.seq)
        if ended is not None:
            self._mirrors.notify_ended(ended)


def _may_have_seen_all(board: Board) -> bool:
    """Return cheaply whether all cards of a board may have been seen.

    They have not, as long as the last card of a stock that was never redealt lies face down.
    """
    stock = board.piles[board.ruleset.stock]
    return not stock or board.redeals > 0 or not stock[0] & DOWN
