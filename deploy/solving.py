"""Solving uniform deals on all cores, with their solutions stored in `build/winnability`.

An interrupted run continues, and deals are solved again only if the source of their method has
changed. Deal `n` of a game has the seed SHA-256 of the text `samedeal deal n`, n in decimal from 0.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from multiprocessing import get_context
from operator import attrgetter
from pathlib import Path
from time import process_time
from typing import NamedTuple

from engine.board import Board
from engine.catalog import ruleset
from engine.deal import deal_seed
from engine.play import play
from engine.ruleset import Ruleset
from engine.solver import Solution, Verdict, method_of, solve

ROOT = Path(__file__).parents[1]
SOLVER = ROOT / "engine/solver"
KEPT = ROOT / "build/winnability"
COLUMNS = "number,verdict,home,moves,effort,steps,seconds"


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
    """Return the stored solutions of deals like this one, by number.

    Solutions by an earlier version of the method do not count.
    """
    path = kept(task)
    first, *lines = path.read_text().splitlines() if path.exists() else [""]
    found: dict[int, Solved] = {}
    for line in lines[1:] if first == made_by(task) else ():
        values = line.split(",")
        # An interrupted run leaves a truncated line.
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

    Each wanted row has the rules, the number of deals, and the budget of a deal in steps.
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
