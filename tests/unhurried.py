"""What nodes do not hurry with in tests, however busy the machine is with other ones.

Run it as `python -m tests.unhurried`: it is the command `samedeal`, for tests that are about
something else than overload.
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
    """Let nodes of this process accept everything, and wait for what they would serve without."""
    load.MAX_LAG = LONG  # type: ignore[misc]  # a constant of nodes
    previews.READ_WITHIN = LONG
    # Other tests would keep them from the processor for minutes.
    line_process.STEPS_BACK = False


def run() -> None:
    """Run the command; members who have done nothing keep their seats, however slow their pages."""
    take_time()
    absence.QUICK_ABSENCE_MS = absence.SEAT_ABSENCE_MS
    main(sys.argv[1:])


if __name__ == "__main__":
    run()
