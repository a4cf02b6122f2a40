"""Races of known seeds, exact replays of a seed, and the detection of broken servers."""

from __future__ import annotations

import gc
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import pytest

from tests.faults.complaint import Kind
from tests.processes import ROOT
from tests.simulation import broken, race
from tests.simulation.detection import assert_detected
from tests.simulation.loop import VirtualLoop
from tests.simulation.race import conditions, patched, run
from tests.simulation.trace import Trace

RACES = 4
"""`make test` runs the seeds below this."""

TELLING = sorted({*broken.BROKEN.values()} - {*range(RACES)})
"""Other seeds: their races tell broken servers from correct ones."""

HOSTILE = sorted({seed for _, seed in broken.BROKEN_AMONG_STRANGERS.values()})
"""Seeds whose races with hostile players tell broken servers from correct ones."""

QUICK_RACES = 5
"""Number of quick-match races."""

REPLAYED = 3
"""Number of seeds replayed."""

COLLECTED = 0.01
"""Probability of a garbage collection in a turn of the loop."""

MAX_RACES = 600
"""A broken server has to be detected within this many races."""

SOON = 40
"""The first seed is outdated if it takes more races than this."""


@pytest.fixture(autouse=True)
def quick() -> Iterator[None]:
    with conditions():
        yield


@pytest.mark.parametrize(
    "seeds", [range(RACES), pytest.param(TELLING, marks=pytest.mark.deep)], ids=["first", "telling"]
)
def test_nothing_is_lost_doubled_or_invented(seeds: Sequence[int]) -> None:
    counts: Counter[str] = Counter()
    for seed in seeds:
        outcome = run(seed, counts)
        assert outcome.complaints == [], f"python -m tests.simulation --seed {seed} --races 1"
    assert counts["entries checked"] > 5 * len(seeds)
    faults = sum(number for name, number in counts.items() if name.startswith("fault: "))
    assert faults > len(seeds)
    assert counts["commands weighed"] > len(seeds)


@pytest.mark.deep
def test_hostile_players_cannot_affect_others() -> None:
    counts: Counter[str] = Counter()
    with patched(race, "HOSTILE", 1.0):
        for seed in HOSTILE:
            outcome = run(seed, counts)
            assert outcome.complaints == [], f"seed {seed}, with HOSTILE = 1.0"
    assert counts["guesses"] > 10 * len(HOSTILE)
    assert counts["empty rooms"] > len(HOSTILE)
    assert counts["hints under custom rules"] > 0
    assert counts["ratings computed"] > 0, "some races were rated"
    assert counts["boards watched"] > len(HOSTILE)


@pytest.mark.deep
def test_the_pace_bot_stops_when_the_last_person_stops() -> None:
    counts: Counter[str] = Counter()
    with patched(race, "QUICK", 1.0), patched(race, "DAILIES", 0.0):
        for seed in range(2000, 2000 + QUICK_RACES):
            outcome = run(seed, counts)
            assert outcome.complaints == [], f"seed {seed}, with QUICK = 1.0"
    assert counts["pace bots stopped"] > 0


def test_simultaneous_timers_run_in_the_order_they_were_set() -> None:
    loop = VirtualLoop()
    ran: list[int] = []
    for number in range(300):
        earlier = loop.call_at(0.5, ran.append, -1)
        loop.call_at(1.0, ran.append, number)
        # asyncio rebuilds its heap when half of it is cancelled.
        earlier.cancel()
    loop.call_at(2.0, loop.stop)
    loop.run_forever()
    loop.close()
    assert ran == [*range(300)]


@cache
def traces() -> list[Trace]:
    return [run(seed, Counter()).trace for seed in range(REPLAYED)]


@pytest.mark.deep
def test_another_process_replays_a_seed_exactly() -> None:
    script = (
        "from collections import Counter\n"
        "from tests.simulation.race import conditions, run\n"
        "with conditions():\n"
        f"    for seed in range({REPLAYED}):\n"
        "        print(*map(ascii, run(seed, Counter()).trace.steps), sep='\\n')\n"
    )
    printed = subprocess.run(  # noqa: S603 - our own Python
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": "1"},
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    steps = [ascii(step) for trace in traces() for step in trace.steps]
    # Compared step by step: the first difference shows what depends on the process.
    for there, here in zip(printed, steps, strict=True):
        assert there == here


@pytest.mark.deep
def test_a_seed_replays_exactly_whenever_garbage_is_collected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = traces()
    assert len({trace.digest() for trace in before}) == REPLAYED
    # Objects from before the races are not scanned again and again.
    gc.freeze()
    rng, turn = random.Random(1), VirtualLoop.select

    def select(loop: VirtualLoop, timeout: float | None) -> tuple[()]:
        if rng.random() < COLLECTED:
            gc.collect(rng.randrange(3))
        return turn(loop, timeout)

    monkeypatch.setattr(VirtualLoop, "select", select)
    for seed, trace in enumerate(before):
        again = run(seed, Counter()).trace
        for there, here in zip(trace.steps, again.steps, strict=True):
            assert there == here
        assert again.digest() == trace.digest()


@pytest.mark.deep
@pytest.mark.parametrize("way", broken.BROKEN, ids=lambda way: str(way.__name__))
def test_a_broken_server_is_detected(way: Callable[[], Any]) -> None:
    def detects(seed: int) -> bool:
        return bool(run(seed, Counter()).complaints)

    with way():
        assert_detected(detects, broken.BROKEN[way], soon=SOON, tried=MAX_RACES)


@pytest.mark.deep
@pytest.mark.parametrize("way", broken.BROKEN_AMONG_STRANGERS, ids=lambda way: str(way.__name__))
def test_broken_servers_among_hostile_players_are_detected(way: Callable[[], Any]) -> None:
    kind: Kind
    kind, first = broken.BROKEN_AMONG_STRANGERS[way]

    def detects(seed: int) -> bool:
        return any(complaint.kind == kind for complaint in run(seed, Counter()).complaints)

    with way():
        assert_detected(detects, first, soon=SOON, tried=MAX_RACES)
