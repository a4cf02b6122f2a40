"""Run the fault suite: `make faults`; for all options, `python -m tests.faults --help`."""

from __future__ import annotations

import argparse
import asyncio
import secrets
import shutil
import signal
import sys
from pathlib import Path

from tests.faults import injection
from tests.faults.run import Settings, run, table
from tests.processes import ROOT

MAX_SHOWN = 100
"""The most complaints printed. All of them are written to a file."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    kinds = [*injection.WEIGHTS, *(kind for more in injection.ONLY_IN.values() for kind in more)]
    parser.add_argument("--faults", type=int, default=1000, help="how many")
    parser.add_argument("--seed", type=int, help="seed of all random choices")
    parser.add_argument("--redis", choices=["alone", "cluster", "private"], default="alone")
    parser.add_argument(
        "--workers", type=int, default=1, help="processes of the node, with a private Redis"
    )
    parser.add_argument("--players", type=int, default=24, help="number of concurrent players")
    parser.add_argument("--pause", type=float, default=0.55, help="mean seconds between faults")
    parser.add_argument("--only", nargs="+", choices=kinds, help="only these kinds")
    parser.add_argument(
        "--without", nargs="+", choices=kinds, default=[], help="all kinds except these"
    )
    parser.add_argument(
        "--broken", action="store_true", help="make nodes acknowledge before they append"
    )
    given = parser.parse_args()
    seed = secrets.randbelow(1 << 31) if given.seed is None else given.seed
    allowed = given.only or injection.weights_in(given.redis, given.workers)
    settings = Settings(
        faults=given.faults,
        seed=seed,
        redis=given.redis,
        workers=given.workers,
        players=given.players,
        pause=given.pause,
        broken=given.broken,
        kinds=tuple(kind for kind in allowed if kind not in given.without),
    )
    folder = ROOT / "build" / "faults" / f"{given.redis}-{seed}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    _print(f"seed {seed}, {given.faults} faults, Redis {given.redis}; logs in {_relative(folder)}")
    # Exit normally on SIGTERM, so that the run ends its child processes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    report = asyncio.run(run(settings, folder, _print))
    lines = table(report)
    shown = len(lines) - max(0, len(report.complaints) - MAX_SHOWN)
    for line in lines[:shown]:
        _print(line)
    if report.complaints:
        _print(f"More in {_relative(folder)}. Repeat with: --seed {seed} --redis {given.redis}")
    return 1 if report.complaints else 0


def _print(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a command's output


def _relative(folder: Path) -> Path:
    return folder.relative_to(ROOT)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\ninterrupted")
