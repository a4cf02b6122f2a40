"""A supervisor and hanging workers, with processes that do nothing else."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from server.base.net.bound_sockets import NodePorts
from server.cli import workers
from server.cli.workers import READY, Supervisor, heartbeats
from tests.base.redis.servers import until

PORTS = [NodePorts(players=())]
Logs = list[Mapping[str, Any]]


def work(index: int, ports: NodePorts, supervisor: Connection) -> None:
    async def serve() -> None:
        stop = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
        with heartbeats(supervisor):
            supervisor.send(READY)
            await stop.wait()

    asyncio.run(serve())


def work_once(mark: Path, index: int, ports: NodePorts, supervisor: Connection) -> None:
    """Work if no file of this name exists yet; otherwise hang before the first heartbeat."""
    if mark.exists():
        time.sleep(1_000)
    mark.touch()
    work(index, ports, supervisor)


def wait_for_store(index: int, ports: NodePorts, supervisor: Connection) -> None:
    """Send heartbeats, but never become ready."""

    async def wait() -> None:
        with heartbeats(supervisor):
            await asyncio.sleep(1_000)

    asyncio.run(wait())


@asynccontextmanager
async def supervised(run: workers.Run) -> AsyncIterator[Logs]:
    stop = asyncio.Event()
    with capture_logs() as logs:
        task = asyncio.create_task(Supervisor(run, PORTS, stop).run(lambda: None))
        try:
            yield logs  # type: ignore[misc]
        finally:
            stop.set()
            await asyncio.gather(task, return_exceptions=True)


async def logged(logs: Logs, event: str, count: int = 1) -> Mapping[str, Any]:
    """Wait until an event was logged `count` times, and return the last line."""
    await until(lambda: [line["event"] for line in logs].count(event) >= count)
    return [line for line in logs if line["event"] == event][-1]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check the workers often. They send a heartbeat each second, as always."""
    monkeypatch.setattr(workers, "MAX_MISSED", 3)


async def test_a_hanging_worker_is_killed_and_replaced() -> None:
    async with supervised(work) as logs:
        await logged(logs, "workers_ready")
        pid = (await logged(logs, "worker_started"))["pid"]
        os.kill(pid, signal.SIGSTOP)
        assert (await logged(logs, "worker_hangs"))["pid"] == pid
        assert (await logged(logs, "worker_died"))["code"] == -signal.SIGKILL
        assert (await logged(logs, "worker_started", 2))["pid"] != pid


async def test_a_worker_hanging_before_its_first_heartbeat_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with supervised(partial(work_once, tmp_path / "mark")) as logs:
        await logged(logs, "workers_ready")
        monkeypatch.setattr(workers, "READY_WITHIN", 2.0)
        os.kill((await logged(logs, "worker_started"))["pid"], signal.SIGKILL)
        hanging = await logged(logs, "worker_started", 2)
        assert (await logged(logs, "worker_hangs"))["pid"] == hanging["pid"]


async def test_a_waiting_worker_is_not_killed() -> None:
    async with supervised(wait_for_store) as logs:
        pid = (await logged(logs, "worker_started"))["pid"]
        for _ in range(workers.MAX_MISSED + 2):
            await asyncio.sleep(workers.HEARTBEAT_EVERY)
        assert [line["event"] for line in logs] == ["worker_started"]
        assert pid
