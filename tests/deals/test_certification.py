"""Certification: deals that get a certificate, and filling of pools."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest
from msgspec.structs import replace as replaced

from engine.catalog import games, ruleset
from engine.deal import commitment
from engine.solver import Solution, Verdict, budget_of
from server.base.core.days import DailyId
from server.base.work import line_process
from server.base.work.stop import Stop
from server.deals.certification import FULL_BUDGET_EVERY, SMALL, Certification, Progress, certified
from server.deals.solver_main import effort_of, solved
from server.deals.solver_process import Solved, SolverError, SolverProcess, Task
from server.deals.store import Deal, new_deal
from tests.conftest import ALONE
from tests.deals.certified import pooled
from tests.deals.core.test_certificate import WON
from tests.nodes import Node
from tests.processes import PATIENCE, ROOT

GAME = "robert"

LOST = (31).to_bytes(32, "big")
"""The seed of an unwinnable deal of piles."""


def task_of(deal: Deal) -> Task:
    return Task(deal.game, ruleset(deal.game).digest, deal.seed, 1)


def nothing(_: Progress) -> None:
    """Ignore the progress."""


class Here:
    """Solves deals in this process, and records the tasks; every other outcome is unknown."""

    def __init__(self) -> None:
        self.tasks: list[Task] = []

    async def solve(self, task: Task) -> Solved:
        """Solve a deal, or return an unknown outcome."""
        await asyncio.sleep(0)
        self.tasks.append(task)
        found = solved(task)
        return found if len(self.tasks) % 2 else replaced(found, outcome="unknown")


def won_deal() -> tuple[Deal, Solved]:
    won = json.loads(WON.read_text(encoding="utf-8"))
    deal, seed = new_deal("lady-betty", "standard"), bytes.fromhex(won["seed"])
    deal = replace(deal, seed=seed, commitment=commitment(deal.id, seed))
    return deal, Solved("won", " ".join(won["moves"]), 52, 7)


def test_a_winnable_deal_is_certified_with_its_line() -> None:
    deal, answer = won_deal()
    found = certified(deal, answer)
    assert found is not None
    assert (found.id, found.seed, found.rules) == (deal.id, deal.seed, deal.rules)
    assert (found.winnable, found.par, found.effort) == (True, len(answer.line.split()), 7)
    assert found.line == answer.line


def test_the_most_cards_are_certified_in_games_that_are_not_won() -> None:
    deal = new_deal(GAME, "standard")
    answer = solved(task_of(deal))
    assert answer.outcome == "most"
    found = certified(deal, answer)
    assert found is not None
    assert (found.winnable, found.par) == (False, answer.home)


def test_a_lost_deal_of_another_game_is_not_certified() -> None:
    won, answer = won_deal()
    assert solved(task_of(won)).outcome == "won"
    lost = replace(won, seed=LOST)
    found = solved(task_of(lost))
    assert (found.outcome, certified(lost, found)) == ("unknown", None)
    for outcome in ("unknown", "unfit"):
        assert certified(won, replaced(answer, outcome=outcome)) is None


def test_for_the_same_beam_a_longer_search_means_a_harder_deal() -> None:
    def effort(width: int, steps: int) -> int:
        return effort_of(Solution(Verdict.WINNABLE, (), 104, most=True, effort=width, steps=steps))

    ordered = [effort(10, 5), effort(10, 6), effort(10, 10**12), effort(11, 0), effort(1 << 17, 9)]
    assert ordered == sorted(set(ordered))
    assert ordered[-1] < 2**53
    assert all(budget_of(ruleset(game)) < effort(1, 0) for game in games())


def test_a_solver_is_not_believed_without_a_proof() -> None:
    deal, answer = won_deal()
    shorter = " ".join(answer.line.split()[:-1])
    with pytest.raises(SolverError):
        certified(deal, replaced(answer, line=shorter))
    exact = new_deal(GAME, "standard")
    most = solved(task_of(exact))
    with pytest.raises(SolverError):
        certified(exact, replaced(most, home=most.home + 1))


@ALONE
async def test_a_pool_is_filled_up_to_its_target(node: Node) -> None:
    certification, solvers = Certification(node.services.pool_store), [Here(), Here()]
    told: list[tuple[int, int]] = []
    done = await certification.fill(
        GAME, 3, solvers, Stop(), lambda each: told.append((each.kept, each.drawn))
    )
    assert (done.pooled, done.kept, done.is_done) == (3, 3, True)
    assert await node.services.pool_store.count(GAME) == 3
    assert told[0] == (0, 0)
    assert done.drawn == sum(len(each.tasks) for each in solvers) == len(told[1:]) > 3
    assert len({task.seed for each in solvers for task in each.tasks}) == done.drawn
    again = await certification.fill(GAME, 3, solvers, Stop(), nothing)
    assert (again.kept, again.drawn) == (0, 0)


@ALONE
async def test_deals_added_to_the_pool_by_another_run_count(node: Node, other: Node) -> None:
    pools = node.services.pool_store

    class Beside(Here):
        async def solve(self, task: Task) -> Solved:
            await other.services.pool_store.put(pooled(GAME))
            return solved(task)

    # Nodes of this release cannot use this deal, so it does not count.
    await pools.put(replace(pooled(GAME), rules="f" * 16))
    done = await Certification(pools).fill(GAME, 6, [Beside()], Stop(), nothing)
    assert (done.pooled, done.kept, done.drawn) == (6, 3, 3)
    assert await pools.count(GAME) == 6


@ALONE
async def test_deals_taken_meanwhile_are_not_replaced(node: Node) -> None:
    pools, days = node.services.pool_store, itertools.count(20_778)

    class Beside(Here):
        async def solve(self, task: Task) -> Solved:
            await node.services.deal_store.draw_certified(DailyId(GAME, next(days)))
            return solved(task)

    done = await Certification(pools).fill(GAME, 3, [Beside()], Stop(), nothing)
    assert (done.pooled, done.kept) == (3, 3)
    assert await pools.count(GAME) == 1


@ALONE
async def test_few_deals_get_the_whole_budget(node: Node) -> None:
    shares: list[int] = []
    stop = Stop()

    class Unable:
        async def solve(self, task: Task) -> Solved:
            shares.append(task.share)
            if len(shares) == 2 * FULL_BUDGET_EVERY:
                stop.set()
            return Solved("unknown", "", 1, 0)

    done = await Certification(node.services.pool_store).fill(GAME, 5, [Unable()], stop, nothing)
    assert (done.kept, done.is_done) == (0, False)
    assert shares == [*[SMALL] * (FULL_BUDGET_EVERY - 1), 1] * 2


@ALONE
async def test_a_game_without_a_solver_method_is_given_up(node: Node) -> None:
    class Unfit:
        async def solve(self, task: Task) -> Solved:
            return Solved("unfit", task.game[:0], 0, 0)

    done = await Certification(node.services.pool_store).fill(
        GAME, 5, [Unfit()] * 2, Stop(), nothing
    )
    assert (done.kept, done.fits, done.is_done) == (0, False, True)


@ALONE
async def test_a_solver_that_fails_stops_the_others(node: Node) -> None:
    class Broken:
        async def solve(self, task: Task) -> Solved:
            raise SolverError(task.game)

    class Slow:
        async def solve(self, task: Task) -> Solved:
            return await asyncio.Future()

    with pytest.raises(SolverError):
        async with asyncio.timeout(PATIENCE):
            await Certification(node.services.pool_store).fill(
                GAME, 5, [Slow(), Broken()], Stop(), nothing
            )


async def test_a_process_solves_like_the_function_and_can_be_ended() -> None:
    process = SolverProcess()
    deal = new_deal(GAME, "standard")
    assert await process.solve(task_of(deal)) == solved(task_of(deal))
    assert process._process is not None
    process._process.kill()
    with pytest.raises(SolverError):
        await process.solve(task_of(deal))
    assert await process.solve(task_of(deal)) == solved(task_of(deal))
    await process.close()
    await process.close()


async def test_a_solver_process_has_idle_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_process, "STEPS_BACK", True)
    process = SolverProcess()
    await process.solve(task_of(new_deal(GAME, "standard")))
    assert process._process is not None
    pid = process._process.pid
    assert os.getpriority(os.PRIO_PROCESS, pid) == 19
    if hasattr(os, "SCHED_IDLE"):
        assert os.sched_getscheduler(pid) == os.SCHED_IDLE
    await process.close()


async def test_an_awaited_process_has_its_nodes_priority() -> None:
    process = SolverProcess(awaited=True)
    await process.solve(task_of(new_deal(GAME, "standard")))
    assert process._process is not None
    pid = process._process.pid
    assert os.getpriority(os.PRIO_PROCESS, pid) == os.getpriority(os.PRIO_PROCESS, 0)
    if hasattr(os, "SCHED_IDLE"):
        assert os.sched_getscheduler(pid) == os.sched_getscheduler(0)
    await process.close()


def test_a_node_does_not_load_the_solver() -> None:
    """The solver is slow to load, and takes more memory than the node itself."""
    code = "import sys, server.cli.main; sys.exit('engine.solver' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)  # noqa: S603 - a text of ours


def test_the_repr_of_a_task_and_its_answer_reveals_nothing() -> None:
    deal = new_deal(GAME, "standard")
    task = task_of(deal)
    answer = solved(task)
    for text in (repr(task), str([task])):
        assert repr(deal.seed)[2:-1] not in text
    assert answer.line not in repr(answer)
