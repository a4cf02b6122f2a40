"""The figures that are promised, each beside its goal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from statistics import median
from typing import Any

from deploy.bench.duel import FLOOR, OURS, Duel, Server, say, unlimited
from deploy.bench.processes import LoadError, floor, load, node

KIB = 1_024

BOARDS = (100, 1_000, 10_000)
"""How many watch a leaderboard."""


@dataclass(frozen=True, slots=True)
class Row:
    """Something that `rows` measures: on which server, with what, and how often."""

    name: str
    server: Server
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
    Row("digests", unlimited, "digests", {"length": 4_000}),
    Row("home", node, "home_pages", {"pages": 1_000}, 1),
    Row("silent", node, "silent_rooms", {"rooms": 2_000}, 1),
    Row("crowd", node, "crowd", {"sessions": 10_400}, 1),
    Row("away", node, "store_away", {"racers": 5_000, "seconds": 30.0}, 1),
    *(Row(f"board {count}", node, "leaderboard", {"watchers": count}, 1) for count in BOARDS),
)


@dataclass(frozen=True, slots=True)
class Results:
    """All that was measured.

    Attributes:
        closed: by the number of sockets.
        paced: the same at a person's pace.
        seats: the closed loop by the number of seats in a room.
        rows: the figures of each row, by its name.
    """

    closed: dict[int, Duel]
    paced: dict[int, Duel]
    seats: dict[int, Duel]
    rows: dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Promise:
    """A line of the table: what, how it is shown, what it came to, and the goal."""

    text: str
    shown: str
    value: Callable[[Results], float]
    goal: float
    is_least: bool = False

    def kept(self, value: float) -> bool:
        """Return whether a value meets the goal."""
        return value >= self.goal if self.is_least else value <= self.goal


def measure_rows() -> dict[str, dict[str, Any]]:
    """Return the medians of all figures, by row."""
    found: dict[str, dict[str, Any]] = {}
    for row in ROWS:
        rounds = []
        try:
            for _ in range(row.rounds):
                with row.server() as served:
                    rounds.append(load("rows", served, row=row.row, **row.given))
        except LoadError as error:
            say(f"{row.name}: {error}")
            continue
        found[row.name] = {what: _middle([each[what] for each in rounds]) for what in rounds[0]}
        say(f"{row.name}: {found[row.name]}")
    return found


def _middle(values: list[Any]) -> Any:
    return median(values) if isinstance(values[0], int | float) else values[0]


def _row(name: str, what: str) -> Callable[[Results], float]:
    return lambda results: float(results.rows[name][what])


def _paced(sockets: int, what: str, *, ratio: bool = False) -> Callable[[Results], float]:
    def value(results: Results) -> float:
        duel = results.paced[sockets]
        return duel.ratio(OURS, what) if ratio else duel.median(OURS, what)

    return value


def _ratio(sockets: int) -> Callable[[Results], float]:
    return lambda results: results.closed[sockets].ratio()


def _to_bare(what: str) -> Callable[[Results], float]:
    return lambda results: float(results.rows["memory"][what] / results.rows["bare"]["bare"])


PROMISES = (
    Promise(
        "moves a second at 50 sockets, as a ratio to the floor", "{:.2f}", _ratio(50), 0.7, True
    ),
    Promise("at 500", "{:.2f}", _ratio(500), 1.0, True),
    Promise("at 2,000", "{:.2f}", _ratio(2_000), 1.0, True),
    Promise(
        "moves refused there",
        "{:,.0f}",
        lambda results: results.closed[2_000].median(OURS, "refused"),
        0,
    ),
    Promise(
        "processor time of the node a move, closed loop at 50, µs",
        "{:.1f}",
        lambda results: results.closed[50].median(OURS, "server_us"),
        30,
    ),
    Promise(
        "1,000 racers at one move a second each: share of a core",
        "{:.1%}",
        _paced(1_000, "server_share"),
        0.12,
    ),
    Promise("their p50, to the floor's", "{:.1f}", _paced(1_000, "p50", ratio=True), 2),
    Promise("their p99, to the floor's", "{:.1f}", _paced(1_000, "p99", ratio=True), 3),
    Promise(
        "10,000 racers, one move in two seconds each: p99, ms",
        "{:,.0f}",
        _paced(10_000, "p99"),
        100,
    ),
    Promise(
        "moves of theirs refused, or without an answer",
        "{:,.0f}",
        lambda results: (
            results.paced[10_000].median(OURS, "refused")
            + results.paced[10_000].median(OURS, "unanswered")
        ),
        0,
    ),
    Promise("answer to a move, bytes", "{:.1f}", _row("wire", "answer"), 16),
    Promise("a move, bytes", "{:.1f}", _row("wire", "move"), 12),
    Promise("progress, bytes", "{:.1f}", _row("wire", "progress"), 8),
    Promise("memory of a greeted session, to a bare socket's", "{:.2f}", _to_bare("greeted"), 1.5),
    Promise("of a racing one", "{:.2f}", _to_bare("racing"), 1.5),
    Promise("a room from creation to its first cards, ms", "{:.2f}", _row("memory", "room_ms"), 2),
    Promise(
        "a session that leaves, 10,000 on the node, ms", "{:.3f}", _row("crowd", "leave_ms"), 0.05
    ),
    Promise(
        "one change of a leaderboard that 1,000 watch, ms",
        "{:,.1f}",
        _row("board 1000", "cost_ms"),
        5,
    ),
    Promise(
        "one connection floods pings before its hello: others' worst, ms",
        "{:,.0f}",
        _row("flood", "worst"),
        50,
    ),
    Promise(
        "the node's memory grows by, KiB",
        "{:,.0f}",
        lambda results: results.rows["flood"]["grown"] / KIB,
        1_024,
    ),
    Promise(
        "`attempt.open` with a wrong digest on a journal of 4,000 entries, ms",
        "{:.2f}",
        _row("digests", "wrong_ms"),
        1,
    ),
    Promise("a late duplicate there, ms", "{:.2f}", _row("digests", "late_ms"), 1),
    Promise(
        "10,000 sockets drop at once: others' worst, ms", "{:,.0f}", _row("crowd", "worst"), 50
    ),
    Promise(
        "Redis away for 30 s, 5,000 who want to move: all have moved after, s",
        "{:.1f}",
        lambda results: results.rows["away"]["worst"] / 1e3,
        5,
    ),
    Promise("`room.create`, ms", "{:.2f}", _row("commands", "create_ms"), 0.5),
    Promise("`daily.list`, ms", "{:.2f}", _row("commands", "list_ms"), 0.5),
    Promise('"ready" in a room of 8, ms', "{:.2f}", _row("commands", "ready_ms"), 0.5),
    Promise(
        "journals read again for a move after 1,000 home pages", "{:.0f}", _row("home", "reads"), 0
    ),
    Promise("10,400 idle sessions: share of a core", "{:.1%}", _row("crowd", "share"), 0.01),
    Promise("2,000 silent rooms: share of a core", "{:.1%}", _row("silent", "share"), 0.01),
    Promise("an idle node's Redis commands a second", "{:.1f}", _row("idle", "commands"), 10),
)


def lines(results: Results) -> Iterator[str]:
    """Yield the table in Markdown; what could not be measured is a dash, and no goal met."""
    yield "| | found | goal | |"
    yield "|---|--:|--:|---|"
    for promise in PROMISES:
        found, kept = "-", False
        with suppress(KeyError, ValueError):
            value = promise.value(results)
            found, kept = promise.shown.format(value), promise.kept(value)
        goal = f"{'≥' if promise.is_least else '≤'} {promise.shown.format(promise.goal)}"
        yield f"| {promise.text} | {found} | {goal} | {'met' if kept else 'missed'} |"


def duel_lines(duels: dict[int, Duel]) -> Iterator[str]:
    """Yield the duels in Markdown."""
    yield "| sockets | | ratio to the floor | a second | µs each | p50 ms | p99 ms | p999 ms |"
    yield "|--:|---|--:|--:|--:|--:|--:|--:|"
    for sockets, duel in duels.items():
        for server in duel.found:
            figures = "| - " * 6
            with suppress(ValueError):
                figures = _figures(duel, server)
            yield f"| {sockets:,} | {server} {figures}|"


def _figures(duel: Duel, server: str) -> str:
    ratios, rates = duel.ratios(server), duel.values(server, "rate")
    ratio = f"{duel.ratio(server):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
    return (
        f"| {'1' if server == FLOOR else ratio} "
        f"| {median(rates):,.0f} ({min(rates):,.0f} to {max(rates):,.0f}) "
        f"| {duel.median(server, 'server_us'):.1f} | {duel.median(server, 'p50'):.2f} "
        f"| {duel.median(server, 'p99'):.2f} | {duel.median(server, 'p999'):.2f} "
    )
