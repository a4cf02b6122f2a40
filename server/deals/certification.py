"""Certification: drawing and solving deals, which finds their par, until the pools are full.

These deals are drawn like all others. Most are given a small part of the solver's budget, and some
the whole budget, so that a pool has deals of all levels without long solving times.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from engine.catalog import daily_ruleset, daily_variant
from engine.deal import deal_seed
from server.base.core import days
from server.base.work.stop import Stop
from server.deals.core.certificate import proves
from server.deals.pool_store import PooledDeal, PoolStore
from server.deals.solver_process import Solved, Solver, SolverError, Task
from server.deals.store import Deal, new_deal

# The default size of a full pool: nodes take the first two weeks' deals immediately, which leaves
# four weeks'.
FULL = 3 * days.DRAWN_AHEAD

SMALL = 16  # the divisor of the solver's budget for most deals
FULL_BUDGET_EVERY = 8  # one of this many deals gets the whole budget
HURRIED = 64  # the divisor for all deals while a node waits for its first ones


@dataclass(slots=True)
class Progress:
    """The progress of filling a game's pool."""

    game: str
    wanted: int  # the target size of the pool
    pooled: int  # the number of usable deals in the pool, as far as is known here
    drawn: int = 0  # the number of deals drawn
    kept: int = 0  # the number of these that were put into the pool
    others: int = 0  # the number of deals in the pool that nodes of this release cannot use
    fits: bool = True  # whether the solver has a method for the game, as far as is known here
    since: float = field(default_factory=time.monotonic)  # the start, by the monotonic clock

    @property
    def seconds(self) -> float:
        """The elapsed time in seconds."""
        return time.monotonic() - self.since

    @property
    def is_done(self) -> bool:
        """Whether the pool has reached its target size, or cannot be filled."""
        return self.pooled >= self.wanted or not self.fits


OnProgress = Callable[[Progress], None]  # Called whenever a deal was solved or given up.


class Certification:
    """Fills pools."""

    def __init__(self, pools: PoolStore) -> None:
        self._pools = pools

    async def fill(
        self,
        game: str,
        wanted: int,
        solvers: Sequence[Solver],
        stop: Stop,
        on_progress: OnProgress,
        *,
        hurried: bool = False,
    ) -> Progress:
        """Fill a game's pool up to a size, or until `stop` is set; return the progress.

        Solvers work concurrently, each on one deal. Deals added by another run count; deals taken
        meanwhile are not replaced. `stop` ends the work immediately, and is set if a solver or the
        store fails. `hurried` gives hard deals up sooner.

        Raises:
            SolverError: a solver fails, or its answer is wrong.
        """
        progress = Progress(game, wanted, await self._pools.count(game))
        progress.others = max(0, await self._size(game) - progress.pooled)
        if not progress.is_done:
            # Report early: the first deal may take minutes, since a solver is compiled first.
            on_progress(progress)

        async def work(solver: Solver) -> None:
            try:
                await self._work(solver, progress, stop, on_progress, hurried=hurried)
            except BaseException:
                # Stop the other solvers too.
                stop.set()
                raise

        done = await asyncio.gather(*map(work, solvers), return_exceptions=True)
        for error in done:
            if error is not None:
                raise error
        return progress

    async def _work(
        self,
        solver: Solver,
        progress: Progress,
        stop: Stop,
        on_progress: OnProgress,
        *,
        hurried: bool,
    ) -> None:
        """Draw and solve deals with one solver until the pool is full, or until stopped."""
        rules = daily_ruleset(progress.game)
        while not (progress.is_done or stop.is_set):
            deal = new_deal(progress.game, daily_variant(progress.game))
            progress.drawn += 1
            share = SMALL if progress.drawn % FULL_BUDGET_EVERY else 1
            if hurried:
                share = HURRIED
            task = Task(deal.game, rules.digest, deal.seed, share)
            solved = await stop.or_wait(solver.solve(task))
            if solved is None:
                return
            progress.fits = progress.fits and solved.outcome != "unfit"
            pooled = certified(deal, solved)
            if pooled is not None and not progress.is_done:
                progress.pooled += 1
                progress.kept += 1
                # As soon as it is solved, so that an interruption loses nothing.
                await self._pools.put(pooled)
                size = await self._size(progress.game) - progress.others
                # Another run may fill the pool concurrently.
                progress.pooled = max(progress.pooled, size)
            on_progress(progress)

    async def _size(self, game: str) -> int:
        """Return the number of all deals in a game's pool, usable or not."""
        return (await self._pools.sizes([game]))[game]


def certified(deal: Deal, solved: Solved) -> PooledDeal | None:
    """Return a solved deal of a game's dailies with its certificate, or `None` without one.

    Raises:
        SolverError: the line does not prove the solver's claim.
    """
    if solved.outcome not in {"won", "most"}:
        return None
    rules, winnable = daily_ruleset(deal.game), solved.outcome == "won"
    par = len(solved.line.split()) if winnable else solved.home
    if not proves(deal_seed(rules, deal.seed), solved.line, par, winnable=winnable):
        raise SolverError(
            f"The solver's line does not prove its claim about a deal of {deal.game}."
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
