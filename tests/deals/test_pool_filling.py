"""A node that certifies deals itself: the order of games, idle times, and failures."""

from __future__ import annotations

import json
import math
import sys
import urllib.request
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from engine.catalog import daily_games
from server.base.work.background import Background
from server.base.work.metrics import Metrics
from server.deals.certification import HURRIED
from server.deals.pool_filling import FIRST_DAYS, FIRST_RACES, PoolFilling
from server.deals.solver_main import solved
from server.deals.solver_process import Solved, SolverError, Task
from tests.conftest import ALONE
from tests.dates import ahead_at_noon, moved
from tests.nodes import Node
from tests.processes import running

DAILIES = daily_games()
EASY = {"klondike", "spider", "freecell", "lady-betty", "robert"}
SMALL = {"lady-betty", "robert"}
"""Those that need no compiled solver."""
RACED = ["klondike", "freecell", "lady-betty", "spider"]
"""Those that can be won."""
WANTED = [game for game in DAILIES if game in SMALL or game not in EASY]

pytestmark = ALONE


class Here:
    """Solves the deals of small games in this process, and has no method for the others."""

    def __init__(self, awaited: bool = False) -> None:
        assert not awaited, "a node waits only for the first days' deals"
        self.asked: list[str] = []
        self.found: list[str] = []
        self.closed = 0

    async def solve(self, task: Task) -> Solved:
        """Solve a deal."""
        self.asked.append(task.game)
        found = solved(task) if task.game in SMALL else Solved("unfit", "", 0, 0)
        if found.outcome in {"won", "most"}:
            self.found.append(task.game)
        return found

    async def close(self) -> None:
        """Count the call."""
        self.closed += 1


class Broken(Here):
    """Solves nothing."""

    async def solve(self, task: Task) -> Solved:
        """Fail."""
        raise SolverError("None.")


async def test_the_first_days_deals_of_easy_games_are_certified_immediately(node: Node) -> None:
    background = Background()
    # Without a timeout, since the machine may be slow.
    filling = PoolFilling(
        node.services.pool_store, background, Metrics(), DAILIES, first_timeout=math.inf
    )
    await filling.fill_first()
    found = await node.services.pool_store.sizes(DAILIES)
    assert found == dict.fromkeys(DAILIES, 0) | dict.fromkeys(EASY, FIRST_DAYS)


async def test_a_starting_node_gives_hard_deals_up_soon(node: Node) -> None:
    shares: list[int] = []

    class Unable(Here):
        async def solve(self, task: Task) -> Solved:
            """Find nothing at first."""
            shares.append(task.share)
            return Solved("unknown", "", 0, 0) if len(shares) % 10 else await super().solve(task)

    filling = PoolFilling(
        *(node.services.pool_store, Background(), Metrics(), ["robert"]),
        solver=lambda awaited: Unable(not awaited),
        first_timeout=math.inf,
    )
    await filling.fill_first()
    assert shares == [HURRIED] * 20


async def test_pools_are_filled_in_turn_and_then_left_alone(node: Node) -> None:
    solver = Here()
    filling = PoolFilling(
        node.services.pool_store, Background(), Metrics(), WANTED, solver=lambda _: solver, full=3
    )
    await filling.fill()
    sizes = await node.services.pool_store.sizes(WANTED)
    assert {game for game, size in sizes.items() if size == 3} == SMALL
    asked = [game for game in solver.asked if game in SMALL]
    assert solver.found == ["lady-betty"] * 3 + ["robert"] * 3, "those of races come first"
    large = next(place for place, game in enumerate(solver.asked) if game not in SMALL)
    assert set(solver.asked[:large]) == SMALL, "and before a large one has any"
    before = len(asked)
    await filling.fill()
    assert len([game for game in solver.asked if game in SMALL]) == before
    assert solver.closed == 2, "no process remains without work"


async def test_pools_of_games_for_races_are_filled_in_turn_before_others(node: Node) -> None:
    class Noting(Here):
        async def solve(self, task: Task) -> Solved:
            """Give the game up."""
            self.asked.append(task.game)
            return Solved("unfit", "", 0, 0)

    solver = Noting()
    await PoolFilling(
        node.services.pool_store, Background(), Metrics(), DAILIES, solver=lambda _: solver
    ).fill()
    assert solver.asked[: 4 * FIRST_RACES] == RACED * FIRST_RACES
    assert set(solver.asked[4 * FIRST_RACES :]) == set(DAILIES)


async def test_only_the_pools_of_dailies_are_filled(node: Node) -> None:
    solver = Here()
    wanted = ["robert"]
    filling = PoolFilling(
        node.services.pool_store, Background(), Metrics(), wanted, solver=lambda _: solver, full=2
    )
    await filling.fill()
    assert set(solver.asked) == set(wanted)


async def test_a_node_can_stop_while_filling_pools(node: Node) -> None:
    background = Background()
    background.stop.set()
    solver = Here()
    await PoolFilling(
        node.services.pool_store, background, Metrics(), DAILIES, solver=lambda _: solver
    ).fill()
    assert (solver.asked, solver.closed) == ([], 1)


async def test_a_failing_solver_is_reported_and_does_not_stop_the_node(node: Node) -> None:
    metrics = Metrics()
    with capture_logs() as logs:
        await PoolFilling(
            node.services.pool_store, Background(), metrics, DAILIES, solver=Broken
        ).fill()
    assert metrics.certification_failures == 1
    assert [(each["event"], each["log_level"]) for each in logs] == [
        ("certification_failed", "warning")
    ]


@pytest.mark.deep
def test_a_new_servers_first_dailies_are_certified_without_a_warning(data: Path) -> None:
    options = ["--port", "0", "--log-format", "json", "--data", str(data), "--certify"]
    noon = moved(ahead_at_noon())
    with running([sys.executable, *noon, "serve", *options]) as server:
        port = json.loads(server.wait_for('"listening"'))["port"]
        with urllib.request.urlopen(f"http://localhost:{port}/api/dailies") as answer:
            days = json.load(answer)["days"]
        assert server.end() == 0
    today = {deal["game"]: deal["certificate"] for deal in days[0]["deals"]}
    assert set(today) == set(DAILIES)
    assert {game for game, certificate in today.items() if certificate is not None} >= EASY
    assert all(deal["certificate"] for day in days[1:] for deal in day["deals"])
    assert {json.loads(line)["level"] for line in server.lines if line.startswith("{")} == {"info"}
