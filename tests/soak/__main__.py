"""Run the soak test: `make soak`; for all options, `python -m tests.soak --help`."""

from __future__ import annotations

import argparse
import asyncio
import secrets
import shutil
import signal
import sys
from pathlib import Path

from tests.processes import ROOT
from tests.soak.report import table
from tests.soak.run import Settings, run

MAX_SHOWN = 100
"""The most complaints printed. All of them are written to a file."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="duration in minutes")
    parser.add_argument("--players", type=int, default=700, help="number of concurrent players")
    parser.add_argument("--seed", type=int, help="seed of all random choices")
    parser.add_argument("--redis", choices=["alone", "cluster"], default="alone")
    parser.add_argument(
        "--pace", type=float, default=2.0, help="mean seconds between a player's commands"
    )
    given = parser.parse_args()
    seed = secrets.randbelow(1 << 31) if given.seed is None else given.seed
    settings = Settings(60 * given.minutes, given.players, seed, given.redis, given.pace)
    folder = ROOT / "build" / "soak" / f"{given.redis}-{seed}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    again = f"--seed {seed} --redis {given.redis} --players {given.players}"
    _print(f"{again}, {given.minutes:g} minutes; logs in {_relative(folder)}")
    # Exit normally on SIGTERM, so that the run ends its child processes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    report = asyncio.run(run(settings, folder, _print))
    for line in table(report.course, report.counts):
        _print(line)
    if not report.complaints:
        _print("\nNothing was lost, and departed players left nothing behind.")
        return 0
    _print(f"\n{len(report.complaints)} complaints:")
    for complaint in report.complaints[:MAX_SHOWN]:
        _print(str(complaint))
    _print(f"More in {_relative(folder)}.")
    return 1


def _print(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a command's output


def _relative(folder: Path) -> Path:
    return folder.relative_to(ROOT)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\ninterrupted")
