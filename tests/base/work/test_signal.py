"""Signals: all subscribers are called, and a subscriber's failure is raised."""

from __future__ import annotations

import asyncio

import pytest

from server.base.work.signal import AsyncSignal, Signal


async def test_a_failing_subscriber_does_not_stop_the_others(loop_faults: list[str]) -> None:
    called: list[int] = []

    def broken(number: int) -> None:
        raise RuntimeError(f"broken on purpose by {number}")

    signal = Signal[int]()
    for subscriber in (broken, called.append, broken, called.append):
        signal.subscribe(subscriber)
    signal.emit(7)
    assert called == [7, 7]
    assert loop_faults == ["broken on purpose by 7"] * 2


async def test_awaited_subscribers_run_in_order_until_the_first_failure() -> None:
    done: list[str] = []

    def step(name: str, *, fails: bool = False) -> None:
        async def take(number: int) -> None:
            await asyncio.sleep(0)
            done.append(f"{name} {number}")
            if fails:
                raise RuntimeError("broken on purpose")

        signal.subscribe(take)

    signal = AsyncSignal[int]()
    step("first")
    step("second", fails=True)
    step("third")
    with pytest.raises(RuntimeError):
        await signal.emit(7)
    assert done == ["first 7", "second 7"]
