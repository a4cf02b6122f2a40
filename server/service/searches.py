"""Searches: ending the attempts in which no line of moves brings another card home.

Searches run in the background, after the move has been answered. If a node dies, only its pending
searches are lost: such an attempt goes on, and its next move or opening enqueues a new search.
"""

from __future__ import annotations

import asyncio

import structlog

from engine.board import Board
from engine.cards import DOWN
from engine.notation import parse_move
from engine.ruleset import Move
from engine.solver import Hope, leads_home, search, unseen_cards
from server.core.attempt import Attempt
from server.core.ids import AttemptId
from server.core.refusal import Refusal, UnavailableError
from server.service.attempts import Attempts
from server.service.searcher import Search, SearcherError
from server.service.sessions import Sessions
from server.stop import Stop

MOST_WAITING = 1_000
"""Attempts that may be queued for a search; others are searched after a later move or opening."""

MOST_WAYS = 5_000
"""Cached ways home, one for each attempt; the oldest is evicted first."""

LONGEST_WAY = 8
"""Moves of the longest way that is cached, since a cached way is tried after each move."""

log = structlog.get_logger()


class Searches:
    """Searches the attempts of this node, each as it is after its latest entry.

    A *way* is a line of moves that brings another card home.
    """

    def __init__(self, attempts: Attempts, sessions: Sessions, searcher: Search) -> None:
        self._attempts = attempts
        self._sessions = sessions
        self._pending: dict[AttemptId, Attempt] = {}
        self._added = asyncio.Event()
        self._ways: dict[AttemptId, tuple[int, tuple[Move, ...]]] = {}
        self._searcher = searcher
        attempts.advanced.subscribe(self._enqueue)
        attempts.opened.subscribe(self._enqueue)

    def _enqueue(self, attempt: Attempt) -> None:
        """Enqueue an attempt that has changed, if all its cards have been seen.

        If it is queued already, its latest state replaces the earlier one; if it is over, it is
        removed from the queue.
        """
        if attempt.end is not None:
            self._pending.pop(attempt.id, None)
            self._ways.pop(attempt.id, None)
        elif _may_have_seen_all(attempt.board) and not unseen_cards(attempt.board):
            if len(self._pending) >= MOST_WAITING and attempt.id not in self._pending:
                log.warning("searches_full", attempt=attempt.id)
                return
            self._pending[attempt.id] = attempt
            self._added.set()

    async def run(self, stop: Stop) -> None:
        """Search enqueued attempts until stopped."""
        try:
            while not stop.is_set:
                await stop.or_wait(self._added.wait())
                while self._pending and not stop.is_set:
                    attempt = self._pending.pop(next(iter(self._pending)))
                    await self._search_and_log(attempt, stop)
                    await asyncio.sleep(0)
                self._added.clear()
        finally:
            await self._searcher.close()

    async def _search_and_log(self, attempt: Attempt, stop: Stop) -> None:
        """Search an attempt, and end it if it is hopeless; log a failure."""
        try:
            if await self._find_hope(attempt, stop) is Hope.HOPELESS:
                await self._end(attempt)
        except (Refusal, UnavailableError, SearcherError) as error:
            log.warning("search_failed", attempt=attempt.id, error=str(error))
        except Exception:
            log.exception("search_broken", attempt=attempt.id)

    async def _find_hope(self, attempt: Attempt, stop: Stop) -> Hope:
        """Return whether a way exists, by the cheapest of three means.

        These are a search of one position, the cached way, and a full search by the searcher.
        """
        board = attempt.board
        first = search(board, positions=1)
        if first.hope is not Hope.UNKNOWN:
            return first.hope
        if self._cached_way_leads_home(attempt):
            return Hope.HOPEFUL
        answer = await stop.or_wait(self._searcher.ask(board))
        if answer is None:
            return Hope.UNKNOWN
        if answer.hope is Hope.HOPEFUL and len(answer.way) <= LONGEST_WAY:
            if len(self._ways) >= MOST_WAYS:
                del self._ways[next(iter(self._ways))]
            way = tuple(parse_move(board.ruleset, move) for move in answer.way)
            self._ways[attempt.id] = attempt.seq, way
        return answer.hope

    def _cached_way_leads_home(self, attempt: Attempt) -> bool:
        """Return whether the cached way still leads home, all of it or what the moves have left.

        If not, it is removed from the cache.
        """
        seq, way = self._ways.get(attempt.id, (0, ()))
        rest = way[attempt.seq - seq :]
        if leads_home(attempt.board, way) or leads_home(attempt.board, rest):
            return True
        self._ways.pop(attempt.id, None)
        return False

    async def _end(self, attempt: Attempt) -> None:
        """End a hopeless attempt, and notify its player."""
        ended = await self._attempts.end_stuck(attempt.id, attempt.seq)
        if ended is not None:
            self._sessions.notify_ended(ended)


def _may_have_seen_all(board: Board) -> bool:
    """Return cheaply whether all cards of a board may have been seen.

    They have not, as long as the last card of a stock that was never redealt lies face down.
    """
    stock = board.piles[board.ruleset.stock]
    return not stock or board.redeals > 0 or not stock[0] & DOWN
