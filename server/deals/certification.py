"""Certification: deals are drawn and solved, which finds their par, until the pools are full.

Each deal is drawn as any other is. So that a pool has deals of all levels, and no time is lost on
one deal, most of them are given up after a small part of the solver's budget, and some are not.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from engine.catalog import ruleset
from engine.deal import deal_seed
from engine.schema import STANDARD
from server.base.core import days
from server.base.work.stop import Stop
from server.deals.core.certificate import proves
from server.deals.pool_store import PooledDeal, PoolStore
from server.deals.solver_process import Solved, Solver, SolverError, Task
from server.deals.store import Deal, new_deal

FULL = 3 * days.DRAWN_AHEAD
"""Deals of a pool unless something else is said: nodes take the first two weeks' at once, and then
four weeks' are left."""

SMALL = 16
"""Most deals get the solver's budget divided by this."""

WHOLE_EVERY = 8
"""Of so many deals, one gets the whole budget."""


@dataclass(slots=True)
class Progress:
    """How far it is with a game.

    Attributes:
        wanted: how many deals the pool is to have.
        pooled: how many it has, as far as is known here.
        drawn: how many deals have been drawn.
        kept: how many of these were put into the pool.
        others: how many more the pool holds, which nodes of this release do not take.
        fits: whether the solver has a method for the game, as far as is known here.
        since: when it began, by the monotonic clock.
    """

    game: str
    wanted: int
    pooled: int
    drawn: int = 0
    kept: int = 0
    others: int = 0
    fits: bool = True
    since: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """How long it has taken until now."""
        return time.monotonic() - self.since

    @property
    def is_done(self) -> bool:
        """Whether the pool has as many as are wanted, or cannot be filled."""
        return self.pooled >= self.wanted or not self.fits


Tell = Callable[[Progress], None]
"""Called whenever a deal was solved or given up."""


class Certification:
    """Fills pools."""

    def __init__(self, pools: PoolStore) -> None:
        self._pools = pools

    async def fill(
        self, game: str, wanted: int, solvers: Sequence[Solver], stop: Stop, tell: Tell
    ) -> Progress:
        """Fill a game's pool, until it has enough or this is stopped; return how far it got.

        A deal is put into the pool as soon as it is solved, so that nothing is lost whenever this
        ends. What another run puts there counts; what nodes take meanwhile is not made up for.

        Args:
            game: the game's id.
            wanted: how many deals the pool is to have.
            solvers: those that work at the same time, each at one deal.
            stop: ends it at once; it is set if a solver or the store fails.
            tell: told how far it is.

        Raises:
            SolverError: a solver does not work, or says what is not true.
        """
        progress = Progress(game, wanted, await self._pools.count(game))
        progress.others = max(0, await self._size(game) - progress.pooled)
        if not progress.is_done:
            # The first deal may take minutes: a solver is compiled before.
            tell(progress)

        async def work(solver: Solver) -> None:
            try:
                await self._work(solver, progress, stop, tell)
            except BaseException:
                stop.set()
                raise

        done = await asyncio.gather(*map(work, solvers), return_exceptions=True)
        for error in done:
            if error is not None:
                raise error
        return progress

    async def _work(self, solver: Solver, progress: Progress, stop: Stop, tell: Tell) -> None:
        """Draw and solve deals with one solver until the pool is full, or until stopped."""
        rules = ruleset(progress.game, STANDARD)
        while not (progress.is_done or stop.is_set):
            deal = new_deal(progress.game, STANDARD)
            progress.drawn += 1
            share = SMALL if progress.drawn % WHOLE_EVERY else 1
            task = Task(deal.game, rules.digest, deal.seed, share)
            solved = await stop.or_wait(solver.solve(task))
            if solved is None:
                return
            progress.fits = progress.fits and solved.outcome != "unfit"
            pooled = certified(deal, solved)
            if pooled is not None and not progress.is_done:
                progress.pooled += 1
                progress.kept += 1
                await self._pools.put(pooled)
                size = await self._size(progress.game) - progress.others
                progress.pooled = max(progress.pooled, size)
            tell(progress)

    async def _size(self, game: str) -> int:
        """Return how many deals a game's pool holds, whoever can take them."""
        return (await self._pools.sizes([game]))[game]


def certified(deal: Deal, solved: Solved) -> PooledDeal | None:
    """Return a deal of a standard variant with its certificate, or `None` if it gets none.

    Raises:
        SolverError: the line does not prove what the solver says.
    """
    if solved.outcome not in {"won", "most"}:
        return None
    rules, winnable = ruleset(deal.game, STANDARD), solved.outcome == "won"
    par = len(solved.line.split()) if winnable else solved.home
    if not proves(deal_seed(rules, deal.seed), solved.line, par, winnable=winnable):
        raise SolverError(
            f"The solver's line does not prove what it says of a deal of {deal.game}."
        )
    return PooledDeal(
        id=deal.id,
        game=deal.game,
        seed=deal.seed,
        rules=rules.digest,
        winnable=winnable,
        par=par,
        line=solved.line,
        effort=solved.effort,
    )
