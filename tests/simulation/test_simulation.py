"""Races of known seeds, the exact replay of a seed, and the detection of broken servers."""

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
"""Seeds below this are run by `make test`."""

TELLING = sorted({*broken.BROKEN.values()} - {*range(RACES)})
"""Others, whose races tell a server that is broken in some way from a right one."""

HOSTILE = sorted({seed for _, seed in broken.BROKEN_AMONG_STRANGERS.values()})
"""Those whose races tell a server that lets players do what they may not, if some try."""

QUICK_RACES = 5
"""Races of quick matches."""

REPLAYED = 3
"""Seeds that are run again."""

COLLECTED = 0.01
"""How often garbage is collected in a turn of the loop."""

MAX_RACES = 600
"""Races within which a broken server has to be detected."""

SOON = 40
"""Races after which its first seed is too old."""


@pytest.fixture(autouse=True)
def quick() -> Iterator[None]:
    """Run all races under the simulation's conditions."""
    with conditions():
        yield


@pytest.mark.parametrize(
    "seeds",
    [range(RACES), pytest.param(TELLING, marks=pytest.mark.deep)],
    ids=["first", "telling"],
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
def test_players_who_keep_no_rule_change_nothing_for_others() -> None:
    counts: Counter[str] = Counter()
    with patched(race, "HOSTILE", 1.0):
        for seed in HOSTILE:
            outcome = run(seed, counts)
            assert outcome.complaints == [], f"seed {seed}, with HOSTILE = 1.0"
    assert counts["guesses"] > 10 * len(HOSTILE)
    assert counts["empty rooms"] > len(HOSTILE)
    assert counts["hints by rules made up"] > 0
    assert counts["ratings computed"] > 0, "some races were rated"
    assert counts["boards watched"] > len(HOSTILE)


@pytest.mark.deep
def test_the_pace_bot_stops_when_no_person_plays_any_more() -> None:
    counts: Counter[str] = Counter()
    with patched(race, "QUICK", 1.0), patched(race, "DAILIES", 0.0):
        for seed in range(2000, 2000 + QUICK_RACES):
            outcome = run(seed, counts)
            assert outcome.complaints == [], f"seed {seed}, with QUICK = 1.0"
    assert counts["pace bots stopped"] > 0


def test_timers_of_one_time_run_in_the_order_in_which_they_were_set() -> None:
    loop = VirtualLoop()
    ran: list[int] = []
    for number in range(300):
        earlier = loop.call_at(0.5, ran.append, -1)
        loop.call_at(1.0, ran.append, number)
        # asyncio lays out its heap anew when half of it is cancelled.
        earlier.cancel()
    loop.call_at(2.0, loop.stop)
    loop.run_forever()
    loop.close()
    assert ran == [*range(300)]


@cache
def traces() -> list[Trace]:
    """Return what happened in the races of the seeds that are replayed."""
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
    # Not compared as a whole: the first difference says what depends on the process.
    for there, here in zip(printed, steps, strict=True):
        assert there == here


@pytest.mark.deep
def test_a_seed_replays_exactly_whenever_garbage_is_collected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = traces()
    assert len({trace.digest() for trace in before}) == REPLAYED
    # What was there before the races is not searched for garbage time and again.
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
def test_what_others_may_not_do_is_detected(way: Callable[[], Any]) -> None:
    kind: Kind
    kind, first = broken.BROKEN_AMONG_STRANGERS[way]

    def detects(seed: int) -> bool:
        return any(complaint.kind == kind for complaint in run(seed, Counter()).complaints)

    with way():
        assert_detected(detects, first, soon=SOON, tried=MAX_RACES)
