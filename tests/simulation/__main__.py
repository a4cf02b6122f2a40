"""Run the simulation: `make simulate`. See `python -m tests.simulation --help` for all options."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import time
from collections import Counter

from tests.simulation.race import Outcome, conditions, run

LAST_STEPS = 40
"""Number of steps of a failing race to print without `--trace`."""

MAX_FAILURES = 5
"""Stop after this many failing races."""

HASH_SEED = "PYTHONHASHSEED"
"""The variable that fixes the order of sets, which a race depends on."""


def main() -> int:
    if HASH_SEED not in os.environ:
        os.environ[HASH_SEED] = str(secrets.randbelow(1 << 32))
        os.execv(sys.executable, [sys.executable, "-m", "tests.simulation", *sys.argv[1:]])  # noqa: S606
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--races", type=int, default=5000, help="how many")
    parser.add_argument(
        "--seed", type=int, help="seed of the first race; later races count up from it"
    )
    parser.add_argument("--trace", action="store_true", help="print all steps of every race")
    given = parser.parse_args()
    first = secrets.randbelow(1 << 31) if given.seed is None else given.seed
    _print(f"seeds from {first}, {given.races} races")
    counts: Counter[str] = Counter()
    failures = 0
    begun = time.monotonic()
    with conditions():
        for seed in range(first, first + given.races):
            outcome = run(seed, counts)
            if given.trace:
                _print("\n".join(outcome.trace.lines()))
            if outcome.complaints:
                failures += 1
                _report_failure(outcome, whole=given.trace)
            if failures >= MAX_FAILURES:
                break
    seconds = time.monotonic() - begun
    for line in _table(counts, seconds):
        _print(line)
    if not failures:
        _print("\nNothing was lost, doubled or invented, and every player finished.")
    return 1 if failures else 0


def _report_failure(outcome: Outcome, *, whole: bool) -> None:
    if not whole:
        _print("\n".join(outcome.trace.lines(LAST_STEPS)))
    _print(f"\nseed {outcome.seed} fails:")
    for complaint in outcome.complaints:
        _print(f"  {complaint}")
    replay = f"{HASH_SEED}={os.environ[HASH_SEED]} python -m tests.simulation"
    _print(f"replay: {replay} --seed {outcome.seed} --races 1 --trace\n")


def _table(counts: Counter[str], seconds: float) -> list[str]:
    faults = sum(number for name, number in counts.items() if name.startswith("fault: "))
    rows = [("seconds", f"{seconds:.1f}"), ("faults", str(faults))]
    rows.append(("seeds a minute", f"{counts['seeds'] / seconds * 60:.0f}"))
    rows += [(name, str(counts[name])) for name in sorted(counts)]
    return [f"{name:<44}{value:>9}" for name, value in rows]


def _print(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a command's output


if __name__ == "__main__":
    sys.exit(main())
