"""A node's background work: one policy for errors holds for all of it."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from server.app import running_node
from server.base.core import days
from server.base.core.refusal import BaseRefusals, UnavailableError, UnreadableError
from server.base.journals import store as journals_store
from server.base.journals.cache import ReplicaCache
from server.base.nodes import store_memory
from server.base.nodes.store_memory import StoreMemory
from server.base.redis.clock import RedisClock
from server.base.redis.probe import Probe
from server.base.work import worker_pool
from server.base.work.background import Background, BackgroundError
from server.base.work.worker_pool import WorkerPool
from server.play.core import keys
from server.settings import Settings
from tests.base.redis.servers import until
from tests.base.web.test_pages import get
from tests.builders import START
from tests.clients.client import opened
from tests.clients.seats import HubNode
from tests.conftest import SECRET_KEY_FILE
from tests.nodes import Node, SetClock
from tests.processes import running
from tests.redis_users import as_node

pytestmark = pytest.mark.usefixtures("short_countdown")

GAME = "robert"

FEWEST = 12
"""The least number of a node's loops and pools; fewer would mean that some are not tested."""

Raising = Callable[[], Awaitable[None]]


@pytest.fixture
def background(node: Node) -> Background:
    """Return a node's background work, not yet started."""
    HubNode(node)
    background = node.background
    for part in (RedisClock(node.database), Probe(node.database), node.registration):
        part.run_in(background)
    background.loops |= node.by_hand
    assert min(len(background.loops), len(background.pools)) >= FEWEST
    return background


def raising(*errors: Exception) -> tuple[Raising, asyncio.Event]:
    """Return a step that raises these in turn, and the event that it sets afterwards."""
    left, done = list(errors), asyncio.Event()

    async def step() -> None:
        if left:
            raise left.pop(0)
        done.set()

    return step, done


def pools_of(background: Background) -> list[WorkerPool[str]]:
    """Return the pools of a node, whose items are texts here."""
    pools = list(background.pools.values())
    assert all(isinstance(pool, WorkerPool) for pool in pools)
    return pools  # type: ignore[return-value]


async def test_all_work_continues_after_an_outage_and_after_unreadable_data(
    background: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_pool, "RETRY_AFTER", 0.001)
    finished = []
    for loop in background.loops.values():
        loop.step, done = raising(
            UnavailableError("away"), UnreadableError(BaseRefusals.unknown_format)
        )
        loop.every, loop.waits, loop.finish = 0.0, False, None
        finished.append(done)
    for pool in pools_of(background):
        step, done = raising(UnavailableError("away"), UnreadableError(BaseRefusals.unknown_format))
        monkeypatch.setattr(pool, "work", lambda _, step=step: step())
        finished.append(done)
    with capture_logs() as logs:
        background.start()
        for pool in pools_of(background):
            pool.add("item")
        while not all(done.is_set() for done in finished):
            await asyncio.sleep(0.002)
            for pool in pools_of(background):
                pool.add("item")
        await background.close()
    told = sorted(str(line["work"]) for line in logs if line["event"] == "work_unreadable")
    assert told == sorted([*background.loops, *background.pools])
    assert background.failure is None


async def test_failing_work_makes_a_node_unready_and_ends_it_with_the_error(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_: StoreMemory) -> None:
        if broken.is_set():
            raise ZeroDivisionError

    broken, ended = asyncio.Event(), asyncio.Event()
    monkeypatch.setattr(store_memory, "CHECK_EVERY", 0.01)
    monkeypatch.setattr(StoreMemory, "check", fail)
    settings = Settings(
        "127.0.0.1", 0, redis=as_node(redis_url), data=tmp_path, secret_key_file=SECRET_KEY_FILE
    )

    async def health(port: int) -> list[int]:
        paths = ("/health/live", "/health/ready", "/health")
        return [(await get(port, path))[0].status for path in paths]

    async def serve() -> None:
        async with running_node(settings, on_failure=ended.set) as port:
            assert await health(port) == [200] * 3
            broken.set()
            await ended.wait()
            assert await health(port) == [503] * 3
            async with opened(port) as client:
                await client.hello()
                # Commands sent meanwhile are executed.
                assert await client.ask("daily.open", game="robert")

    with capture_logs() as logs, pytest.raises(BackgroundError, match="store_memory"):
        await serve()
    (line,) = [line for line in logs if line["log_level"] == "error"]
    assert (line["event"], line["work"]) == ("work_failed", "store_memory")


_BREAKS = """
import sys
from pathlib import Path
from server.base.nodes.store_memory import StoreMemory

async def check(self):
    if Path(sys.argv[1]).exists():
        raise ZeroDivisionError

StoreMemory.check = check
import server.base.nodes.store_memory as module
module.CHECK_EVERY = 0.01
from server.cli.main import main
main(sys.argv[2:])
"""
"""A node with work that fails as soon as a file exists."""


async def test_failing_work_makes_a_process_say_bye_and_exit_with_an_error(tmp_path: Path) -> None:
    fault = tmp_path / "fault"
    options = ["serve", "--port", "0", "--data", str(tmp_path / "data"), "--log-format", "json"]
    with running([sys.executable, "-c", _BREAKS, str(fault), *options]) as node:
        line = await asyncio.to_thread(node.wait_for, '"listening"')
        port = int(json.loads(line)["port"])
        async with opened(port) as client:
            await client.hello()
            fault.touch()
            assert (await client.next("bye"))["code"] == "going_away"
            assert await client.closed() == 1001
        assert await asyncio.to_thread(node.process.wait, 20) == 1
        told = await asyncio.to_thread(node.wait_for, '"work_failed"')
        assert "ZeroDivisionError" in told
        assert "Background work has failed: store_memory." in "".join(node.lines)


async def test_an_unreadable_attempt_does_not_block_the_check_of_sessions(
    hub: HubNode, node: Node, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Notifications of a node are lost twice, and a newer release has written one attempt."""
    monkeypatch.setattr(journals_store, "CLOCK_TOLERANCE_MS", 10**15)
    ada, bob = await hub.seat(), await hub.seat()
    for seat in (ada, bob):
        assert (await seat.ask("daily.open", game=GAME))["type"] == "attempt"
    attempt = ada.session.shown.latest
    assert attempt is not None
    await node.redis.xadd(keys.attempt(attempt), {"e": '{"type":"newer"}'}, id="0-2")
    node.attempts._replicas = ReplicaCache()
    clock.time = days.closes(days.day_at(START))
    with capture_logs() as logs:
        for _ in range(2):
            node.services.sessions.missed.emit()
            await bob.next("ended")
            bob.news.clear()
            await until(lambda: not any(map(len, pools_of(node.background))))
    told = [line["code"] for line in logs if line["event"] == "work_unreadable"]
    assert told == ["unknown_format"]
    assert node.background.failure is None
