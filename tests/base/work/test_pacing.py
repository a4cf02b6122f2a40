"""Pacing: a few calls per pass of the event loop, in order."""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import partial

from server.base.work.pacing import PER_PASS, PER_SECOND, Pacer


class Time:
    """A clock that stands still."""

    now = 1.0

    def __call__(self) -> float:
        """Return the time in seconds."""
        return self.now


class Calls:
    """Records each call with the number of the pass in which it was made."""

    def __init__(self) -> None:
        self.all: list[tuple[int, int]] = []
        self.number = 0

    def __call__(self, argument: int) -> None:
        """Record a call."""
        self.all.append((self.number, argument))

    async def pass_until(self, count: int) -> None:
        """Count passes until `count` calls have been made."""
        while len(self.all) < count:
            self.number += 1
            await asyncio.sleep(0)

    @property
    def arguments(self) -> list[int]:
        """The arguments, in the order of the calls."""
        return [argument for _, argument in self.all]


async def test_a_pass_has_a_maximum_of_calls_which_keep_their_order() -> None:
    pacer, calls = Pacer(clock=Time()), Calls()
    for number in range(4 * PER_PASS):
        pacer.call(calls, number)
    # The first ones are not delayed.
    assert calls.arguments == list(range(PER_PASS))
    await calls.pass_until(2 * PER_PASS)
    # A new one does not overtake those that wait.
    pacer.call(calls, 4 * PER_PASS)
    await calls.pass_until(4 * PER_PASS + 1)
    assert calls.arguments == list(range(4 * PER_PASS + 1))
    assert max(Counter(number for number, _ in calls.all).values()) == PER_PASS


async def test_a_long_pass_is_followed_by_more_calls() -> None:
    time = Time()
    pacer, calls = Pacer(clock=time), Calls()
    for number in range(1_000):
        pacer.call(calls, number)
    time.now += 0.01
    await asyncio.sleep(0)
    assert len(calls.all) == PER_PASS + 0.01 * PER_SECOND
    await asyncio.sleep(0)
    assert len(calls.all) == 2 * PER_PASS + 0.01 * PER_SECOND


async def test_calls_are_immediate_again_in_the_next_pass() -> None:
    pacer, calls = Pacer(clock=Time()), Calls()
    for number in range(3):
        for argument in range(PER_PASS):
            pacer.call(calls, argument)
        assert len(calls.all) == (number + 1) * PER_PASS
        await asyncio.sleep(0)
        await asyncio.sleep(0)


async def test_a_failing_call_does_not_prevent_the_others(loop_faults: list[str]) -> None:
    pacer, calls = Pacer(clock=Time()), Calls()

    def fail(_: object) -> None:
        raise RuntimeError("broken on purpose")

    for number in range(PER_PASS):
        pacer.call(calls, number)
    pacer.call(fail, None)
    pacer.call(partial(calls), PER_PASS)
    await calls.pass_until(PER_PASS + 1)
    assert loop_faults == ["broken on purpose"]
    assert calls.arguments == list(range(PER_PASS + 1))
