"""A test of the solver: the numbered deals of the classic FreeCell program.

Players have won all of the first 32,000 but number 11982 (the Internet FreeCell Project, 1995). The
solver must win the same deals, by legal lines, and prove that this one is lost.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from multiprocessing import get_context

from deploy.solving import be_idle, checked
from engine.catalog import ruleset
from engine.deal import lay_out
from engine.known import numbered_deck
from engine.solver import Verdict, budget_of

GAME = "freecell"
DEALS = 32_000  # the last deal of the first programs, which start at 1
MORE = 5  # the budget of an undecided deal's second run, as a multiple of the first


def verdict(number: int, budget: int) -> tuple[int, Verdict]:
    """Solve a deal by its number; see `checked` for exceptions."""
    found, _ = checked(number, lay_out(ruleset(GAME), numbered_deck(number)), budget)
    return number, found.verdict


def verdicts(numbers: Iterable[int], budget: int, jobs: int) -> dict[int, Verdict]:
    """Solve deals in `jobs` processes, and return their verdicts by number."""
    with get_context("spawn").Pool(jobs, be_idle) as pool:
        return dict(pool.starmap(verdict, [(number, budget) for number in numbers], chunksize=16))


def main() -> int:
    """Solve, print the deals that were not won, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m deploy.numbered", description=__doc__)
    parser.add_argument("--deals", type=int, default=DEALS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of processes")
    options = parser.parse_args()
    budget = budget_of(ruleset(GAME))
    found = verdicts(range(1, options.deals + 1), budget, options.jobs)
    undecided = [number for number, each in found.items() if each is Verdict.UNKNOWN]
    found |= verdicts(undecided, MORE * budget, options.jobs)
    for each in Verdict:
        numbers = [number for number in found if found[number] is each]
        named = [] if each is Verdict.WINNABLE else numbers
        sys.stdout.write(" ".join([f"{each.value}: {len(numbers):,}", *map(str, named)]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
