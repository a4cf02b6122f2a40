"""The measurement of a row, and its figures."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from resource import RUSAGE_CHILDREN, getrusage
from time import process_time
from typing import Final

from deploy.bench.engine import commit, machine
from deploy.peers.programs import Program, Verdicts
from deploy.solving import checked, seed
from engine.board import Board
from engine.catalog import ruleset
from engine.deal import deal_seed, lay_out
from engine.known import numbered_deck
from engine.ruleset import Ruleset
from engine.solver import Verdict, budget_of, solve

Dealer = Callable[[Ruleset, int], Board]


def numbered(rules: Ruleset, number: int) -> Board:
    """Deal a number of the classic FreeCell program."""
    return lay_out(rules, numbered_deck(number))


def seeded(rules: Ruleset, number: int) -> Board:
    """Deal a number of `make winnability`."""
    return deal_seed(rules, seed(number))


@dataclass(frozen=True, slots=True)
class Row:
    """The same deals for the solver and another program, and the target."""

    id: str
    title: str
    rules: tuple[str, str]  # game and variant
    dealer: Dealer
    numbers: range
    program: Program
    ratio: float | None = None  # the most processor time, relative to the program's
    unknown: int | None = None  # the most undecided deals

    def deals(self) -> dict[int, Board]:
        """Return the boards by number."""
        rules = ruleset(*self.rules)
        return {number: self.dealer(rules, number) for number in self.numbers}


@dataclass(frozen=True, slots=True)
class Side:
    """What one side found, and its processor time in seconds."""

    verdicts: Verdicts
    seconds: float

    def count(self, verdict: Verdict) -> int:
        """Return the number of deals with a verdict."""
        return sum(each is verdict for each in self.verdicts.values())

    @property
    def text(self) -> str:
        """The verdicts as won, lost and unknown deals, with the numbers of a few unknown ones."""
        unknown = [n for n, each in self.verdicts.items() if each is Verdict.UNKNOWN]
        named = f" ({', '.join(map(str, unknown))})" if 0 < len(unknown) <= NAMED else ""
        won, lost = self.count(Verdict.WINNABLE), self.count(Verdict.IMPOSSIBLE)
        return f"{won:,} won, {lost:,} lost, {len(unknown):,} unknown{named}"


NAMED: Final = 8  # deals named in a cell


@dataclass(frozen=True, slots=True)
class Comparison:
    """The outcome of a row; `theirs` is missing if the program is not installed."""

    row: Row
    ours: Side
    theirs: Side | None
    version: str
    loading: float = 0.0  # processor time of loading the compiled search, in seconds

    @property
    def ratio(self) -> float | None:
        """Our processor time relative to theirs."""
        return self.ours.seconds / self.theirs.seconds if self.theirs else None

    def contradictions(self, ours: Verdict) -> list[int]:
        """Return the deals that have this verdict here, and the opposite one there."""
        if self.theirs is None:
            return []
        opposite = {
            Verdict.WINNABLE: Verdict.IMPOSSIBLE,
            Verdict.IMPOSSIBLE: Verdict.WINNABLE,
        }[ours]
        found = self.ours.verdicts
        theirs = self.theirs.verdicts
        return [n for n in found if found[n] is ours and theirs.get(n) is opposite]

    def targets(self) -> Iterator[tuple[str, bool | None]]:
        """Yield each target, and whether it was met, or `None` if that was not measured."""
        if self.row.ratio is not None:
            met = None if self.ratio is None else self.ratio <= self.row.ratio
            yield f"at most {self.row.ratio:g} : 1", met
        if self.row.unknown is not None:
            met = self.ours.count(Verdict.UNKNOWN) <= self.row.unknown
            yield f"at most {self.row.unknown} unknown", met


def our_side(row: Row, deals: dict[int, Board]) -> Side:
    """Solve the deals; each winning line is played by the rules, which is not in the time."""
    budget = budget_of(ruleset(*row.rules))
    verdicts, total = {}, 0.0
    for number, board in deals.items():
        found, seconds = checked(f"{row.title}, deal {number}", board, budget)
        verdicts[number] = found.verdict
        total += seconds
    return Side(verdicts, total)


def compare(row: Row) -> Comparison:
    """Measure both sides."""
    deals = row.deals()
    began = process_time()
    solve(next(iter(deals.values())), 1)
    loading = process_time() - began
    ours = our_side(row, deals)
    version, theirs = row.program.version(), None
    if version:
        before = spent_by_children()
        verdicts = row.program.solve(deals)
        theirs = Side(verdicts, spent_by_children() - before)
    return Comparison(row, ours, theirs, version, loading)


def spent_by_children() -> float:
    """Return the processor time of all ended child processes in seconds."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def page(found: Sequence[Comparison]) -> str:
    """Return the results in Markdown."""
    lines = [
        "# The solver and other programs",
        "",
        "Written by `python -m deploy.peers`, in one run on one core: the same deals for the",
        "solver and for another program. Every winning line was played by the rules, and every",
        "loss was proved. The processor time is that of solving all deals of the row. Ours",
        "excludes loading the compiled searches,",
        f"{sum(each.loading for each in found):.1f} s in all; the other program's includes its",
        "start, which is once for each deal unless its options say otherwise.",
        "",
        "The deals of FreeCell have the numbers of the classic program. The seed of every other",
        "deal `n`, from 0, is the SHA-256 of the text `samedeal deal n`, as in",
        "[`RESULTS.md`](RESULTS.md), which lists all games and variants.",
        "",
        f"- commit: {commit('engine/**.py', 'engine/**.toml')}",
        f"- date: {datetime.now(UTC):%Y-%m-%d}",
        f"- machine: {machine()}",
        f"- Python: {platform.python_implementation()} {platform.python_version()}",
        "",
        *table(found),
    ]
    return "\n".join(lines) + "\n"


def table(found: Sequence[Comparison]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield (
        "| deals | program | ours | the program's | contradictions "
        "| processor time, ours : the program's | target |"
    )
    yield "|---|---|---|---|---|--:|---|"
    for each in found:
        program = each.row.program.name
        theirs, times = "not installed", f"{each.ours.seconds:.1f} s : -"
        contradictions = "-"
        if each.theirs is not None and each.ratio is not None:
            program += f", {each.version}"
            theirs = each.theirs.text
            times = f"{each.ours.seconds:.1f} s : {each.theirs.seconds:.1f} s = {each.ratio:.2f}"
            contradictions = contradictions_text(each)
        targets = "; ".join(f"{text}: {RESULTS[met]}" for text, met in each.targets()) or "none"
        yield (
            f"| {each.row.title} | {program} | {each.ours.text} | {theirs} | {contradictions} "
            f"| {times} | {targets} |"
        )


RESULTS: Final = {True: "met", False: "**missed**", None: "not measured"}


def contradictions_text(found: Comparison) -> str:
    """Return the deals with opposite verdicts as a text."""
    texts = [
        f"{label} {', '.join(map(str, numbers))}"
        for label, numbers in (
            ("won only here, with a verified line:", found.contradictions(Verdict.WINNABLE)),
            ("**lost only here:**", found.contradictions(Verdict.IMPOSSIBLE)),
        )
        if numbers
    ]
    return "; ".join(texts) or "none"
