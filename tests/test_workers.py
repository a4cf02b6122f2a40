"""Several workers on one port, run like an operator does."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from server.app import alive_nodes
from server.base.redis.embedded import embedded_redis
from tests.base.redis.servers import until
from tests.base.web.test_pages import get
from tests.clients.client import opened
from tests.processes import PATIENCE, Running, free_port, is_alive, running
from tests.test_cli import serve_command

COUNT = 2


class Workers:
    """A running supervisor, and the log of it and its workers."""

    def __init__(self, server: Running) -> None:
        self.server = server

    def logged(self, event: str) -> list[dict[str, Any]]:
        """Return an event's lines logged so far."""
        lines = [json.loads(line) for line in self.server.lines if line.startswith("{")]
        return [line for line in lines if line["event"] == event]

    async def until(self, test: Callable[[], bool]) -> None:
        """Wait until a test of the log holds; fail if the supervisor exits."""
        async with asyncio.timeout(PATIENCE):
            while not test():
                assert self.server.process.poll() is None, "".join(self.server.lines)
                await asyncio.sleep(0.02)

    async def ready(self) -> int:
        """Wait until all workers serve, and return the port."""
        await self.until(lambda: bool(self.logged("workers_ready")))
        return int(self.logged("listening")[0]["port"])

    @property
    def pids(self) -> dict[int, int]:
        """The process of each worker, by number."""
        return {line["worker"]: line["pid"] for line in self.logged("worker_started")}


@pytest.fixture
def workers(data: Path) -> Iterator[Workers]:
    # One test sends requests as fast as it can, all from one address.
    several = ["--workers", str(COUNT), "--address-players", "10000"]
    with running(serve_command(data, *several)) as server:
        yield Workers(server)


async def health(port: int) -> tuple[int, str]:
    response, text = await get(port, "/health")
    return response.status, text


async def test_workers_share_one_port_and_one_redis(workers: Workers, data: Path) -> None:
    port = await workers.ready()
    assert {line["worker"] for line in workers.logged("listening")} == set(range(COUNT))

    async def all_registered() -> bool:
        nodes = await alive_nodes(f"unix://{data}/redis.sock")
        return sum(f":{port}/" in node for node in nodes) == COUNT

    await until(all_registered)
    attempts: set[str] = set()
    served: set[int] = set()
    async with asyncio.timeout(PATIENCE):
        token = None
        while len(served) < COUNT:
            async with opened(port) as client:
                token = (await client.hello(token))["token"]
                attempts.add((await client.ask("daily.open", game="robert"))["attempt"])
            served = {line["worker"] for line in workers.logged("session_opened")}
    assert len(attempts) == 1


async def test_a_killed_worker_is_replaced(workers: Workers) -> None:
    port = await workers.ready()
    killed = workers.pids[1]
    os.kill(killed, signal.SIGKILL)
    await workers.until(lambda: len(workers.logged("listening")) == COUNT + 1)
    assert [line["worker"] for line in workers.logged("worker_died")] == [1]
    assert workers.pids[1] != killed
    assert len(workers.logged("worker_started")) == COUNT + 1
    for _ in range(3 * COUNT):
        assert await health(port) == (200, "ok\n")


async def test_workers_are_replaced_while_connections_are_accepted(workers: Workers) -> None:
    port = await workers.ready()
    before = set(workers.pids.values())
    workers.server.process.send_signal(signal.SIGHUP)
    asked = 0
    async with asyncio.timeout(2 * PATIENCE):
        while not workers.logged("workers_replaced"):
            assert await health(port) == (200, "ok\n")
            asked += 1
    assert asked > 10
    after = set(workers.pids.values())
    assert len(after) == COUNT
    assert not before & after
    assert not any(map(is_alive, before))
    assert all(map(is_alive, after))
    assert not workers.logged("worker_died")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_all_workers_exit_on_sigterm_and_sigint(
    workers: Workers, number: signal.Signals
) -> None:
    port = await workers.ready()
    async with opened(port) as client:
        await client.hello()
        workers.server.process.send_signal(number)
        assert (await client.next("bye"))["code"] == "going_away"
        assert await client.closed() == 1001
    assert await asyncio.to_thread(workers.server.process.wait, PATIENCE) == 0
    assert not any(map(is_alive, workers.pids.values()))
    with pytest.raises(ConnectionRefusedError):
        await get(port, "/health")


async def test_no_worker_outlives_a_killed_supervisor(workers: Workers, data: Path) -> None:
    await workers.ready()
    pids = workers.pids.values()
    workers.server.process.kill()
    await until(lambda: not any(map(is_alive, pids)))
    # Its Redis exits as well, and the next one on the same data waits for that.
    async with embedded_redis(data):
        pass


def test_the_command_fails_if_workers_cannot_start() -> None:
    command = [sys.executable, "-m", "server", "serve", "--port", "0", "--workers", "2"]
    with running([*command, "--redis", "unix:///nowhere/redis.sock"]) as server:
        server.wait_for("Redis does not answer")
        server.wait_for("A worker did not start")
        assert server.process.wait(PATIENCE) == 1


async def test_each_worker_serves_its_own_metrics(data: Path) -> None:
    first = free_port(2)
    several = ["--workers", "2", "--metrics-host", "127.0.0.1", "--metrics-port", str(first)]
    with running(serve_command(data, *several)) as server:
        await Workers(server).ready()
        for port in (first, first + 1):
            response, text = await get(port, "/metrics")
            assert response.status == 200
            assert "samedeal_loop_lag_seconds_count" in text
