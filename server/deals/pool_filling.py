"""Certification of deals by a node itself, in a process at idle priority, until its pools are full.

Full pools cost one count every ten minutes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import structlog

from engine.catalog import daily_ruleset
from server.base.work.background import Background
from server.base.work.metrics import Metrics
from server.base.work.stop import Stop
from server.deals.certification import FULL, Certification
from server.deals.pool_store import PoolStore
from server.deals.solver_process import Solver, SolverError, SolverProcess

# Seconds from the end of one pass over the pools to the next. Each day takes one deal per game.
FILL_EVERY = 600.0

# Deals of each easy game that exist before a node draws dailies: for today and tomorrow.
FIRST_DAYS = 2

# Maximum seconds that a node waits for them. On an idle machine they take about ten, including the
# start of the process.
FIRST_TIMEOUT = 30.0

# Deals of each easy game that can be won that exist before the other games' pools are filled.
FIRST_RACES = 4

_SMALL = 52  # maximum cards of a small game

log = structlog.get_logger()


class OwnSolver(Solver, Protocol):
    """A solver with a lifetime that ends with `close`."""

    async def close(self) -> None:
        """End the solver, even if it is busy."""


def _is_easy(game: str) -> bool:
    """Return whether most deals of a game are solved in seconds, without a compiled solver."""
    rules = daily_ruleset(game)
    return rules.total <= _SMALL or len(rules.rules.suits) == 1


def _can_be_won(game: str) -> bool:
    """Return whether deals of a game can be won; without a tableau, no solved one could."""
    return daily_ruleset(game).rules.tableau is not None


class PoolFilling:
    """Fills the pools of the games that are dailies, in the background.

    `solver` starts a solver; its argument is whether the node waits for it. `first_timeout` is in
    seconds.
    """

    def __init__(
        self,
        pools: PoolStore,
        background: Background,
        metrics: Metrics,
        games: Iterable[str],
        *,
        solver: Callable[[bool], OwnSolver] = lambda awaited: SolverProcess(awaited=awaited),
        full: int = FULL,
        first_timeout: float = FIRST_TIMEOUT,
    ) -> None:
        self._certification = Certification(pools)
        self._solver = solver
        self._full = full
        self._first_timeout = first_timeout
        self._stop = background.stop
        self._metrics = metrics
        # The fastest games come first.
        self._games = sorted(games, key=lambda game: daily_ruleset(game).total)
        self._raced = [game for game in self._games if _is_easy(game) and _can_be_won(game)]
        background.forever("pool_filling", self.fill, every=FILL_EVERY)

    async def fill_first(self) -> None:
        """Certify the first days' deals of easy games, if their pools are empty."""
        stop = Stop()
        timer = asyncio.get_running_loop().call_later(self._first_timeout, stop.set)
        # Others take longer; until then, their deals are drawn without a certificate.
        easy = [game for game in self._games if _is_easy(game)]
        steps = [(game, days) for days in range(1, FIRST_DAYS + 1) for game in easy]
        try:
            # At the node's own priority, since it waits for them before it serves players.
            await self._fill(steps, stop, awaited=True)
        finally:
            timer.cancel()

    async def fill(self) -> None:
        """Fill all pools, each a little further in turn, until they are full or the node stops."""
        await self._fill(list(self._steps()), self._stop)

    def _steps(self) -> Iterator[tuple[str, int]]:
        # Races are on winnable deals where the pool has some: a new server needs these first.
        for wanted in range(1, min(FIRST_RACES, self._full) + 1):
            for game in self._raced:
                yield game, wanted
        wanted = 1
        while True:
            for game in self._games:
                yield game, wanted
            if wanted == self._full:
                return
            # Doubling the target lets all pools grow together.
            wanted = min(self._full, 2 * wanted)

    async def _fill(
        self, steps: list[tuple[str, int]], stop: Stop, *, awaited: bool = False
    ) -> None:
        solver = self._solver(awaited)
        try:
            for game, wanted in steps:
                await self._certification.fill(
                    game, wanted, [solver], stop, lambda _: None, hurried=awaited
                )
                if stop.is_set:
                    return
        except SolverError as error:
            # Retried in the next pass; meanwhile the node's dailies are uncertified.
            self._metrics.certification_failures += 1
            log.warning("certification_failed", error=str(error))
        finally:
            await solver.close()
