"""Benchmark of the server, compared with a floor: a bare `websockets` echo server.

python -m deploy.bench [--quick | --check | --rows ROW ...]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace

from deploy.bench import table
from deploy.bench.comparison import Round, print_line
from deploy.bench.processes import LOAD_CORE, pin

QUICK_ROUNDS = 3
CHECK_SHARE = 0.85  # `--check` fails below this share of the recorded ratio


def measure(names: Sequence[str], rounds: int | None = None) -> dict[str, list[Round]]:
    """Measure rows, for `rounds` rounds or their own number, and print all judgements."""
    found = {}
    for name in names:
        row = table.ROWS[name]
        found[name] = replace(row, rounds=rounds or row.rounds).measure(name)
    for each in table.lines(found):
        print_line(each)
    print_line(table.last_line(found))
    return found


def is_fast_enough(name: str, rounds: Sequence[Round], recorded: float) -> bool:
    """Return whether the processor time ratio is at least `CHECK_SHARE` of the recorded one."""
    work = table.work(rounds)
    print_line(f"{name}: floor to ours {work:.3f}, recorded {recorded:.3f}, of processor time")
    return work >= CHECK_SHARE * recorded


def check(rounds: int | None) -> int:
    """Return 1 if a move costs more processor time than recorded, relative to the floor; else 0."""
    slow = []
    for name in table.CHECKED:
        row = table.ROWS[name]
        found = replace(row, against=("floor",), rounds=rounds or row.rounds).measure(name)
        if not is_fast_enough(name, found, table.recorded(name)):
            slow.append(name)
    if slow:
        sys.stderr.write(f"bench: less than {CHECK_SHARE} of what is recorded: {slow}\n")
    return 1 if slow else 0


def main() -> int:
    """Run the command line, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m deploy.bench", description=__doc__)
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--quick", action="store_true", help="measure only the closed loop")
    forms.add_argument("--check", action="store_true", help="fail if slower than recorded")
    forms.add_argument(
        "--rows",
        nargs="+",
        choices=sorted({each for name in table.ROWS for each in (name, name.partition(":")[0])}),
        metavar="ROW",
        help="measure only these rows or groups of rows, and fail if one misses a goal",
    )
    parser.add_argument("--rounds", type=int, help="rounds per row, overriding its own number")
    options = parser.parse_args()
    pin(LOAD_CORE)
    if options.check:
        return check(options.rounds)
    if options.quick:
        measure(table.CHECKED, options.rounds or QUICK_ROUNDS)
        return 0
    if options.rows:
        names = [n for n in table.ROWS if n in options.rows or n.partition(":")[0] in options.rows]
        return 0 if table.are_met(measure(names, options.rounds)) else 1
    table.write(measure(list(table.ROWS), options.rounds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
