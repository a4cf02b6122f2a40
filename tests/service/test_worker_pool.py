"""Worker pools: bounded concurrency, first in first out, with a bounded queue."""

from __future__ import annotations

import asyncio

import pytest

from server.service import worker_pool as module
from server.service.worker_pool import WorkerPool


class Worker:
    """Work that a test lets end, piece by piece.

    Attributes:
        begun: the pieces that have begun, in their order.
        gate: released once for each piece that may end.
    """

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.gate = asyncio.Semaphore(0)

    async def do(self, work: int) -> None:
        """Begin a piece of work, and wait at the gate."""
        self.begun.append(work)
        await self.gate.acquire()


async def turns() -> None:
    """Give all tasks a few turns of the event loop."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_a_bounded_number_run_at_once_and_the_others_in_order() -> None:
    worker = Worker()
    pool = WorkerPool(worker.do, 3)
    assert all(pool.put(number) for number in range(5))
    await turns()
    assert worker.begun == [0, 1, 2]
    worker.gate.release()
    await turns()
    assert worker.begun == [0, 1, 2, 3]
    for _ in range(4):
        worker.gate.release()
    await turns()
    assert worker.begun == [0, 1, 2, 3, 4]
    # A pool that was idle starts again.
    pool.put(5)
    await turns()
    assert worker.begun[-1] == 5
    worker.gate.release()
    await pool.close()


async def test_a_full_queue_refuses_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_WAITING", 2)
    worker = Worker()
    pool = WorkerPool(worker.do, 1)
    assert [pool.put(number) for number in range(3)] == [True, True, False]
    worker.gate.release()
    await turns()
    assert worker.begun == [0, 1]
    assert pool.put(3)
    for _ in range(2):
        worker.gate.release()
    await pool.close()


async def test_closing_finishes_running_work_and_drops_the_rest() -> None:
    worker = Worker()
    pool = WorkerPool(worker.do, 1, pause=60.0)
    pool.put(0)
    pool.put(1)
    await turns()
    closing = asyncio.create_task(pool.close())
    await turns()
    assert not closing.done()
    worker.gate.release()
    await closing
    assert worker.begun == [0]
    assert not pool.put(2)
