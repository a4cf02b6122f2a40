"""What is measured, with its goals, and the results as a page in Markdown."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from inspect import iscoroutinefunction
from pathlib import Path
from statistics import median
from typing import Any

from deploy.bench import boards, hostile, players, rows
from deploy.bench.attacks import ATTACKS
from deploy.bench.comparison import (
    FLOOR,
    OURS,
    Comparison,
    Scenario,
    StartServer,
    guarded,
    load,
    metered,
    print_line,
    unlimited,
)
from deploy.bench.engine import commit, machine, python
from deploy.bench.players import LONG, Figures
from deploy.bench.processes import LoadError, floor, node
from server.base.redis.programs import redis_server_path

HERE = Path(__file__).parent
RESULTS = HERE / "RESULTS.md"
RECORDED = HERE / "recorded.json"
DECLARED = HERE / "rows.toml"

ATTACK_MEMORY = 24
"""MiB by which any attack may let a node grow: 18 of budgets that are kept for a while
(`limits.MAX_KNOWN`), and what the allocator does not give back."""

SOCKET_MEMORY = 80 / 1_024
"""MiB beside that for each attacking connection: 32 KiB that it has sent too fast, 32 KiB that it
does not read, and a session."""

SERVERS: dict[str, StartServer] = {
    start.__name__: start for start in (floor, node, unlimited, metered, guarded)
}
SCENARIOS: dict[str, Scenario] = {
    name: found
    for module in (boards, hostile, players, rows)
    for name, found in vars(module).items()
    if iscoroutinefunction(found) and found.__module__ == module.__name__
}


@dataclass(frozen=True, slots=True)
class Row:
    """A measurement, and what is demanded of it; `rows.toml` says more.

    Attributes:
        goals: by figure, what it is, and its bound, such as `≤ 12.0%`.
        server: what is measured; a comparison has none.
    """

    goals: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    server: str = ""
    scenario: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    rounds: int = 1


def _rows() -> Iterator[tuple[str, Row]]:
    """Yield the rows of the file with their names, those of attacks each by itself."""
    for name, fields in tomllib.loads(DECLARED.read_text(encoding="utf-8")).items():
        row = Row(**fields)
        if name != HOSTILE:
            yield name, row
            continue
        for attack, how in ATTACKS.items():
            most = ATTACK_MEMORY + SOCKET_MEMORY * how.sockets
            goals = {
                figure: (text.format(attack), bound.format(most))
                for figure, (text, bound) in row.goals.items()
            }
            yield f"{name}: {attack}", replace(row, goals=goals, given={"attack": attack})


HOSTILE = "hostile"
"""The name of the rows of all attacks."""

ROWS = dict(_rows())
MEASURED = [name for name, row in ROWS.items() if row.server]


def is_met(value: float, bound: str) -> bool:
    """Return whether a value meets a bound."""
    sign, number = bound.split()
    most = float(number.replace(",", "").rstrip("%")) / (100 if "%" in number else 1)
    return value >= most if sign == "≥" else value <= most


def shown(value: float, bound: str) -> str:
    """Return a value with the decimals of a bound."""
    decimals = len(bound.rstrip("%").partition(".")[2])
    return f"{value:,.{decimals}{'%' if '%' in bound else 'f'}}"


def measure_rows(names: Collection[str]) -> dict[str, Figures]:
    """Measure rows, and return the medians of their figures, by row."""
    found: dict[str, Figures] = {}
    for name in MEASURED:
        row = ROWS[name]
        if name not in names:
            continue
        rounds = []
        try:
            for _ in range(row.rounds):
                with SERVERS[row.server]() as server:
                    rounds.append(load(SCENARIOS[row.scenario], server, row.given))
        except LoadError as error:
            print_line(f"{name}: {error}")
            continue
        found[name] = {what: _median([each[what] for each in rounds]) for what in rounds[0]}
        if name == "memory" and "bare" in found:
            for what in ("idle", "racing"):
                found[name][f"{what}_ratio"] = found[name][what] / found["bare"]["bare"]
        print_line(f"{name}: {found[name]}")
    return found


def _median(values: list[Any]) -> Any:
    return median(values) if isinstance(values[0], int | float) else values[0]


def compared(name: str, comparisons: Sequence[Comparison]) -> dict[str, Figures]:
    """Return what goals ask of comparisons, by their names."""
    found = {}
    for each in comparisons:
        if not each.ratios(OURS):
            continue
        figures = {
            what: each.median(OURS, what)
            for what in ("server_us", "server_share", "refused", "p99")
        }
        figures |= {f"{what}_ratio": each.ratio(OURS, what) for what in ("p50", "p99")}
        if name == "paced":
            figures["lost"] = sum(
                each.median(OURS, what) for what in ("refused", "failed", "unanswered")
            )
        found[f"{name} {each.sockets}"] = {**figures, "ratio": each.ratio()}
    return found


def judged(found: Mapping[str, Figures]) -> Iterator[tuple[str, str, float | None]]:
    """Yield what each goal is about, its bound, and its value, or `None` if there is none."""
    for name, row in ROWS.items():
        for figure, (text, bound) in row.goals.items():
            yield text, bound, found.get(name, {}).get(figure)


def are_met(found: Mapping[str, Figures]) -> bool:
    """Return whether all goals that are about what was measured are met."""
    return all(is_met(value, bound) for _, bound, value in judged(found) if value is not None)


def lines(found: Mapping[str, Figures]) -> Iterator[str]:
    """Yield the table of goals; what could not be measured is a dash, and counts as missed."""
    yield "| | measured | goal | |"
    yield "|---|--:|--:|---|"
    for text, bound, value in judged(found):
        measured = "-" if value is None else shown(value, bound)
        met = value is not None and is_met(value, bound)
        yield f"| {text} | {measured} | {bound} | {'met' if met else 'missed'} |"


def comparison_lines(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield the comparisons as a table."""
    yield "| sockets | | ratio to the floor | a second | µs each | p50 ms | p99 ms | p999 ms |"
    yield "|--:|---|--:|--:|--:|--:|--:|--:|"
    for comparison in comparisons:
        for server in comparison.found:
            ratios, rates = comparison.ratios(server), comparison.values(server, "rate")
            cells = ["-"] * 6
            if ratios:
                each = f"{comparison.ratio(server):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
                cells = [
                    "1" if server == FLOOR else each,
                    f"{median(rates):,.0f} ({min(rates):,.0f} to {max(rates):,.0f})",
                    f"{comparison.median(server, 'server_us'):.1f}",
                    *(f"{comparison.median(server, p):.2f}" for p in ("p50", "p99", "p999")),
                ]
            yield f"| {comparison.sockets:,} | {server} | {' | '.join(cells)} |"


def write(
    closed: Sequence[Comparison],
    paced: Sequence[Comparison],
    found: Mapping[str, Figures],
) -> None:
    """Write the results, and the ratios that `--check` compares with."""
    page = "\n".join(_page(closed, paced, found))
    RESULTS.write_text(page + "\n", encoding="utf-8")
    ratios = {
        str(comparison.sockets): round(comparison.work(), 2)
        for comparison in closed
        if comparison.ratios(OURS)
    }
    RECORDED.write_text(json.dumps(ratios, indent=1) + "\n", encoding="utf-8")


def recorded(sockets: int) -> float:
    """Return `Comparison.work` at a number of sockets, as the last full benchmark wrote it."""
    ratios: dict[str, float] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return ratios[str(sockets)]


def _page(
    closed: Sequence[Comparison],
    paced: Sequence[Comparison],
    found: Mapping[str, Figures],
) -> Iterator[str]:
    yield f"""# The server's speed

Written by `make bench`. The floor is a bare `websockets` echo server (asyncio,
compression off). The floor on our stack echoes too, on uvloop, with the node's own
listener and sockets, but without sessions: what the stack allows. Each server runs on
one core, warmed up by a connection that is opened and closed; the load generator and
Redis run on another. Servers take turns; figures are medians. A node's processor time
includes that of its searcher, which has nothing to do in the games that are played;
it is measured by itself.

- commit: {commit("engine", "server")}
- date: {datetime.now(UTC):%Y-%m-%d}
- machine: {machine()}
- versions: {_versions()}"""
    yield "\n## Goals"
    yield from lines(found)
    yield f"""
## Closed loop
Rooms of two, in turn of {", ".join(LONG)}, at each number of sockets; a player waits
for the answer before the next move. Ratios and rates are medians, with the minimum and
the maximum.
"""
    yield from comparison_lines(closed)
    yield """
## At a person's pace
1,000 players move once a second each, 10,000 once in two seconds; times are measured
from when a move was due.
"""
    yield from comparison_lines(paced)


def _versions() -> str:
    output = subprocess.run(  # noqa: S603 - our own arguments
        [redis_server_path(), "--version"], capture_output=True, text=True, check=True
    ).stdout
    redis = re.search(r"v=([\d.]+)", output)
    packages = ", ".join(f"{name} {version(name)}" for name in ("websockets", "uvloop", "msgpack"))
    return f"{python()}, {packages}, Redis {redis[1] if redis else 'unknown'}"
