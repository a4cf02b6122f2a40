"""Measures the server beside a floor: a bare `websockets` echo.

python -m deploy.bench [--quick | --check]
"""

from __future__ import annotations

import argparse
import sys

from deploy.bench import report
from deploy.bench.duel import FLOOR, OURS, Duel, closed_loops, duels, open_loops, say, unlimited
from deploy.bench.peers import peers
from deploy.bench.processes import LOAD_CORE, floor, pin
from deploy.bench.table import Results, lines, measure_rows

SOCKETS = (2, 50, 500, 2_000)
PACES = ((1_000, 1.0), (10_000, 2.0))
SEATS = (1, 2, 4, 8)
PEERED = (50, 500)
"""The numbers of sockets at which the peers are measured too."""

SEATED = 48
"""Sockets of the curve over seats; every number of seats divides it."""

ROUNDS, SECONDS = 5, 4.0
PACED_SECONDS = 10.0
QUICK_SOCKETS, QUICK_ROUNDS, QUICK_SECONDS = (50, 500), 3, 2.0
CHECKED, CHECK_ROUNDS, CHECK_SECONDS = 50, 3, 1.5


def last_line(found: list[Duel]) -> str:
    """Return the ratios to the floor as one line."""
    ratios = ", ".join(f"{duel.sockets} {duel.ratio():.2f}" for duel in found)
    return f"ratio to the floor: {ratios}"


def whole(rounds: int) -> int:
    """Measure everything, and write it down."""
    others, left_out = peers()
    if left_out is not None:
        say(left_out)
    closed = closed_loops([n for n in SOCKETS if n not in PEERED], rounds, SECONDS)
    closed += closed_loops(PEERED, rounds, SECONDS, others)
    closed.sort(key=lambda duel: duel.sockets)
    paced = open_loops(PACES, (rounds + 1) // 2, PACED_SECONDS)
    seats = {}
    for count in SEATS:
        task = {"sockets": SEATED, "seconds": SECONDS, "seats": count}
        (seats[count],) = duels("closed", [task], 1, {FLOOR: floor, OURS: unlimited})
    results = Results(
        {duel.sockets: duel for duel in closed},
        {duel.sockets: duel for duel in paced},
        seats,
        measure_rows(),
    )
    report.write(results, [left_out] if left_out is not None else [])
    for line in lines(results):
        say(line)
    say(last_line(closed))
    return 0


def quick() -> int:
    """Measure the closed loop in less than two minutes."""
    found = closed_loops(QUICK_SOCKETS, QUICK_ROUNDS, QUICK_SECONDS)
    times = ", ".join(f"{duel.sockets} {1 / duel.ratio(what='server_us'):.2f}" for duel in found)
    say(f"ratio of processor time, floor to ours: {times}")
    say(last_line(found))
    return 0


def check() -> int:
    """Fail if the ratio to the floor is below half of the recorded one."""
    (duel,) = closed_loops([CHECKED], CHECK_ROUNDS, CHECK_SECONDS)
    recorded = report.recorded(CHECKED)
    say(last_line([duel]))
    if is_fast_enough(duel, recorded):
        return 0
    sys.stderr.write(f"bench: that is less than half of the recorded {recorded:.2f}\n")
    return 1


def is_fast_enough(duel: Duel, recorded: float) -> bool:
    """Return whether the best round came to at least half of the recorded ratio.

    What else the machine does takes from a round, and gives nothing to it.
    """
    return max(duel.ratios(OURS)) >= recorded / 2


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m deploy.bench", description=__doc__)
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--quick", action="store_true", help="the closed loop alone")
    forms.add_argument("--check", action="store_true", help="fail if it is half as fast")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="of the closed loop")
    options = parser.parse_args()
    pin(LOAD_CORE)
    if options.quick:
        return quick()
    return check() if options.check else whole(options.rounds)


if __name__ == "__main__":
    sys.exit(main())
