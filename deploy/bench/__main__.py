"""Measures the server beside a floor: a bare `websockets` echo.

python -m deploy.bench [--quick]
"""

from __future__ import annotations

import argparse
import sys

from deploy.bench.duel import Duel, closed_loops, say
from deploy.bench.processes import LOAD_CORE, pin

QUICK_SOCKETS = (50, 500)
QUICK_ROUNDS = 3
QUICK_SECONDS = 2.0


def last_line(duels: list[Duel]) -> str:
    """Return the ratios to the floor as one line."""
    ratios = ", ".join(f"{duel.sockets} {duel.ratio():.2f}" for duel in duels)
    return f"ratio to the floor: {ratios}"


def quick() -> int:
    """Measure the closed loop in less than two minutes."""
    duels = closed_loops(QUICK_SOCKETS, QUICK_ROUNDS, QUICK_SECONDS)
    times = ", ".join(f"{duel.sockets} {1 / duel.ratio(what='server_us'):.2f}" for duel in duels)
    say(f"ratio of processor time, floor to ours: {times}")
    say(last_line(duels))
    return 0


def main() -> int:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m deploy.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the closed loop alone")
    parser.parse_args()
    pin(LOAD_CORE)
    return quick()


if __name__ == "__main__":
    sys.exit(main())
