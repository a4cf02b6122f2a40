"""Tasks: concurrent writes end when all of them have ended."""

from __future__ import annotations

import asyncio

import pytest

from server.base.work.tasks import finish_all


async def test_a_failure_is_raised_after_all_other_writes_are_done() -> None:
    go_on = asyncio.Event()
    failed: list[str] = []
    written: list[str] = []

    async def fails(name: str) -> None:
        failed.append(name)
        raise ValueError(name)

    async def is_slow() -> None:
        await go_on.wait()
        written.append("slow")

    both = asyncio.create_task(finish_all([fails("first"), is_slow(), fails("second")]))
    while len(failed) < 2:
        await asyncio.sleep(0)
    await asyncio.wait([both], timeout=0.01)
    assert not both.done()
    go_on.set()
    with pytest.raises(ValueError, match="first"):
        await both
    assert written == ["slow"]
