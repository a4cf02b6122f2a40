"""Searches: ending the attempts in which no line of moves brings another card home.

A move is answered before anyone searches. What is lost with a node is a search alone: an attempt
that nobody has searched goes on, and its next move or opening asks again.
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
"""Attempts that wait to be searched; those over that are left until they ask again."""

MOST_WAYS = 5_000
"""Ways home that are kept; the oldest is forgotten first."""

LONGEST_WAY = 8
"""Moves of a way that is worth keeping: it is tried again after each move."""

log = structlog.get_logger()


class Searches:
    """Searches the attempts of this node, each as its player left it last."""

    def __init__(self, attempts: Attempts, sessions: Sessions, searcher: Search) -> None:
        self._attempts = attempts
        self._sessions = sessions
        self._waiting: dict[AttemptId, Attempt] = {}
        self._any = asyncio.Event()
        self._ways: dict[AttemptId, tuple[int, tuple[Move, ...]]] = {}
        self._searcher = searcher
        attempts.advanced.subscribe(self._note)
        attempts.opened.subscribe(self._note)

    def _note(self, attempt: Attempt) -> None:
        """Note how an attempt stands now: if it can be searched, it will be."""
        if attempt.end is not None:
            self._waiting.pop(attempt.id, None)
            self._ways.pop(attempt.id, None)
        elif _may_be_seen_through(attempt.board) and not unseen_cards(attempt.board):
            if len(self._waiting) >= MOST_WAITING and attempt.id not in self._waiting:
                log.warning("searches_full", attempt=attempt.id)
                return
            self._waiting[attempt.id] = attempt
            self._any.set()

    async def run(self, stop: Stop) -> None:
        """Search what was noted, until told to stop."""
        try:
            while not stop.is_set:
                await stop.or_wait(self._any.wait())
                while self._waiting and not stop.is_set:
                    attempt = self._waiting.pop(next(iter(self._waiting)))
                    await self._by_itself(attempt, stop)
                    await asyncio.sleep(0)
                self._any.clear()
        finally:
            await self._searcher.close()

    async def _by_itself(self, attempt: Attempt, stop: Stop) -> None:
        """Search one attempt of many: if that is broken, the others are searched all the same."""
        try:
            if await self._find_hope(attempt, stop) is Hope.HOPELESS:
                await self._end(attempt)
        except (Refusal, UnavailableError, SearcherError) as error:
            log.warning("search_lost", attempt=attempt.id, error=str(error))
        except Exception:
            log.exception("search_broken", attempt=attempt.id)

    async def _find_hope(self, attempt: Attempt, stop: Stop) -> Hope:
        """Return whether there is hope for an attempt, by the cheapest means that can say so."""
        board = attempt.board
        glance = search(board, positions=1)
        if glance.hope is not Hope.UNKNOWN:
            return glance.hope
        if self._still_has_a_way(attempt):
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

    def _still_has_a_way(self, attempt: Attempt) -> bool:
        """Return whether the way found last leads home from here: all of it, or what is left."""
        seq, way = self._ways.get(attempt.id, (0, ()))
        rest = way[attempt.seq - seq :]
        if leads_home(attempt.board, way) or leads_home(attempt.board, rest):
            return True
        self._ways.pop(attempt.id, None)
        return False

    async def _end(self, attempt: Attempt) -> None:
        """End an attempt without hope, and tell its player."""
        ended = await self._attempts.end_stuck(attempt.id, attempt.seq)
        if ended is not None:
            self._sessions.notify_ended(ended)


def _may_be_seen_through(board: Board) -> bool:
    """Return at a glance whether all cards of a board may have been seen.

    As long as the last card of a stock that was never turned over lies face down, they have not.
    """
    stock = board.piles[board.ruleset.stock]
    return not stock or board.redeals > 0 or not stock[0] & DOWN
