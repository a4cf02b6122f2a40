"""A node that certifies deals itself, in a process at idle priority, until its pools are full.

It costs nothing while they are: every ten minutes, it counts them. Only the first days' deals have
the node's own priority, since it serves nobody before it has them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import structlog

from engine.catalog import ruleset
from server.base.work.background import Background
from server.base.work.metrics import Metrics
from server.base.work.stop import Stop
from server.deals.certification import FULL, Certification
from server.deals.pool_store import PoolStore
from server.deals.solver_process import Solver, SolverError, SolverProcess

FILL_EVERY = 600.0
"""Seconds from the end of a round through the pools to the next one. A day takes a deal of each."""

FIRST_DAYS = 2
"""Deals of each small game that there are before a node draws dailies: today's and tomorrow's."""

FIRST_TIMEOUT = 30.0
"""Seconds that a node waits for them at most. They take one or two, with the start of the process,
where nothing else wants the processor.
"""

_SMALL = 52
"""Cards of a game whose deals are solved in a tenth of a second."""

log = structlog.get_logger()


class OwnSolver(Solver, Protocol):
    """A solver that is used until it is closed."""

    async def close(self) -> None:
        """End it, whatever it does."""


class PoolFilling:
    """Fills the pools of the games that are dailies, in the background.

    Args:
        pools: those of the store.
        background: the node's background work.
        metrics: of the node; a solver that does not work is counted.
        games: the ids of these games.
        solver: starts a solver, with whether the node waits for it.
        full: how many deals a full pool has.
        first_timeout: seconds that the node waits for the first days' deals at most.
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
        # What is solved soonest comes first.
        self._games = sorted(games, key=lambda game: ruleset(game).total)
        background.forever("pool_filling", self.fill, every=FILL_EVERY)

    async def fill_first(self) -> None:
        """Certify the first days' deals of small games, if their pools are empty.

        The larger ones take longer; until they are there, deals are drawn without a certificate.
        """
        stop = Stop()
        timer = asyncio.get_running_loop().call_later(self._first_timeout, stop.set)
        small = [game for game in self._games if ruleset(game).total <= _SMALL]
        try:
            await self._fill([(game, FIRST_DAYS) for game in small], stop, awaited=True)
        finally:
            timer.cancel()

    async def fill(self) -> None:
        """Fill all pools, each a little further in turn, until they are full or the node ends."""
        await self._fill(list(self._steps()), self._stop)

    def _steps(self) -> Iterator[tuple[str, int]]:
        wanted = 1
        while True:
            for game in self._games:
                yield game, wanted
            if wanted == self._full:
                return
            wanted = min(self._full, 2 * wanted)

    async def _fill(
        self, steps: list[tuple[str, int]], stop: Stop, *, awaited: bool = False
    ) -> None:
        solver = self._solver(awaited)
        try:
            for game, wanted in steps:
                await self._certification.fill(game, wanted, [solver], stop, lambda _: None)
                if stop.is_set:
                    return
        except SolverError as error:
            # The node plays without: its dailies are uncertified. It is tried again.
            self._metrics.certification_failures += 1
            log.warning("certification_failed", error=str(error))
        finally:
            await solver.close()
