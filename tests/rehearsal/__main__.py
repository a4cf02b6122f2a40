"""Rehearse deploy/README.md in containers: `make rehearse`.

It builds the images of deploy/Dockerfile, starts docker-compose.yml, and follows an operator's
instructions, with Docker or else with podman. If the machine reaches no image registry, stand-ins
replace the registry's images (base_images.py).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tests.machine import install_packages
from tests.processes import ROOT
from tests.rehearsal import base_images, podman, prerequisites
from tests.rehearsal.site import NAME, Site
from tests.rehearsal.steps import SERVICES, Steps

FOLDER = ROOT / "build" / "rehearsal"


class Row(NamedTuple):
    """A completed step."""

    name: str
    seconds: float
    outcome: str
    done: bool = True


async def rehearse(steps: Steps) -> list[Row]:
    plan: list[tuple[str, Callable[[], Awaitable[str]]]] = [
        ("build the images", steps.build),
        ("start the stack", steps.start),
        ("play a race and a daily", steps.play),
        ("check the containers' rights", steps.harden),
        *((f"restart {name}", partial(steps.disturb, "restart", name)) for name in SERVICES),
        *((f"kill {name}", partial(steps.disturb, "kill", name)) for name in ("redis", "node-a")),
        ("back up", steps.back_up),
        ("restore", steps.restore),
        ("upgrade", steps.upgrade),
        ("certify", steps.certify),
        ("check the store", steps.check),
        ("end it", steps.end),
        ("one container", steps.one_container),
        ("somebody else's volume", steps.wrong_owner),
    ]
    rows: list[Row] = []
    for name, act in plan:
        _print(f"{name} …")
        begun = time.monotonic()
        try:
            row = Row(name, 0.0, await act())
        except Exception as error:
            row = Row(name, 0.0, _first_of(error), done=False)
        rows.append(row._replace(seconds=time.monotonic() - begun))
        if not row.done:
            break
    return rows


def table(rows: list[Row]) -> str:
    lines = ["| step | seconds | outcome |", "|---|--:|---|"]
    for row in rows:
        first = row.outcome.splitlines()[0]
        lines.append(
            f"| {row.name} | {row.seconds:.1f} | {'' if row.done else 'FAILED: '}{first} |"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.rehearsal", description=__doc__)
    parser.add_argument(
        "--engine",
        choices=["docker", "podman"],
        help="container engine; by default an available one",
    )
    parser.add_argument("--keep", action="store_true", help="leave the stack running")
    given = parser.parse_args()
    try:
        variables = _prepared(given.engine or _engine())
    except prerequisites.MissingError as error:
        print(f"make: {error}", file=sys.stderr)  # noqa: T201 - a command's output
        return 1
    site = Site(FOLDER, variables)
    rows = asyncio.run(rehearse(Steps(site)))
    _print(f"\n{table(rows)}")
    if rows[-1].done:
        return 0
    _print(f"\n{rows[-1].outcome}\n\nMore in {_relative(site.log)}.")
    if not given.keep:
        site.run("docker compose --profile certify down --volumes")
        site.run(f"docker rm --force --volumes {NAME}; docker volume rm --force {NAME}")
    return 1


def _prepared(engine: str) -> dict[str, str]:
    """Install an engine's prerequisites, and return the commands' environment variables."""
    provide = partial(
        prerequisites.provide, read=prerequisites.read_version, install_packages=install_packages
    )
    variables = dict(os.environ)
    if engine == "docker":
        provide(prerequisites.DOCKER)
        _empty(FOLDER)
        return variables
    if os.geteuid() != 0:
        raise prerequisites.MissingError(
            "the rehearsal needs root for podman: run `sudo make rehearse`, or start Docker"
        )
    has_images = shutil.which("podman") is not None and base_images.are_there()
    provide([*prerequisites.PODMAN, *([] if has_images else [prerequisites.STAND_INS])])
    _empty(FOLDER)
    compose = prerequisites.install_compose(FOLDER / "podman-compose")
    variables |= podman.install(FOLDER / "bin", compose)
    if not has_images:
        base_images.make()
    return variables


def _empty(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _first_of(error: Exception) -> str:
    """Return the first of the errors that the players met."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"


def _engine() -> str:
    words = ["docker", "info"]
    works = shutil.which("docker") and subprocess.run(words, capture_output=True, check=False)  # noqa: S603
    return "docker" if works and works.returncode == 0 else "podman"


def _relative(path: Path) -> Path:
    return path.relative_to(ROOT)


def _print(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a command's output


if __name__ == "__main__":
    sys.exit(main())
