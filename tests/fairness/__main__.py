"""Print how many runs are flagged: `python -m tests.fairness --deals 10 --people 24`."""

from __future__ import annotations

import argparse

from tests.fairness.table import measure


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.fairness", description=__doc__)
    parser.add_argument("--deals", type=int, default=10, help="deals per game")
    parser.add_argument("--people", type=int, default=24, help="players per deal")
    parser.add_argument("--reasons", action="store_true", help="also print the reasons")
    given = parser.parse_args()
    for name, row in measure(given.deals, given.people).items():
        share = row.flagged / row.runs if row.runs else 0.0
        print(f"{name:<44}{row.flagged:>5} of {row.runs:<5}{share:>7.1%}")  # noqa: T201
        for text in row.texts if given.reasons else ():
            print(f"    {text}")  # noqa: T201 - a command's output


if __name__ == "__main__":
    main()
