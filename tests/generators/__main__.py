"""Read every operation of a node with generated clients: `make generators`.

The generators and the programs they need are installed into a temporary folder, in pinned versions.
Each makes a client from the OpenAPI document that a node serves. The client is compiled, and reads
the node's real answers; what it has read must be what the node has sent. It takes some minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog

from tests.generators import compiled, python, typescript
from tests.generators.client import ADDRESS, Client, Job
from tests.generators.operations import Operation
from tests.generators.populated import asked, differences, populated, shown
from tests.generators.tools import MissingError, StepError, Tools

CLIENTS = (*typescript.CLIENTS, *python.CLIENTS, *compiled.CLIENTS)

STEPS = ("generate", "compile")

FAILED, MISSING = 1, 2
"""Exit statuses."""

MISSES = "this needs"
"""How the outcome begins if a program is missing."""

Row = dict[str, str]
"""Outcomes of a client by step and operation: "ok", "-" if it has none, or else an error."""


async def tried(tools: Tools, folder: Path, names: Sequence[str]) -> dict[str, Row]:
    """Return the rows of clients with these words in their names."""
    rows = {}
    async with populated(folder) as (site, values):
        address = f"http://127.0.0.1:{site.port}/api"
        for client in CLIENTS:
            if not any(name in client.name for name in names):
                continue
            operations = await asked(site, values)
            place = tools.folder / re.sub(r"\W+", "-", client.name).strip("-")
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            document = place / "openapi.json"
            (served,) = (each.answer for each in operations if each.name == "showDocument")
            document.write_text(json.dumps(served))
            rows[client.name] = await _row(client, Job(tools, place, document, operations), address)
            _print(f"{client.name}: {_summary(rows[client.name])}")
    return rows


async def _row(client: Client, job: Job, address: str) -> Row:
    row: Row = {}
    try:
        reader = await client.make(job)
        row = dict.fromkeys(STEPS, "ok")
        output = await job.tools.run("read", *reader, env={ADDRESS: address})
    except StepError as error:
        # The steps before it have succeeded.
        before = STEPS[: STEPS.index(error.step)] if error.step in STEPS else STEPS
        return dict.fromkeys(before, "ok") | {error.step: str(error)}
    except MissingError as error:
        return {STEPS[0]: f"{MISSES} {error}"}
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    read = {line["operation"]: line for line in lines}
    for each in job.operations:
        row[each.name] = _outcome(each, read.get(each.name)) if client.reads(each) else "-"
    return row


def _outcome(operation: Operation, line: dict[str, object] | None) -> str:
    if line is None:
        return "it has printed nothing"
    if "error" in line:
        return str(line["error"])
    found = differences(line["value"], shown(operation))
    return found[0] if found else "ok"


def _summary(row: Row) -> str:
    errors = {name: text for name, text in row.items() if text not in {"ok", "-"}}
    return "; ".join(f"{name}: {text}" for name, text in errors.items()) or "ok"


def table(rows: dict[str, Row]) -> str:
    """Return a table of the clients' outcomes, with a column for each step and operation."""
    columns = list(dict.fromkeys(name for row in rows.values() for name in (*STEPS, *row)))
    lines = [f"| client | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    for name, row in rows.items():
        cells = (_cell(row.get(column, "")) for column in columns)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(outcome: str) -> str:
    if outcome in {"ok", "-", ""}:
        return outcome
    return "MISSING" if outcome.startswith(MISSES) else "FAILED"


async def _run(folder: Path, names: Sequence[str]) -> int:
    tools = Tools(folder / "tools")
    tools.folder.mkdir(exist_ok=True)
    _print("installing the generators …")
    try:
        await tools.install()
    except (MissingError, StepError) as error:
        _print(f"make: the generators cannot be installed: {error}")
        return MISSING
    rows = await tried(tools, folder, names)
    _print(f"\n{table(rows)}")
    cells = {_cell(outcome) for row in rows.values() for outcome in row.values()}
    return FAILED if "FAILED" in cells else MISSING if "MISSING" in cells else 0


def main() -> int:
    """Return the exit status: 1 if a client fails, 2 if a program cannot be installed."""
    parser = argparse.ArgumentParser(prog="python -m tests.generators", description=__doc__)
    parser.add_argument("names", nargs="*", default=[""], help="parts of the clients' names")
    parser.add_argument(
        "--keep", metavar="FOLDER", type=Path, help="keep all files here, and reuse the packages"
    )
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    if given.keep is not None:
        given.keep.mkdir(parents=True, exist_ok=True)
        return asyncio.run(_run(given.keep.resolve(), given.names))
    with TemporaryDirectory(prefix="samedeal") as folder:
        return asyncio.run(_run(Path(folder), given.names))


def _print(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a command's output


if __name__ == "__main__":
    sys.exit(main())
