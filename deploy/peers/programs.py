"""The other programs: how they are found, given deals, and read."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Protocol

from engine.board import Board
from engine.cards import DOWN, card_name, turned_up
from engine.solver import Verdict

Deals = Mapping[int, Board]  # the boards, by the numbers of their deals
Verdicts = dict[int, Verdict]


class Program(Protocol):
    """A program that solves deals, each in turn, in one process or in one for each deal."""

    @property
    def name(self) -> str:
        """Its name and options, as the table states them."""

    def version(self) -> str:
        """Return the installed version, or an empty text if it is not installed."""

    def solve(self, deals: Deals) -> Verdicts:
        """Return its verdicts; a search without a win is a loss only if it was exhaustive."""


def output_of(*command: str, text: str = "") -> str:
    """Run a program to its end, and return its output and errors, whatever its exit status."""
    done = subprocess.run(  # noqa: S603 - the commands of this module
        command,
        input=text,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def version_of(program: str) -> str:
    """Return the version that a program states, or an empty text if it is not installed."""
    if not shutil.which(program):
        return ""
    found = re.search(r"\d+\.\d+\.\d+", output_of(program, "--version"))
    return found[0] if found else ""


def printed(output: str, verdicts: Mapping[str, Verdict]) -> Verdict:
    """Return the verdict of the line of a program's output that states one.

    Raises:
        ValueError: none does.
    """
    for line in output.splitlines():
        if line in verdicts:
            return verdicts[line]
    raise ValueError(f"The program stopped: {output[-200:]}")


def names_of(pile: bytes) -> str:
    """Return the names of a pile's cards from bottom to top, separated by spaces."""
    return " ".join(map(card_name, turned_up(pile)))


@dataclass(frozen=True, slots=True)
class FreecellSolver:
    """Freecell Solver, a deal in each process."""

    options: tuple[str, ...]

    @property
    def name(self) -> str:
        """Its name and options."""
        return " ".join(["fc-solve", *self.options])

    def version(self) -> str:
        """Return the installed version, or an empty text."""
        return version_of("fc-solve")

    def solve(self, deals: Deals) -> Verdicts:
        """Return its verdicts on deals of FreeCell."""
        command = "fc-solve", *self.options, "-"
        return {
            number: freecell_verdict(output_of(*command, text=freecell_text(board)))
            for number, board in deals.items()
        }


def freecell_text(board: Board) -> str:
    """Return a deal of FreeCell as Freecell Solver reads it: a line for each column."""
    columns = (board.piles[pile] for pile in board.ruleset.tableau)
    return "".join(f"{names_of(column)}\n" for column in columns)


def freecell_verdict(output: str) -> Verdict:
    """Return the verdict that Freecell Solver printed; see `printed`."""
    return printed(output, FREECELL)


FREECELL = {
    "This game is solveable.": Verdict.WINNABLE,
    "I could not solve this game.": Verdict.IMPOSSIBLE,
    "Iterations count exceeded.": Verdict.UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class FreecellRangeSolver:
    """Freecell Solver's program for consecutive numbered deals, all in one process.

    It prints no lines, and names only the deals that it does not win.
    """

    options: tuple[str, ...]

    @property
    def name(self) -> str:
        """Its name and options."""
        return " ".join([FREECELL_RANGE, *self.options])

    @staticmethod
    def version() -> str:
        """Return the installed version, or an empty text."""
        return version_of("fc-solve") if shutil.which(FREECELL_RANGE) else ""

    def solve(self, deals: Deals) -> Verdicts:
        """Return its verdicts on consecutive numbered deals."""
        first, last = min(deals), max(deals)
        numbers = [str(first), str(last), str(last)]
        return range_verdicts(output_of(FREECELL_RANGE, *numbers, *self.options), deals)


FREECELL_RANGE = "freecell-solver-range-parallel-solve"
_NOT_WON = re.compile(r"^(Intractable|Unsolved) Board No\. (\d+)", re.MULTILINE)


def range_verdicts(output: str, numbers: Iterable[int]) -> Verdicts:
    """Return the verdicts that Freecell Solver printed on these deals.

    Raises:
        ValueError: it did not reach the last one.
    """
    found = dict.fromkeys(numbers, Verdict.WINNABLE)
    if f"Reached Board No. {max(found)} " not in output:
        raise ValueError(f"The program stopped: {output[-200:]}")
    for kind, number in _NOT_WON.findall(output):
        found[int(number)] = Verdict.UNKNOWN if kind == "Intractable" else Verdict.IMPOSSIBLE
    return found


@dataclass(frozen=True, slots=True)
class BlackHoleSolver:
    """Black Hole Solitaire Solver, which also solves Golf, a deal in each process."""

    options: tuple[str, ...]

    @property
    def name(self) -> str:
        """Its name and options."""
        return " ".join(["black-hole-solve", *self.options])

    def version(self) -> str:
        """Return the installed version, or an empty text."""
        return version_of("black-hole-solve")

    def solve(self, deals: Deals) -> Verdicts:
        """Return its verdicts on deals of Golf."""
        found = {}
        with tempfile.NamedTemporaryFile("w+", suffix=".board") as file:
            for number, board in deals.items():
                file.seek(0)
                file.truncate()
                file.write(golf_text(board))
                file.flush()
                output = output_of("black-hole-solve", "--game", "golf", *self.options, file.name)
                found[number] = black_hole_verdict(output)
        return found


def golf_text(board: Board) -> str:
    """Return a deal of Golf in the format of Black Hole Solitaire Solver."""
    ruleset = board.ruleset
    foundation, stock = board.piles[0], turned_up(board.piles[ruleset.stock])[::-1]
    columns = [board.piles[pile] for pile in ruleset.tableau]
    lines = [f"Talon: {names_of(stock)}", f"Foundations: {names_of(foundation)}"]
    return "\n".join([*lines, *map(names_of, columns)]) + "\n"


def black_hole_verdict(output: str) -> Verdict:
    """Return the verdict that Black Hole Solitaire Solver printed; see `printed`."""
    return printed(output, BLACK_HOLE)


BLACK_HOLE = {
    "Solved!": Verdict.WINNABLE,
    "Unsolved!": Verdict.IMPOSSIBLE,
    "Exceeded max iterations!": Verdict.UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class KlondikeSolver:
    """Klondike-Solver, by its Python package `pyksolve`, all deals in one process."""

    turns: int  # cards turned up at a time
    states: int  # the most states that it stores

    @property
    def name(self) -> str:
        """Its name and options."""
        return f"pyksolve, solve_fast(max_closed_count={self.states:,})"

    def version(self) -> str:
        """Return the installed version, or an empty text."""
        try:
            return version("pyksolve")
        except PackageNotFoundError:
            return ""

    def solve(self, deals: Deals) -> Verdicts:
        """Return its verdicts on deals of Klondike."""
        texts = {number: klondike_text(board) for number, board in deals.items()}
        given = json.dumps([self.turns, self.states, list(texts.values())])
        output = output_of(sys.executable, "-m", "deploy.peers.klondike", text=given)
        return dict(zip(texts, map(Verdict, json.loads(output)), strict=True))


def klondike_text(board: Board) -> str:
    """Return a deal of Klondike as pyksolve's `load_pysol` reads it."""
    ruleset = board.ruleset
    stock = turned_up(board.piles[ruleset.stock])[::-1]
    columns = [
        " ".join(
            f"<{card_name(card & ~DOWN)}>" if card & DOWN else card_name(card) for card in pile
        )
        for pile in (board.piles[number] for number in ruleset.tableau)
    ]
    return "\n".join([f"Talon: {names_of(stock)}", *columns])


@dataclass(frozen=True, slots=True)
class Unpackaged:
    """A program that no package registry has, so that it has no measurement here."""

    name: str

    @staticmethod
    def version() -> str:
        """Return an empty text."""
        return ""

    def solve(self, deals: Deals) -> Verdicts:
        """Refuse."""
        raise NotImplementedError(self.name, len(deals))
