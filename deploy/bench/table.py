"""The rows of the benchmark with their goals, and the results in Markdown."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from inspect import iscoroutinefunction
from pathlib import Path
from platform import python_version
from statistics import median
from typing import Any

from deploy.bench import boards, comparison, engine, herds, hostile, players, rows
from deploy.bench.attacks import ATTACKS
from deploy.bench.comparison import Round, Scenario, summary
from deploy.bench.engine import commit, machine
from deploy.bench.players import long_games
from engine.catalog import games
from server.base.redis.programs import redis_server_path

HERE = Path(__file__).parent
RESULTS = HERE / "RESULTS.md"
RECORDED = HERE / "recorded.json"
DECLARED = HERE / "rows.toml"

# The packages whose versions are listed with the results.
PACKAGES = ("websockets", "uvloop", "msgpack", "starlette", "uvicorn", "chess")

# The rows whose processor time ratios to the floor are recorded for `--check`.
CHECKED = ("closed 50", "closed 500")

# The instances of parametrized rows, with a number that goals may mention.
EACH: Mapping[str, Mapping[str, float]] = {
    "attack": {name: attack.memory for name, attack in ATTACKS.items()},
    "game": dict.fromkeys(games(), 0.0),
}

SCENARIOS: dict[str, Scenario] = {
    name: found
    for module in (boards, engine, herds, hostile, players, rows)
    for name, found in vars(module).items()
    if iscoroutinefunction(found) and found.__module__ == module.__name__
}


@dataclass(frozen=True, slots=True)
class Row:
    """A measurement and its goals; see `rows.toml`."""

    scenario: str
    server: str  # as arguments of `processes.running`
    # By figure (see `comparison.summary`), its description and bound, such as `≤ 12.0%`.
    goals: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    missed: Mapping[str, str] = field(default_factory=dict)  # by figure, why its goal is missed
    given: Mapping[str, Any] = field(default_factory=dict)  # further arguments
    against: Sequence[str] = ()  # servers to compare with, which run first
    rounds: int = 1  # whose medians are the figures

    def measure(self, name: str) -> list[Round]:
        """Measure it; see `comparison.measure`."""
        servers = [*self.against, self.server]
        scenario = SCENARIOS[self.scenario]
        return comparison.measure(name, scenario, servers, self.given, self.rounds)


def _rows() -> Iterator[tuple[str, Row]]:
    for name, fields in tomllib.loads(DECLARED.read_text(encoding="utf-8")).items():
        each = fields.pop("each", None)
        row = Row(**fields)
        if each is None:
            yield name, row
            continue
        # A row for each attack or game.
        for value, most in EACH[each].items():
            goals = {
                figure: (text.format(value), bound.format(most))
                for figure, (text, bound) in row.goals.items()
            }
            yield f"{name}: {value}", replace(row, goals=goals, given={**row.given, each: value})


ROWS = dict(_rows())


def is_met(value: float, bound: str) -> bool:
    """Return whether a value meets a bound; a bound without a sign is always met."""
    sign, _, number = bound.rpartition(" ")
    most = float(number.replace(",", "").rstrip("%")) / (100 if "%" in number else 1)
    return value >= most if sign == "≥" else not sign or value <= most


def shown(value: float, bound: str) -> str:
    """Return a value with the decimals of a bound."""
    decimals = len(bound.rstrip("%").partition(".")[2])
    return f"{value:,.{decimals}{'%' if '%' in bound else 'f'}}"


@dataclass(frozen=True, slots=True)
class Goal:
    """A goal of a row, and the measured value."""

    row: str
    figure: str
    text: str
    bound: str
    value: float | None  # `None` if the row has no such figure
    reason: str  # why it is missed, if known

    @property
    def met(self) -> bool:
        """Whether the value meets the bound."""
        return self.value is not None and is_met(self.value, self.bound)


def judged(found: Mapping[str, Sequence[Round]]) -> Iterator[Goal]:
    """Yield the goals of measured rows."""
    for name, rounds in found.items():
        row, figures = ROWS[name], summary(rounds)
        for figure, (text, bound) in row.goals.items():
            reason = row.missed.get(figure, "")
            yield Goal(name, figure, text, bound, figures.get(figure), reason)


def are_met(found: Mapping[str, Sequence[Round]]) -> bool:
    """Return whether all measured rows have figures that meet their goals."""
    return all(goal.met for goal in judged(found))


def lines(found: Mapping[str, Sequence[Round]]) -> Iterator[str]:
    """Yield the table of goals; a missing figure is a dash, and counts as missed."""
    yield "| | measured | goal | |"
    yield "|---|--:|--:|---|"
    for goal in judged(found):
        measured = "-" if goal.value is None else shown(goal.value, goal.bound)
        met = "met" if goal.met else "missed"
        verdict = f"{goal.bound} | {met}" if " " in goal.bound else " | "
        yield f"| {goal.text} | {measured} | {verdict} |"


def reason_lines(found: Mapping[str, Sequence[Round]]) -> Iterator[str]:
    """Yield a list of the reasons why goals are missed, each with its rows and figures."""
    rows: dict[str, list[str]] = {}
    for goal in judged(found):
        if not goal.met:
            reason = goal.reason or "Not explained."
            rows.setdefault(reason, []).append(f"{goal.row} ({goal.figure})")
    for reason, concerned in rows.items():
        yield f"- {'; '.join(concerned)}: {reason}"


def last_line(found: Mapping[str, Sequence[Round]]) -> str:
    """Return the ratios of closed loops to the floor, by number of sockets, as one line."""
    ratios = ", ".join(
        f"{name.removeprefix('closed ')} {summary(rounds)['rate / floor']:.2f}"
        for name, rounds in found.items()
        if name.startswith("closed ") and rounds
    )
    return f"ratio to the floor: {ratios}"


def comparison_lines(found: Mapping[str, Sequence[Round]], kind: str) -> Iterator[str]:
    """Yield a table of the rows whose names start with `kind`, with a line per server."""
    yield "| sockets | | ratio to the floor | a second | µs each | p50 ms | p99 ms | p999 ms |"
    yield "|--:|---|--:|--:|--:|--:|--:|--:|"
    for name, rounds in found.items():
        for server in rounds[0] if name.startswith(kind) and rounds else ():
            rates = [each[server]["rate"] for each in rounds]
            ratios = [each[server]["rate"] / each["floor"]["rate"] for each in rounds]
            quantiles = ("server_us", "p50", "p99", "p999")
            cells = [
                f"{ROWS[name].given['sockets']:,}",
                server,
                "1" if server == "floor" else _spread(ratios, ".2f"),
                _spread(rates, ",.0f"),
                f"{median(each[server]['server_us'] for each in rounds):.1f}",
                *(f"{median(r[server][what] for r in rounds):.2f}" for what in quantiles[1:]),
            ]
            yield f"| {' | '.join(cells)} |"


def _spread(values: Sequence[float], form: str) -> str:
    return f"{median(values):{form}} ({min(values):{form}} to {max(values):{form}})"


def work(rounds: Sequence[Round]) -> float:
    """Return the ratio of the floor's processor time per frame to ours, or 0 without rounds."""
    return 1 / summary(rounds).get("server_us / floor", float("inf"))


def recorded(name: str) -> float:
    """Return a row's `work` in the last full benchmark."""
    ratios: dict[str, float] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return ratios[name]


def write(found: Mapping[str, Sequence[Round]]) -> None:
    """Write the results, and the ratios for `--check`."""
    RESULTS.write_text("\n".join(_page(found)) + "\n", encoding="utf-8")
    ratios = {name: round(work(found[name]), 3) for name in CHECKED if found[name]}
    RECORDED.write_text(json.dumps(ratios, indent=1) + "\n", encoding="utf-8")


def _page(found: Mapping[str, Sequence[Round]]) -> Iterator[str]:
    yield f"""# The server's speed

Written by `make bench`. The floor is a bare `websockets` echo server (asyncio, no
compression). The stack also echoes, on uvloop with the node's own listener and sockets,
but without sessions: the upper bound for a node. Each server runs on one core, after a
warm-up connection; the load generator and Redis run on another. Servers take turns, and
figures are medians. A node's processor time in closed loops and at a person's pace
includes its searcher's, which is also measured separately; the searcher works only in
games by hints.

- commit: {commit("engine", "server")}
- date: {datetime.now(UTC):%Y-%m-%d}
- machine: {machine()}
- versions: {_versions()}

## Goals
Rows without a goal are for comparison.\n"""
    yield from lines(found)
    yield "\n## Why goals are missed"
    yield from reason_lines(found)
    yield f"""
## Closed loop
Rooms of two, which take turns at {", ".join(long_games())}. Players wait for each
answer before the next move. Ratios and rates are medians, with the minimum and the
maximum.
"""
    yield from comparison_lines(found, "closed")
    yield """
## At a person's pace
1,000 players move once a second each, 10,000 once every two seconds. Times are measured
from a move's due time.
"""
    yield from comparison_lines(found, "paced")


def _versions() -> str:
    output = subprocess.run(  # noqa: S603 - our own arguments
        [redis_server_path(), "--version"], capture_output=True, text=True, check=True
    ).stdout
    server = re.match(r"(\w+).*v=([\d.]+)", output)
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"Python {python_version()}, {packages}, {' '.join(server.groups()) if server else '?'}"
