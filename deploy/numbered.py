"""Which of the numbered deals of the classic FreeCell program can be won, with all cards known.

Of the first 32,000, players have won all but number 11982 (the Internet FreeCell Project, 1995), so
this tests the solver: it has to win the others, by lines that are played by the rules, and to prove
that this one is lost.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from multiprocessing import get_context

from deploy.winnability import be_idle, checked
from engine.catalog import ruleset
from engine.deal import lay_out
from engine.known import numbered_deck
from engine.solver import Verdict, budget_of

GAME = "freecell"

DEALS = 32_000
"""The numbers of the first programs begin with 1 and end here."""

MORE = 5
"""How many times the budget is spent on a deal that it does not decide."""


def verdict(number: int, budget: int) -> tuple[int, Verdict]:
    """Solve a deal by its number; `checked` says what it raises."""
    found, _ = checked(number, lay_out(ruleset(GAME), numbered_deck(number)), budget)
    return number, found.verdict


def verdicts(numbers: Iterable[int], budget: int, jobs: int) -> dict[int, Verdict]:
    """Solve deals in `jobs` processes; return their verdicts by number."""
    with get_context("spawn").Pool(jobs, be_idle) as pool:
        return dict(pool.starmap(verdict, [(number, budget) for number in numbers], chunksize=16))


def main() -> int:
    """Solve, print which deals were not won, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m deploy.numbered", description=__doc__)
    parser.add_argument("--deals", type=int, default=DEALS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many processes")
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
