"""Certified deals for sites, put into the pools as `samedeal certify` does."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from server.app import services_alone
from server.base.work.stop import Stop
from server.deals.certification import Certification
from server.deals.solver_main import solved
from server.deals.solver_process import Solved, Task
from server.settings import Settings
from tests.conftest import SECRET_KEY_FILE


class _Here:
    """Solves in this process.

    The command's solver processes run at idle priority, which takes minutes longer next to other
    tests.
    """

    async def solve(self, task: Task) -> Solved:
        """Solve a deal."""
        return solved(task)


def certify(data: Path, game: str, count: int = 1) -> None:
    """Add certified deals of a game to the pool in a stopped server's data."""
    settings = Settings(data=data, secret_key_file=SECRET_KEY_FILE)

    async def fill() -> None:
        async with services_alone(settings) as services:
            pools = Certification(services.pool_store)
            await pools.fill(game, count, [_Here()], Stop(), lambda _: None)

    # Playwright has an event loop in this thread.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, fill()).result()
