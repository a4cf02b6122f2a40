"""The command `samedeal` with patient limits, for tests on busy machines.

Run it as `python -m tests.unhurried`, in tests that are not about overload.
"""

from __future__ import annotations

import sys

from server.base.net import load
from server.base.web import previews
from server.base.work import line_process
from server.cli.main import main
from server.rooms.core import absence

LONG = 60.0
"""Seconds."""


def take_time() -> None:
    """Let nodes of this process accept everything, and wait for optional parts."""
    load.MAX_LAG = LONG  # type: ignore[misc]  # a constant of nodes
    previews.READ_WITHIN = LONG
    # At idle priority, these processes would wait for other tests for minutes.
    line_process.STEPS_BACK = False


def run() -> None:
    """Run the command; idle members keep their seats, however slow their pages."""
    take_time()
    absence.QUICK_ABSENCE_MS = absence.SEAT_ABSENCE_MS
    main(sys.argv[1:])


if __name__ == "__main__":
    run()
