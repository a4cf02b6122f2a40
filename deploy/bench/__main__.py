"""Benchmark of the server, compared with a floor: a bare `websockets` echo server.

python -m deploy.bench [--quick | --check | --rows ROW ...]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from deploy.bench import table
from deploy.bench.comparison import (
    FLOOR,
    OURS,
    STACK,
    Comparison,
    closed_loops,
    open_loops,
    print_line,
    stack,
)
from deploy.bench.processes import LOAD_CORE, pin

SOCKETS = (50, 500, 2_000)
PACES = ((1_000, 1.0), (10_000, 2.0))

ROUNDS, SECONDS = 5, 4.0
PACED_SECONDS = 10.0
QUICK_SOCKETS, QUICK_ROUNDS, QUICK_SECONDS = (50, 500), 3, 2.0
CHECK_SOCKETS, CHECK_SECONDS = (50, 500), 1.5
CHECK_SHARE = 0.5
"""The share of the recorded ratio below which `--check` fails.

The record is of another mix of games; a tighter share needs a new one, and a measure of its noise.
"""

CHECK_LEAST, CHECK_WITHIN = 3, 40.0
"""Rounds of `--check` at a number of sockets, and seconds after which no other round begins."""


def measure_some(named: list[str]) -> int:
    """Measure rows and groups of rows; return 1 if one failed or missed a goal, else 0."""
    names = {row for row in table.MEASURED for name in named if f"{row}:".startswith(f"{name}:")}
    found = table.measure_rows(names)
    return 0 if set(found) == names and table.are_met(found) else 1


def last_line(found: Sequence[Comparison]) -> str:
    """Return the ratios to the floor, by number of sockets, as one line."""
    ratios = ", ".join(f"{comparison.sockets} {comparison.ratio():.2f}" for comparison in found)
    return f"ratio to the floor: {ratios}"


def measure_all(rounds: int) -> int:
    """Measure everything, write the results, and return the exit status."""
    closed = closed_loops(SOCKETS, rounds, SECONDS, {STACK: stack})
    paced = open_loops(PACES, (rounds + 1) // 2, PACED_SECONDS)
    found = {
        **table.compared("closed", closed),
        **table.compared("paced", paced),
        **table.measure_rows(table.MEASURED),
    }
    table.write(closed, paced, found)
    for each in table.lines(found):
        print_line(each)
    print_line(last_line(closed))
    return 0


def quick() -> int:
    """Measure the closed loop, in less than two minutes, and return the exit status."""
    found = closed_loops(QUICK_SOCKETS, QUICK_ROUNDS, QUICK_SECONDS, {STACK: stack})
    times = ", ".join(f"{each.sockets} {each.work():.2f}" for each in found)
    print_line(f"ratio of processor time, floor to ours: {times}")
    print_line(last_line(found))
    return 0


def check() -> int:
    """Return 1 if a move takes more of the processor, beside the floor, than recorded; else 0."""
    return max(_check(sockets, table.recorded(sockets)) for sockets in CHECK_SOCKETS)


def _check(sockets: int, recorded: float) -> int:
    """Check one number of sockets, in rounds until the ratio is good enough or time is up."""
    until = time.monotonic() + CHECK_WITHIN
    rounds: list[Comparison] = []
    while len(rounds) < CHECK_LEAST or time.monotonic() < until:
        rounds += closed_loops([sockets], 1, CHECK_SECONDS, {})
        if len(rounds) >= CHECK_LEAST and is_fast_enough(rounds, recorded):
            return 0
    sys.stderr.write(
        f"bench: at {sockets} sockets, that is less than {CHECK_SHARE} of {recorded:.2f}\n"
    )
    return 1


def is_fast_enough(rounds: Sequence[Comparison], recorded: float) -> bool:
    """Return whether the ratio of processor time is at least `CHECK_SHARE` of the recorded one."""
    found = {name: [each.found[name][0] for each in rounds] for name in (FLOOR, OURS)}
    try:
        work = Comparison(rounds[0].sockets, found).work()
    except ValueError:
        return False
    print_line(f"{rounds[0].sockets} sockets: {work:.2f}, recorded {recorded:.2f}")
    return work >= CHECK_SHARE * recorded


def main() -> int:
    """Run the command line, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m deploy.bench", description=__doc__)
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--quick", action="store_true", help="measure only the closed loop")
    forms.add_argument("--check", action="store_true", help="fail if slower than recorded")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="rounds of the closed loop")
    forms.add_argument(
        "--rows",
        nargs="+",
        choices=[table.HOSTILE, *table.MEASURED],
        help="measure only these rows, print them, and fail if they miss a goal",
    )
    options = parser.parse_args()
    pin(LOAD_CORE)
    if options.rows:
        return measure_some(options.rows)
    if options.quick:
        return quick()
    return check() if options.check else measure_all(options.rounds)


if __name__ == "__main__":
    sys.exit(main())
