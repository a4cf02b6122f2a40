"""Worker pools: distinct items, some concurrently, immediately or at a set time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from functools import partial

import pytest
from structlog.contextvars import bound_contextvars, get_contextvars
from structlog.testing import capture_logs

from server.base.core.refusal import BaseRefusals, UnavailableError, UnreadableError
from server.base.work import worker_pool as module
from server.base.work.background import Background
from server.base.work.worker_pool import WorkerPool
from tests.base.redis.servers import until, until_equal
from tests.processes import PATIENCE


class Work:
    """Work whose items a test completes one by one.

    Attributes:
        begun: the started items, in order.
        gates: the futures that complete items in progress.
        errors: errors that an item raises, in order.
    """

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.gates: dict[int, asyncio.Event] = {}
        self.errors: dict[int, list[Exception]] = {}
        self.has_ended = False

    async def do(self, item: int) -> None:
        """Start an item, and wait until the test completes it."""
        self.begun.append(item)
        assert item not in self.gates, "an item is never worked on twice at the same time"
        gate = self.gates[item] = asyncio.Event()
        if not self.has_ended:
            await gate.wait()
        del self.gates[item]
        if errors := self.errors.get(item):
            raise errors.pop(0)

    async def end(self, *items: int) -> None:
        """Complete items in progress, and let the next ones start."""
        for item in items:
            self.gates[item].set()
        await turns()


async def turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.fixture
async def background() -> AsyncIterator[Background]:
    background = Background()
    background.start()
    yield background
    await background.close()


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Iterator[Work]:
    """Return work controlled by the test; its items end with a failed test."""
    # On a busy machine, an item could count as slow, and another one start beside it.
    monkeypatch.setattr(module, "SLOW", PATIENCE)
    work = Work()
    yield work
    work.has_ended = True
    for gate in work.gates.values():
        gate.set()


async def test_a_slow_item_does_not_block_others(background: Background, work: Work) -> None:
    pool = WorkerPool(background, "work", work.do, size=3)
    for item in range(6):
        assert pool.add(item)
    await turns()
    assert work.begun == [0, 1, 2]
    for item in (1, 2, 3, 4):
        await work.end(item)
    assert work.begun == [0, 1, 2, 3, 4, 5]
    await work.end(0, 5)
    assert len(pool) == 0
    # An idle pool starts again.
    pool.add(7)
    await turns()
    await work.end(7)
    assert work.begun[-1] == 7


async def test_an_item_is_queued_once_and_processed_once_at_a_time(
    background: Background, work: Work
) -> None:
    pool = WorkerPool(background, "work", work.do, size=2)
    pool.add(0)
    await turns()
    for _ in range(3):
        pool.add(0)
        pool.add(1)
    await turns()
    assert work.begun == [0, 1]
    assert 0 in pool
    await work.end(0)
    assert work.begun == [0, 1, 0]
    pool.add(1)
    await work.end(0, 1)
    assert work.begun == [0, 1, 0, 1]
    await work.end(1)
    assert 1 not in pool


async def test_items_are_processed_at_the_time_set_last(background: Background, work: Work) -> None:
    pool = WorkerPool(background, "work", work.do, size=2)
    for item in (0, 1, 2):
        pool.schedule(item, 60.0)
    pool.schedule(0, 0.0)
    pool.schedule(1, None)
    assert [pool.is_scheduled(item) for item in range(4)] == [True, False, True, False]
    await until(lambda: work.begun)
    assert not pool.is_scheduled(0)
    await work.end(0)
    await background.close()
    assert work.begun == [0]


async def test_an_item_is_retried_if_the_store_did_not_answer(
    background: Background, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RETRY_AFTER", 0.001)
    pool = WorkerPool(background, "work", work.do, size=1)
    work.errors[0] = [UnavailableError("away"), UnavailableError("away")]
    pool.add(0)
    for count in (1, 2, 3):
        await until_equal(partial(len, work.begun), count)
        # A retry comes before a later set time.
        if count == 1:
            pool.schedule(0, 60.0)
        await work.end(0)
    assert work.begun == [0, 0, 0]
    assert not pool.is_scheduled(0)


async def test_an_unreadable_item_is_logged_once_and_does_not_block_others(
    background: Background, work: Work
) -> None:
    pool = WorkerPool(background, "work", work.do, size=1)
    work.errors[0] = [
        UnreadableError(BaseRefusals.unknown_format),
        UnreadableError(BaseRefusals.unknown_format),
    ]
    with capture_logs() as logs:
        for _ in range(2):
            pool.add(0)
            pool.add(1)
            await turns()
            await work.end(0)
            await work.end(1)
    assert work.begun == [0, 1, 0, 1]
    assert [(line["event"], line["item"]) for line in logs] == [("work_unreadable", "0")]
    assert background.failure is None


async def test_an_unexpected_error_ends_the_node(background: Background, work: Work) -> None:
    pool = WorkerPool(background, "work", work.do, size=1)
    work.errors[0] = [ZeroDivisionError()]
    pool.add(0)
    await turns()
    with capture_logs() as logs:
        await work.end(0)
    assert background.failure is not None
    assert [(line["event"], line["item"]) for line in logs] == [("work_failed", "0")]
    # The item would never be retried, so that the node could not even stop.
    assert 0 not in pool


async def test_a_full_pool_refuses_further_items_and_logs_it_once(
    background: Background, work: Work
) -> None:
    pool = WorkerPool(background, "work", work.do, size=1, most=2)
    with capture_logs() as logs:
        assert [pool.add(item) for item in (0, 1, 1, 2, 3)] == [True, True, True, False, False]
    assert [line["event"] for line in logs] == ["pool_full"]
    await turns()
    assert pool.add(3)
    for item in (0, 1, 3):
        await work.end(item)


@pytest.mark.parametrize("completes", [False, True])
async def test_items_in_progress_are_finished_at_the_end(work: Work, *, completes: bool) -> None:
    background = Background()
    background.start()
    pool = WorkerPool(background, "work", work.do, size=1, completes=completes)
    pool.add(0)
    pool.add(1)
    pool.schedule(2, 60.0)
    await turns()
    closing = asyncio.create_task(background.close())
    await turns()
    assert not closing.done()
    done = [0, 1, 2] if completes else [0]
    for item in done:
        await work.end(item)
    await closing
    assert work.begun == done
    assert pool.add(3) is completes


async def test_items_are_not_processed_before_the_start(work: Work) -> None:
    background = Background()
    pool = WorkerPool(background, "work", work.do, size=1)
    pool.add(0)
    await turns()
    assert work.begun == []
    finishing = asyncio.create_task(pool.finish())
    await turns()
    await work.end(0)
    await finishing
    pool.add(1)
    background.start()
    await turns()
    await work.end(1)
    await background.close()
    assert work.begun == [0, 1]


async def test_the_log_of_work_does_not_name_the_player_who_added_it(
    background: Background,
) -> None:
    found: list[object] = []

    async def look(_: int) -> None:
        found.append(get_contextvars())

    pool = WorkerPool(background, "work", look, size=1)
    with bound_contextvars(player="Ada"):
        pool.add(0)
        pool.schedule(1, 0.0)
    await until_equal(lambda: found, [{}, {}])


@pytest.mark.parametrize("later", range(8))
async def test_an_item_is_processed_whenever_it_is_added(
    background: Background, later: int
) -> None:
    """Also in the event loop's turn when the last worker finds no work."""
    begun: list[str] = []

    async def work(item: str) -> None:
        begun.append(item)

    pool: WorkerPool[str] = WorkerPool(background, "work", work, size=1)
    pool.add("first")
    for _ in range(later):
        await asyncio.sleep(0)
    pool.add("second")
    await turns()
    assert begun == ["first", "second"]


async def test_slow_items_do_not_delay_others(
    background: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as items for a server that does not answer; they may outnumber the workers."""
    monkeypatch.setattr(module, "SLOW", 0.001)
    hanging, healthy, most = asyncio.Event(), asyncio.Event(), 0
    running: set[int] = set()

    async def work(item: int) -> None:
        nonlocal most
        running.add(item)
        most = max(most, len(running))
        if item < 20:
            await hanging.wait()
        elif item == 20:
            healthy.set()
        else:
            await asyncio.sleep(0)
        running.remove(item)

    pool: WorkerPool[int] = WorkerPool(background, "work", work, size=2)
    for item in range(21):
        pool.add(item)
    await healthy.wait()
    assert len(running) == 20
    hanging.set()
    await pool.finish()
    monkeypatch.setattr(module, "SLOW", 60.0)
    most = 0
    for item in range(30, 50):
        pool.add(item)
    await pool.finish()
    assert (most, len(pool)) == (2, 0)


async def test_a_pool_for_one_item_waits_for_it(
    background: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SLOW", 0.0)
    work = Work()
    pool = WorkerPool(background, "work", work.do, size=1)
    for item in (1, 2):
        pool.add(item)
    for item in (1, 2):
        await turns()
        assert work.begun[-1] == item
        await work.end(item)
