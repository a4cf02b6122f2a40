"""The results in Markdown, their charts, and the ratios that `--check` compares with."""

from __future__ import annotations

import json
import platform
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from deploy.bench.comparison import FLOOR, OURS, Comparison
from deploy.bench.curves import Panel, picture
from deploy.bench.engine import git, machine
from deploy.bench.table import BOARDS, Results, comparison_lines, lines
from server.base.redis.programs import redis_server_path

HERE = Path(__file__).parent
RESULTS = HERE / "RESULTS.md"
CURVES = HERE / "curves.svg"
RECORDED = HERE / "recorded.json"


def write(results: Results, notes: list[str]) -> None:
    """Write the results, their charts and the ratios; the notes go into the results."""
    RESULTS.write_text("\n".join(page(results, notes)) + "\n", encoding="utf-8")
    CURVES.write_text(picture(panels(results)), encoding="utf-8")
    ratios = {
        str(sockets): round(comparison.ratio(), 2)
        for sockets, comparison in results.closed.items()
        if comparison.ratios(OURS)
    }
    RECORDED.write_text(json.dumps(ratios, indent=1) + "\n", encoding="utf-8")


def recorded(sockets: int) -> float:
    """Return the ratio to the floor at a number of sockets, as the last full benchmark wrote it."""
    ratios: dict[str, float] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return ratios[str(sockets)]


def page(results: Results, notes: list[str]) -> Iterator[str]:
    """Yield the lines of the results in Markdown."""
    yield "# The server's speed"
    yield ""
    yield "Written by `make bench`. The floor is a bare `websockets` echo server (asyncio,"
    yield "compression off). Each server runs on one core, warmed up by a connection that is opened"
    yield "and closed; the load generator and Redis run on another. Servers take turns; figures are"
    yield "medians."
    yield ""
    yield f"- commit: {_commit()}"
    yield f"- date: {datetime.now(UTC):%Y-%m-%d}"
    yield f"- machine: {machine()}"
    yield f"- versions: {_versions()}"
    yield from (f"- {note}" for note in notes)
    yield ""
    yield "## Goals"
    yield from lines(results)
    yield ""
    yield "## Closed loop"
    yield "All games, rooms of two; each player waits for the answer before the next move. Ratios"
    yield "and rates are medians, with the minimum and the maximum."
    yield ""
    yield from comparison_lines(results.closed)
    yield ""
    yield "## At a person's pace"
    yield "1,000 players move once a second each, 10,000 once in two seconds; times are measured"
    yield "from when a move was due."
    yield ""
    yield from comparison_lines(results.paced)
    yield ""
    yield "## Growth"
    yield "![How costs grow](curves.svg)"


def panels(results: Results) -> list[Panel]:
    """Return the charts, of what could be measured."""
    boards = {count: results.rows.get(f"board {count}") for count in BOARDS}
    growth = results.rows.get("digests", {}).get("growth", [])
    return [
        Panel(
            "Processor time a move, µs, closed loop",
            "sockets",
            {name: _costs(results.closed, name) for name in (OURS, FLOOR)},
        ),
        Panel(
            "Processor time a move, µs",
            "seats in a room",
            {OURS: _costs(results.seats, OURS)},
            logarithmic=False,
        ),
        Panel(
            "One change of a leaderboard, ms of a core",
            "watchers",
            {OURS: [(count, row["cost_ms"]) for count, row in boards.items() if row]},
        ),
        Panel(
            "Processor time a move of one player, µs",
            "moves played before",
            {OURS: [(length, cost) for length, cost in growth]},
            logarithmic=False,
        ),
    ]


def _costs(comparisons: dict[int, Comparison], server: str) -> list[tuple[float, float]]:
    return [
        (count, comparison.median(server, "server_us"))
        for count, comparison in comparisons.items()
        if any(comparison.found[server])
    ]


def _commit() -> str:
    head = git("rev-parse", "--short=12", "HEAD")
    return (
        f"{head} with changes" if git("status", "--porcelain", "--", "engine", "server") else head
    )


def _versions() -> str:
    output = subprocess.run(  # noqa: S603 - our own arguments
        [redis_server_path(), "--version"], capture_output=True, text=True, check=True
    ).stdout
    redis = re.search(r"v=([\d.]+)", output)
    packages = ", ".join(f"{name} {version(name)}" for name in ("websockets", "uvloop", "msgpack"))
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{python}, {packages}, Redis {redis[1] if redis else 'unknown'}"
