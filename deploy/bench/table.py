"""The measured figures that have goals, as tables in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from statistics import median
from typing import Any

from deploy.bench.attacks import ATTACKS
from deploy.bench.comparison import (
    FLOOR,
    OURS,
    Comparison,
    StartServer,
    guarded,
    metered,
    print_line,
    unlimited,
)
from deploy.bench.processes import LoadError, floor, load, node

KIB = 1_024

HOSTILE_MEMORY = 24 << 20
"""Bytes by which any attack may let a node grow: 18 MiB of budgets that are kept for a while
(`limits.MAX_KNOWN`), and what the allocator does not give back."""

HOSTILE_MEMORY_EACH = 80 << 10
"""Bytes beside that for each attacking connection: 32 KiB that it has sent too fast, 32 KiB that it
does not read, and a session."""


@dataclass(frozen=True, slots=True)
class Row:
    """A measurement of `rows`: on which server, which row, its arguments, and how many rounds."""

    name: str
    server: StartServer
    row: str
    given: dict[str, Any]
    rounds: int = 3


ROWS = (
    Row("wire", unlimited, "wire_bytes", {}, 1),
    Row("bare", floor, "memory_of", {"sockets": 2_000, "floor": True}),
    Row("memory", node, "memory_of", {"sockets": 2_000}),
    Row("idle", node, "idle", {}),
    Row("commands", unlimited, "commands_of_rooms", {}),
    Row("flood", node, "flood", {}),
    Row("searcher", unlimited, "searcher", {}),
    Row("digests", unlimited, "digests", {"length": 4_000}),
    Row("home", node, "home_pages", {"pages": 1_000}, 1),
    Row("silent", node, "silent_rooms", {"rooms": 2_000}, 1),
    Row("crowd", node, "crowd", {"sessions": 10_400}, 1),
    Row("away", node, "store_away", {"racers": 5_000, "seconds": 30.0}, 1),
    Row("watching", metered, "watching", {"watchers": 1_000}),
    Row("million", node, "million", {"entries": 1_000_000, "calls": 2_000}),
    Row("viewers", metered, "viewers", {"watchers": 10_000}, 1),
    Row("board", node, "leaderboard", {"watchers": 1_000}, 1),
    *(Row(f"hostile: {name}", guarded, "hostile", {"attack": name}, 1) for name in ATTACKS),
)

GROUPS = {"hostile": [f"hostile: {name}" for name in ATTACKS]}
"""Rows that are measured by one name."""


@dataclass(frozen=True, slots=True)
class Results:
    """All results.

    Attributes:
        closed: the closed loop, by the number of sockets.
        paced: the open loop, by the number of sockets.
        rows: the figures of each row, by its name.
    """

    closed: dict[int, Comparison]
    paced: dict[int, Comparison]
    rows: dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Goal:
    """A line of the table of goals.

    Attributes:
        text: what is measured.
        shown: the format of its value.
        value: gets the value from the results; raises `KeyError` or `ValueError` if there is none.
        bound: the largest value that meets the goal.
        is_least: whether `bound` is the smallest instead.
    """

    text: str
    shown: str
    value: Callable[[Results], float]
    bound: float
    is_least: bool = False

    def is_met(self, value: float) -> bool:
        """Return whether a value meets the goal."""
        return value >= self.bound if self.is_least else value <= self.bound


def measure_rows(names: Collection[str] | None = None) -> dict[str, dict[str, Any]]:
    """Measure rows, all without `names`, and return the medians of their figures, by row."""
    found: dict[str, dict[str, Any]] = {}
    for row in ROWS:
        if names is not None and row.name not in names:
            continue
        rounds = []
        try:
            for _ in range(row.rounds):
                with row.server() as served:
                    rounds.append(load("rows", served, row=row.row, **row.given))
        except LoadError as error:
            print_line(f"{row.name}: {error}")
            continue
        found[row.name] = {what: _median([each[what] for each in rounds]) for what in rounds[0]}
        print_line(f"{row.name}: {found[row.name]}")
    return found


def _median(values: list[Any]) -> Any:
    return median(values) if isinstance(values[0], int | float) else values[0]


def _row(name: str, what: str) -> Callable[[Results], float]:
    return lambda results: float(results.rows[name][what])


def _paced(sockets: int, what: str, *, ratio: bool = False) -> Callable[[Results], float]:
    def value(results: Results) -> float:
        comparison = results.paced[sockets]
        return comparison.ratio(OURS, what) if ratio else comparison.median(OURS, what)

    return value


def _ratio(sockets: int) -> Callable[[Results], float]:
    return lambda results: results.closed[sockets].ratio()


def _to_bare(what: str) -> Callable[[Results], float]:
    return lambda results: float(results.rows["memory"][what] / results.rows["bare"]["bare"])


def _hostile_goals(attack: str) -> tuple[Goal, ...]:
    row, most = f"hostile: {attack}", HOSTILE_MEMORY_EACH * ATTACKS[attack].sockets
    return (
        Goal(
            f"attack by {attack}: p99 of bystanders' moves, as a ratio to that without",
            "{:.2f}",
            _row(row, "ratio"),
            2,
        ),
        Goal(
            "growth of the node's memory meanwhile, MiB",
            "{:,.1f}",
            lambda results: results.rows[row]["grown"] / KIB**2,
            (HOSTILE_MEMORY + most) / KIB**2,
        ),
    )


GOALS = (
    Goal("moves a second at 50 sockets, as a ratio to the floor", "{:.2f}", _ratio(50), 0.7, True),
    Goal(
        "moves a second at 500 sockets, as a ratio to the floor", "{:.2f}", _ratio(500), 1.0, True
    ),
    Goal(
        "moves a second at 2,000 sockets, as a ratio to the floor",
        "{:.2f}",
        _ratio(2_000),
        1.0,
        True,
    ),
    Goal(
        "moves refused at 2,000 sockets",
        "{:,.0f}",
        lambda results: results.closed[2_000].median(OURS, "refused"),
        0,
    ),
    Goal(
        "processor time of the node per move, closed loop at 50 sockets, µs",
        "{:.1f}",
        lambda results: results.closed[50].median(OURS, "server_us"),
        30,
    ),
    Goal(
        "1,000 players at one move a second each: share of a core",
        "{:.1%}",
        _paced(1_000, "server_share"),
        0.12,
    ),
    Goal("their p50, as a ratio to the floor's", "{:.1f}", _paced(1_000, "p50", ratio=True), 2),
    Goal("their p99, as a ratio to the floor's", "{:.1f}", _paced(1_000, "p99", ratio=True), 3),
    Goal(
        "10,000 players at one move in two seconds each: p99, ms",
        "{:,.0f}",
        _paced(10_000, "p99"),
        100,
    ),
    Goal(
        "their moves that were refused or not answered",
        "{:,.0f}",
        lambda results: (
            results.paced[10_000].median(OURS, "refused")
            + results.paced[10_000].median(OURS, "unanswered")
        ),
        0,
    ),
    Goal("answer to a move, bytes", "{:.1f}", _row("wire", "answer"), 16),
    Goal("a move, bytes", "{:.1f}", _row("wire", "move"), 12),
    Goal("progress, bytes", "{:.1f}", _row("wire", "progress"), 8),
    Goal(
        "memory of an idle session, as a ratio to a bare socket's", "{:.2f}", _to_bare("idle"), 1.5
    ),
    Goal(
        "memory of a session in a round, as a ratio to a bare socket's",
        "{:.2f}",
        _to_bare("racing"),
        1.5,
    ),
    Goal("a room from creation to its first cards, ms", "{:.2f}", _row("memory", "room_ms"), 2),
    Goal("a session that leaves, of 10,000, ms", "{:.3f}", _row("crowd", "leave_ms"), 0.05),
    Goal(
        "one change of a leaderboard with 1,000 watchers, ms",
        "{:,.1f}",
        _row("board", "cost_ms"),
        5,
    ),
    *(
        Goal(
            f"a leaderboard with 1,000,000 rows: {what}, Redis's own time, p99, ms",
            "{:.3f}",
            _row("million", f"{name}_p99"),
            1,
        )
        for name, what in {
            "place": "an entry",
            "top": "the first rows, size and median, once a tick",
            "deep": "50 rows anywhere",
            "around": "the rows around a player",
            "standing": "a player's rank",
            "rivals": "the rows of 100 players",
        }.items()
    ),
    Goal(
        "10,000 watchers of a leaderboard: reads of it in a tick",
        "{:.2f}",
        _row("viewers", "reads"),
        1,
    ),
    Goal(
        "encodings in a tick: the change, and the whole page for who was slow",
        "{:.2f}",
        _row("viewers", "encodings"),
        2,
    ),
    Goal(
        "1,000 watchers of one race: encodings of a move",
        "{:.2f}",
        _row("watching", "encodings"),
        1,
    ),
    Goal("writes to one of them for a move", "{:.2f}", _row("watching", "writes"), 1),
    Goal("those who were not sent every move", "{:.0f}", _row("watching", "unsent"), 0),
    Goal(
        "moves that one saw before the mover's answer", "{:.0f}", _row("watching", "overtaken"), 0
    ),
    Goal(
        "p50 of the mover's answers, as a ratio to the same race without watchers",
        "{:.2f}",
        _row("watching", "p50_ratio"),
        2,
    ),
    Goal(
        "processor time of the node for a move that 1,000 watch, ms",
        "{:.1f}",
        _row("watching", "cost_ms"),
        20,
    ),
    Goal(
        "one connection without a session floods pings: worst latency of others, ms",
        "{:,.0f}",
        _row("flood", "worst"),
        50,
    ),
    Goal(
        "growth of the node's memory meanwhile, KiB",
        "{:,.0f}",
        lambda results: results.rows["flood"]["grown"] / KIB,
        1_024,
    ),
    Goal(
        "a move after all cards have been seen: processor time of the searcher, ms",
        "{:.1f}",
        _row("searcher", "search_ms"),
        10,
    ),
    Goal(
        "`OpenAttempt` with a wrong digest on a journal of 4,000 entries, ms",
        "{:.2f}",
        _row("digests", "wrong_ms"),
        1,
    ),
    Goal("a late duplicate of a move on that journal, ms", "{:.2f}", _row("digests", "late_ms"), 1),
    Goal(
        "10,000 sockets drop at once: worst latency of others, ms",
        "{:,.0f}",
        _row("crowd", "worst"),
        50,
    ),
    Goal(
        "5,000 moves during 30 s without Redis: time until all are accepted, s",
        "{:.1f}",
        lambda results: results.rows["away"]["worst"] / 1e3,
        5,
    ),
    *(goal for name in ATTACKS for goal in _hostile_goals(name)),
    Goal("`CreateRoom`, ms", "{:.2f}", _row("commands", "create_ms"), 0.5),
    Goal("`ListDailies`, ms", "{:.2f}", _row("commands", "list_ms"), 0.5),
    Goal("`SetReady` in a room of 8, ms", "{:.2f}", _row("commands", "ready_ms"), 0.5),
    Goal(
        "reads of a journal for a move after 1,000 visits of the home page",
        "{:.0f}",
        _row("home", "reads"),
        0,
    ),
    Goal("10,400 idle sessions: share of a core", "{:.1%}", _row("crowd", "share"), 0.01),
    Goal("2,000 idle rooms: share of a core", "{:.1%}", _row("silent", "share"), 0.01),
    Goal("an idle node's Redis commands a second", "{:.1f}", _row("idle", "commands"), 10),
)


def lines(results: Results) -> Iterator[str]:
    """Yield the table of goals; what could not be measured is a dash, and counts as missed."""
    yield "| | measured | goal | |"
    yield "|---|--:|--:|---|"
    for goal in GOALS:
        measured, met = "-", False
        with suppress(KeyError, ValueError):
            value = goal.value(results)
            measured, met = goal.shown.format(value), goal.is_met(value)
        bound = f"{'≥' if goal.is_least else '≤'} {goal.shown.format(goal.bound)}"
        yield f"| {goal.text} | {measured} | {bound} | {'met' if met else 'missed'} |"


def are_met(results: Results) -> bool:
    """Return whether all goals that are about what was measured are met."""
    for goal in GOALS:
        with suppress(KeyError, ValueError):
            if not goal.is_met(goal.value(results)):
                return False
    return True


def comparison_lines(comparisons: dict[int, Comparison]) -> Iterator[str]:
    """Yield the comparisons as a table, by the number of sockets."""
    yield "| sockets | | ratio to the floor | a second | µs each | p50 ms | p99 ms | p999 ms |"
    yield "|--:|---|--:|--:|--:|--:|--:|--:|"
    for sockets, comparison in comparisons.items():
        for server in comparison.found:
            figures = "| - " * 6
            with suppress(ValueError):
                figures = _figures(comparison, server)
            yield f"| {sockets:,} | {server} {figures}|"


def _figures(comparison: Comparison, server: str) -> str:
    ratios, rates = comparison.ratios(server), comparison.values(server, "rate")
    ratio = f"{comparison.ratio(server):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
    return (
        f"| {'1' if server == FLOOR else ratio} "
        f"| {median(rates):,.0f} ({min(rates):,.0f} to {max(rates):,.0f}) "
        f"| {comparison.median(server, 'server_us'):.1f} | {comparison.median(server, 'p50'):.2f} "
        f"| {comparison.median(server, 'p99'):.2f} | {comparison.median(server, 'p999'):.2f} "
    )
