"""Signals: all subscribers are called, and a failure of one is heard."""

from __future__ import annotations

import asyncio

from server.base.work.signal import Signal


async def test_a_subscriber_that_fails_keeps_nobody_from_their_work() -> None:
    faults: list[str] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda _, context: faults.append(str(context["exception"]))
    )
    called: list[int] = []

    def broken(number: int) -> None:
        raise RuntimeError(f"broken on purpose by {number}")

    signal = Signal[int]()
    for subscriber in (broken, called.append, broken, called.append):
        signal.subscribe(subscriber)
    signal.emit(7)
    assert called == [7, 7]
    assert faults == ["broken on purpose by 7"] * 2
