"""Measure how many deals of each game can be won with all cards known.

It writes `engine/solver/RESULTS.md`, with a digest of each variant's solutions for comparison.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from math import sqrt
from pathlib import Path
from statistics import mean, quantiles, stdev

from deploy.bench.engine import commit, machine
from deploy.solving import COLUMNS, SOLVER, Row, complete, line_of
from engine.catalog import games, ruleset
from engine.schema import STANDARD
from engine.solver import Verdict, budget_of, is_exact, is_for_most, method_of, proves_losses

RESULTS = SOLVER / "RESULTS.md"
DIGESTED = COLUMNS.rpartition(",")[0]
DEALS = 1_000  # the number of deals of each game and variant without an exact method
EXACT_DEALS = 10_000  # the number of deals of each game and variant with an exact method
# The number of deals of each game's standard rules that are also solved with the whole budget. The
# same goes for variants whose losses can be proved, where the undecided deals show how far the
# figures are from known ones.
GOAL_DEALS = 200
SHORT = 10  # the divisor of the budget of all other deals
LIMITS = (0.1, 1, 3, 10)  # time limits in seconds for the table of wins with the whole budget
Z = 1.959964  # the quantile of the normal distribution for a 95 % interval


def wilson(count: int, of: int) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a share."""
    share = count / of
    middle = share + Z * Z / (2 * of)
    spread = Z * sqrt(share * (1 - share) / of + Z * Z / (4 * of * of))
    scale = 1 + Z * Z / of
    return (middle - spread) / scale, (middle + spread) / scale


def winnability(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the table of verdicts."""
    yield (
        "| game | variant | method | steps | deals | winnable | lost | undecided "
        "| can be won, 95 % | s a deal | worst |"
    )
    yield "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for row in rows:
        deals = len(row.deals)
        won, lost = row.count(Verdict.WINNABLE), row.count(Verdict.IMPOSSIBLE)
        low, high = wilson(won, deals)[0], wilson(deals - lost, deals)[1]
        times = [each.seconds for each in row.deals]
        steps = f"{row.budget:,}" if any(each.steps for each in row.deals) else "any"
        yield (
            f"| {row.rules.game} | {row.rules.variant} | {method_of(row.rules)} | {steps} "
            f"| {deals:,} | {won:,} | {lost:,} | {deals - won - lost:,} "
            f"| {low:.2%} to {high:.2%} | {mean(times):.2f} | {max(times):.1f} |"
        )


def speeds(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the table of deals won within each time limit."""
    yield f"| game | variant | {' | '.join(f'won in {limit} s' for limit in LIMITS)} |"
    yield f"|---|---|{'--:|' * len(LIMITS)}"
    for row in rows:
        times = [each.seconds for each in row.deals if each.verdict == Verdict.WINNABLE.value]
        counts = [sum(seconds <= limit for seconds in times) for limit in LIMITS]
        yield f"| {row.rules.game} | {row.rules.variant} | {' | '.join(map(str, counts))} |"


def lengths(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the table of lengths of winning lines, and of cards home without one."""
    yield (
        "| game | variant | moves of a line that wins: mean | least | most "
        "| cards home where none was found: mean | least | most |"
    )
    yield "|---|---|--:|--:|--:|--:|--:|--:|"
    for row in rows:
        cells = []
        for values in (
            [each.moves for each in row.deals if each.verdict == Verdict.WINNABLE.value],
            [each.home for each in row.deals if each.verdict != Verdict.WINNABLE.value],
        ):
            cells += (
                [f"{mean(values):.1f}", str(min(values)), str(max(values))] if values else ["-"] * 3
            )
        yield f"| {row.rules.game} | {row.rules.variant} | {' | '.join(cells)} |"


def digest(row: Row) -> str:
    """Return the digest of a row's machine-independent solutions: 64 hexadecimal digits."""
    lines = (line_of(each).rpartition(",")[0] + "\n" for each in row.deals)
    return sha256("".join(lines).encode()).hexdigest()


def digests(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the table of digests."""
    yield "| game | variant | steps | deals | digest |"
    yield "|---|---|--:|--:|---|"
    for row in rows:
        game, variant = row.rules.game, row.rules.variant
        yield f"| {game} | {variant} | {row.budget:,} | {len(row.deals):,} | `{digest(row)}` |"


def par(row: Row) -> Iterator[str]:
    """Yield the distribution of par over exactly decided deals."""
    pars = [each.home for each in row.deals]
    error = Z * stdev(pars) / sqrt(len(pars))
    cuts = quantiles(pars, n=20)
    yield (
        f"Par is {mean(pars):.2f} ± {error:.2f} on average (95 %), with a standard deviation of "
        f"{stdev(pars):.2f}; from {min(pars)} to {max(pars)}, the middle 90 % from {cuts[0]:.0f} "
        f"to {cuts[-1]:.0f}, the median {cuts[9]:.0f}."
    )
    yield ""
    yield "| par | deals | share |"
    yield "|--:|--:|--:|"
    found = Counter(pars)
    for value in range(min(pars), max(pars) + 1):
        yield f"| {value} | {found[value]:,} | {found[value] / len(pars):.2%} |"


def page(rows: Sequence[Row], goals: Sequence[Row]) -> str:
    """Return the results in Markdown."""
    lines = [
        "# How many deals can be won",
        "",
        "Written by `make winnability`: uniform deals, solved with all cards known from the start.",
        "Players do not know all cards, so they win fewer deals. Every winning line was played by",
        "the rules, and every loss was proved. The solver gave up *undecided* deals at the end of",
        "its budget; the interval of winnable deals (95 %, Wilson score) includes both outcomes,",
        "and chance. [`BOUNDS.md`](BOUNDS.md) describes other attempted proofs, and",
        "[`PEERS.md`](PEERS.md) compares the solver with other programs.",
        "",
        "The seed of deal `n` is the SHA-256 of the text `samedeal deal n`, n in decimal from 0;",
        "[`DEALS.md`](../DEALS.md) explains the dealing. A budget is a number of steps rather than",
        "seconds, so the solutions are the same on every machine; compare their digests.",
        "",
        f"- commit: {commit('engine/**.py', 'engine/**.toml')}",
        f"- date: {datetime.now(UTC):%Y-%m-%d}",
        f"- machine: {machine()}",
        f"- Python: {platform.python_implementation()} {platform.python_version()}",
        "",
        "## All games and variants",
        "",
        *winnability(rows),
        "",
        "## Lines",
        "",
        *lengths(rows),
        "",
    ]
    if goals:
        lines += [
            "## The first deals, with the whole budget",
            f"The budget takes about ten seconds, and is {SHORT} times the one above.",
            "",
            *winnability(goals),
            "",
            *speeds(goals),
            "",
        ]
    lines += [
        "## Digests",
        f"SHA-256 of the solutions: a line for each deal, with the fields `{DIGESTED}`;",
        "[`solution.py`](solution.py) explains the last three.",
        "",
        *digests([*rows, *goals]),
        "",
    ]
    for row in rows:
        if is_for_most(row.rules):
            lines += [f"## Par of {row.rules.game}, {row.rules.variant}", "", *par(row), ""]
    return "\n".join(lines).rstrip() + "\n"


def main() -> int:
    """Solve, write the results, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m deploy.winnability", description=__doc__)
    parser.add_argument("--deals", type=int, default=DEALS)
    parser.add_argument("--exact-deals", type=int, default=EXACT_DEALS)
    parser.add_argument("--goal-deals", type=int, default=GOAL_DEALS)
    parser.add_argument("--game", action="append", choices=list(games()), help="only this game")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="number of processes")
    parser.add_argument("--output", type=Path, default=RESULTS, help="output file")
    options = parser.parse_args()
    wanted, whole = [], []
    for game in options.game or games():
        for variant in games()[game].variants:
            rules = ruleset(game, variant)
            budget = budget_of(rules)
            if is_exact(rules):
                wanted.append((rules, options.exact_deals, budget))
            else:
                wanted.append((rules, options.deals, budget // SHORT))
                if variant == STANDARD or proves_losses(rules):
                    whole.append((rules, options.goal_deals, budget))
    rows = complete(wanted, options.jobs)
    goals = complete(whole, options.jobs) if options.goal_deals else []
    text = page(rows, goals)
    options.output.write_text(text, encoding="utf-8")
    sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
