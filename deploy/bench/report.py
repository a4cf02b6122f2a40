"""The results in Markdown, and the ratios that `--check` compares with."""

from __future__ import annotations

import json
import platform
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from deploy.bench.closed import LONG
from deploy.bench.comparison import OURS
from deploy.bench.engine import git, machine
from deploy.bench.table import Results, comparison_lines, lines
from server.base.redis.programs import redis_server_path

HERE = Path(__file__).parent
RESULTS = HERE / "RESULTS.md"
RECORDED = HERE / "recorded.json"


def write(results: Results, notes: list[str]) -> None:
    """Write the results and the ratios; the notes go into the results."""
    RESULTS.write_text("\n".join(page(results, notes)) + "\n", encoding="utf-8")
    ratios = {
        str(sockets): round(comparison.work(), 2)
        for sockets, comparison in results.closed.items()
        if comparison.ratios(OURS)
    }
    RECORDED.write_text(json.dumps(ratios, indent=1) + "\n", encoding="utf-8")


def recorded(sockets: int) -> float:
    """Return `Comparison.work` at a number of sockets, as the last full benchmark wrote it."""
    ratios: dict[str, float] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return ratios[str(sockets)]


def page(results: Results, notes: list[str]) -> Iterator[str]:
    """Yield the lines of the results in Markdown."""
    yield "# The server's speed"
    yield ""
    yield "Written by `make bench`. The floor is a bare `websockets` echo server (asyncio,"
    yield "compression off). The floor on our stack echoes too, on uvloop, with the node's own"
    yield "listener and sockets, but without sessions: what the stack allows. Each server runs on"
    yield "one core, warmed up by a connection that is opened and closed; the load generator and"
    yield "Redis run on another. Servers take turns; figures are medians. A node's processor time"
    yield "includes that of its searcher, which has nothing to do in the games that are played;"
    yield "it is measured by itself."
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
    yield f"Rooms of two, in turn of {', '.join(LONG)}, at each number of sockets; a player waits"
    yield "for the answer before the next move. Ratios and rates are medians, with the minimum and"
    yield "the maximum."
    yield ""
    yield from comparison_lines(results.closed)
    yield ""
    yield "## At a person's pace"
    yield "1,000 players move once a second each, 10,000 once in two seconds; times are measured"
    yield "from when a move was due."
    yield ""
    yield from comparison_lines(results.paced)


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
