"""Turns: a few per pass of the event loop, rotating between addresses."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from functools import partial

import pytest

from server.base.net.turns import LEAST, MAX_DEBT, PASS, Turns
from tests.processes import PATIENCE


class _Ended(asyncio.Transport):
    """A connection that can be aborted."""

    aborted = False

    def abort(self) -> None:
        self.aborted = True

    def is_closing(self) -> bool:
        return self.aborted


class Passes:
    """Counts the passes of the event loop, and does other work in each."""

    def __init__(self) -> None:
        self.count = 0
        self.work: Callable[[], object] = int
        self.next = asyncio.get_running_loop().call_soon(self._pass)

    def _pass(self) -> None:
        self.count += 1
        self.work()
        self.next = asyncio.get_running_loop().call_soon(self._pass)


class _Clock:
    """A clock that only the test moves."""

    time = 0.0

    def __call__(self) -> float:
        return self.time

    def go_on(self, seconds: float) -> float:
        self.time += seconds
        return self.time


@pytest.fixture
async def passes() -> AsyncIterator[Passes]:
    found = Passes()
    yield found
    found.next.cancel()


async def test_addresses_take_turns_and_players_wait_for_few(passes: Passes) -> None:
    clock, transport = _Clock(), _Ended()
    turns = Turns(clock)
    taken: list[tuple[int, str]] = []

    def take(name: str) -> None:
        clock.go_on(PASS / 2)
        taken.append((passes.count, name))

    for name in ("a1", "a2", "a3", "b1", "b2", "c1"):
        turns.add(name[0], transport, partial(take, name))
    assert taken == []
    while len(taken) < 6:
        await asyncio.sleep(0)
    assert [name for _, name in taken] == ["a1", "b1", "c1", "a2", "b2", "a3"]
    # Two turns take the share of a pass.
    assert list(Counter(count for count, _ in taken).values()) == [2, 2, 2]
    # A new address is next if no other waits, whether or not it had turns before.
    turns.add("c", transport, partial(take, "c2"))
    await asyncio.sleep(0)
    assert taken[-1][1] == "c2"


@pytest.mark.parametrize(
    ("others", "later", "turns_in_a_pass"),
    [
        # Turns of a fifth of a pass each have the time left by other work,
        (0.0, 0.0, 5),
        (0.6 * PASS, 0.0, 2),
        # not counting the time of the commands that they start,
        (0.0, 0.6 * PASS, 1 / 0.8),
        # and at least a fixed share, however long other work takes.
        (PASS, 0.0, LEAST / 0.2),
        (6 * PASS, 0.0, 6 * LEAST / 0.2),
    ],
)
async def test_turns_use_the_time_left_by_other_work(
    passes: Passes, others: float, later: float, turns_in_a_pass: float
) -> None:
    clock, transport = _Clock(), _Ended()
    turns = Turns(clock)
    taken: list[int] = []

    def take() -> None:
        clock.go_on(0.2 * PASS)
        taken.append(passes.count)

    passes.work = partial(clock.go_on, others)
    for _ in range(100):
        turns.add("a", transport, take, later)
    while len(taken) < 100:
        await asyncio.sleep(0)
    assert max(Counter(taken).values()) <= turns_in_a_pass + 1
    assert 100 / (taken[-1] - taken[0] + 1) == pytest.approx(turns_in_a_pass, rel=0.1)


async def test_a_pause_of_the_machine_is_not_compensated(passes: Passes) -> None:
    clock, transport = _Clock(), _Ended()
    turns = Turns(clock)
    taken: list[float] = []

    def take(seconds: float) -> None:
        taken.append(clock.go_on(seconds))

    passes.work = partial(clock.go_on, 0.9 * PASS)
    for seconds in (3.0, 0.2 * PASS):
        turns.add("a", transport, partial(take, seconds))
    while len(taken) < 2:
        await asyncio.sleep(0)
    assert taken[1] - taken[0] < 1.1 * MAX_DEBT / LEAST


async def test_the_event_loop_may_sleep_when_all_turns_are_taken() -> None:
    turns, taken = Turns(), asyncio.Event()
    turns.add("a", _Ended(), taken.set)
    async with asyncio.timeout(PATIENCE):
        await taken.wait()
        while turns._is_scheduled:
            await asyncio.sleep(0)


async def test_a_failing_turn_is_reported_and_the_others_proceed(loop_faults: list[str]) -> None:
    turns = Turns()
    broken, transport = _Ended(), _Ended()
    taken = asyncio.Event()

    def fail() -> None:
        raise RuntimeError("broken on purpose")

    turns.add("a", broken, fail)
    turns.add("b", transport, taken.set)
    async with asyncio.timeout(PATIENCE):
        await taken.wait()
    assert loop_faults == ["broken on purpose"]
    assert broken.is_closing()
