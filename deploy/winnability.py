"""Measure how many deals of each game can be won with all cards known.

It solves uniform deals on all cores, and writes `engine/solver/RESULTS.md` with a digest of each
variant's solutions for comparison. The solutions are stored in `build/winnability`, so that an
interrupted run continues, and deals are solved again only if the source of their method has
changed.

Deal `n` of a game has the seed SHA-256 of the text `samedeal deal n`, n in decimal from 0.
"""

from __future__ import annotations

import argparse
import ast
import os
import platform
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from math import sqrt
from multiprocessing import get_context
from operator import attrgetter
from pathlib import Path
from statistics import mean, quantiles, stdev
from time import process_time
from typing import NamedTuple

from deploy.bench.engine import git, machine
from engine.board import Board
from engine.catalog import games, ruleset
from engine.deal import deal_seed
from engine.play import play
from engine.ruleset import Ruleset
from engine.schema import STANDARD
from engine.solver import (
    Solution,
    Verdict,
    budget_of,
    is_exact,
    is_for_most,
    method_of,
    proves_losses,
    solve,
)

ROOT = Path(__file__).parents[1]
SOLVER = ROOT / "engine/solver"
RESULTS = SOLVER / "RESULTS.md"
KEPT = ROOT / "build/winnability"

COLUMNS = "number,verdict,home,moves,effort,steps,seconds"
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


class Task(NamedTuple):
    """A deal to solve."""

    game: str
    variant: str
    number: int
    budget: int


@dataclass(frozen=True, slots=True)
class Solved:
    """The recorded solution of a deal."""

    number: int
    verdict: str
    home: int  # after the winning line, or else the best one
    moves: int
    effort: int
    steps: int
    seconds: float  # processor time, which alone depends on the machine


@dataclass(frozen=True, slots=True)
class Row:
    """The solved deals of a variant with one budget."""

    rules: Ruleset
    budget: int
    deals: Sequence[Solved]

    def count(self, verdict: Verdict) -> int:
        """Return the number of deals with a verdict."""
        return sum(each.verdict == verdict.value for each in self.deals)


def seed(number: int) -> bytes:
    """Return the seed of a deal by its number."""
    return sha256(f"samedeal deal {number}".encode()).digest()


def checked(name: object, board: Board, budget: int) -> tuple[Solution, float]:
    """Solve a board, and verify the line by playing it.

    Args:
        name: the board's name in errors.
        board: the deal.
        budget: the budget in steps.

    Returns:
        The solution, and its processor time in seconds.

    Raises:
        EngineError: a move of the line is illegal.
        ValueError: the line does not reach the solver's result.
    """
    began = process_time()
    found = solve(board, budget)
    seconds = process_time() - began
    for move in found.line:
        board, _ = play(board, move)
    if board.home != found.home or board.won != (found.verdict is Verdict.WINNABLE):
        raise ValueError(f"{name}: the line brings {board.home} cards home, not {found.home}.")
    return found, seconds


def solved(task: Task) -> Solved:
    """Solve a deal; see `checked` for exceptions."""
    board = deal_seed(ruleset(task.game, task.variant), seed(task.number))
    found, seconds = checked(task, board, task.budget)
    return Solved(
        task.number,
        found.verdict.value,
        found.home,
        len(found.line),
        found.effort,
        found.steps,
        round(seconds, 2),
    )


def _solved(task: Task) -> tuple[Task, Solved]:
    rules = ruleset(task.game, task.variant)
    if rules not in _ready:
        # Exclude compilation at the first call from the time.
        solve(deal_seed(rules, seed(task.number)), 1)
        _ready.add(rules)
    return task, solved(task)


_ready: set[Ruleset] = set()  # the rules of deals that this process has solved


@cache
def source(method: str) -> str:
    """Return a digest of a method's files and the solver files that they import."""
    files = files_of(method)
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                package, _, name = node.module.removeprefix("engine.").partition(".")
                if package == "solver":
                    names = [name] if name else [alias.name for alias in node.names]
                    imported = [each for name in names for each in files_of(name.split(".")[0])]
                    files += [each for each in imported if each not in files]
    digest = sha256()
    for file in sorted(files):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def files_of(module: str) -> list[Path]:
    """Return the file of a module of the solver, or the files of a package."""
    folder = SOLVER / module
    return sorted(folder.glob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]


def kept(task: Task) -> Path:
    """Return the file of the solutions of deals like this one."""
    return KEPT / f"{task.game}-{task.variant}-{task.budget}.csv"


def known(task: Task) -> dict[int, Solved]:
    """Return the stored solutions of deals like this one, by number, ignoring a truncated line.

    There are none if the method has changed since.
    """
    path = kept(task)
    first, *lines = path.read_text().splitlines() if path.exists() else [""]
    found: dict[int, Solved] = {}
    for line in lines[1:] if first == made_by(task) else ():
        values = line.split(",")
        if len(values) == len(Solved.__slots__) and values[-1]:
            number, home, moves, effort, steps = map(int, [values[0], *values[2:6]])
            each = Solved(number, values[1], home, moves, effort, steps, float(values[6]))
            found[number] = each
    return found


def made_by(task: Task) -> str:
    """Return the head of a file, which names the method and its source."""
    method = method_of(ruleset(task.game, task.variant))
    return f"# {method}, source {source(method)}"


def keep(task: Task, found: Iterable[Solved]) -> None:
    """Write the file of the solutions of deals like this one."""
    lines = map(line_of, sorted(found, key=attrgetter("number")))
    kept(task).parent.mkdir(parents=True, exist_ok=True)
    kept(task).write_text("\n".join([made_by(task), COLUMNS, *lines]) + "\n")


def line_of(found: Solved) -> str:
    """Return the line of a deal."""
    return ",".join(str(getattr(found, name)) for name in Solved.__slots__)


def complete(wanted: Sequence[tuple[Ruleset, int, int]], jobs: int) -> list[Row]:
    """Solve missing deals in `jobs` processes, and return all solutions.

    Args:
        wanted: rules, the number of deals, and the budget of a deal in steps.
        jobs: the number of processes.
    """
    rows: list[list[Task]] = []
    todo: list[Task] = []
    for rules, deals, budget in wanted:
        tasks = [Task(rules.game, rules.variant, number, budget) for number in range(deals)]
        found = known(tasks[0])
        todo += [task for task in tasks if task.number not in found]
        keep(tasks[0], found.values())
        rows.append(tasks)
    with get_context("spawn").Pool(jobs, be_idle) as pool:
        for done, (task, each) in enumerate(pool.imap_unordered(_solved, todo), 1):
            with kept(task).open("a") as file:
                file.write(line_of(each) + "\n")
            if done % 20 == 0 or done == len(todo):
                sys.stderr.write(f"\r{done} of {len(todo)}: {task.game}, {task.variant}   ")
    sys.stderr.write("\n" if todo else "")
    found_rows = []
    for tasks in rows:
        found = known(tasks[0])
        keep(tasks[0], found.values())
        rules = ruleset(tasks[0].game, tasks[0].variant)
        kept_deals = [found[number] for number in sorted(found)]
        found_rows.append(Row(rules, tasks[0].budget, kept_deals))
    return found_rows


def be_idle() -> None:
    """Give this process the lowest priority."""
    os.nice(19)


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
    head = git("rev-parse", "--short=12", "HEAD")
    changed = git("status", "--porcelain", "--", "engine/**.py", "engine/**.toml")
    lines = [
        "# How many deals can be won",
        "",
        "Written by `make winnability`: uniform deals, solved with all cards known from the start.",
        "Players do not know them, so that they win fewer. Each line that wins was played by the",
        "rules; each loss is proved. *Undecided* deals were given up when the budget was used up:",
        "they may be either, and the interval of what can be won allows for both, and for chance",
        "(95 %, Wilson's score). [`BOUNDS.md`](BOUNDS.md) says which other proofs were tried.",
        "",
        "Deal `n` has as its seed the SHA-256 of the text `samedeal deal n`, n in decimal from 0;",
        "[`DEALS.md`](../DEALS.md) says how a seed deals. A budget is a number of steps, not of",
        "seconds, so the solutions are the same on every machine; compare their digests.",
        "",
        f"- commit: {head}{' with changes' if changed else ''}",
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
            f"As many steps as take about ten seconds, {SHORT} times as many as above.",
            "",
            *winnability(goals),
            "",
            *speeds(goals),
            "",
        ]
    lines += [
        "## Digests",
        f"SHA-256 of the solutions: a line for each deal, with the fields `{DIGESTED}`, of",
        "which [`solution.py`](solution.py) explains the last ones.",
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
