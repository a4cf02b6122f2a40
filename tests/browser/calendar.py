"""A server whose clock is moved, for tests of what takes days."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from tests.browser.conftest import Site
from tests.browser.player import Player
from tests.dates import DAY, moved

MINUTE = 60
"""Seconds."""

NOON = 12 * 60 * MINUTE
BEFORE_MIDNIGHT = DAY - 10 * MINUTE


class Calendar(Site):
    """A site whose clock stands at a time of the day, in seconds, and goes on to other days."""

    def __init__(self, data: Path, at: float = NOON) -> None:
        super().__init__(data)
        self.ahead += (at - self.now().timestamp()) % DAY

    def start(self) -> None:
        """Start the server on the day that it is."""
        self._program = moved(self.ahead)
        super().start()

    def go_on(self, days: int = 1) -> None:
        """Let some days pass."""
        self.pass_time(days * DAY)

    def pass_time(self, seconds: float) -> None:
        """Let some time pass; pages that are open lose their sessions, and open new ones."""
        self.stop()
        self.ahead += seconds
        self.start()

    def date(self, ahead: int = 0) -> str:
        """Return the date of a day from this one on."""
        return (self.now() + timedelta(days=ahead)).date().isoformat()


@contextmanager
def running_calendar(at: float = NOON) -> Iterator[Calendar]:
    """Run a server on data of its own, whose clock stands at a time of the day."""
    with tempfile.TemporaryDirectory(prefix="samedeal") as data:
        site = Calendar(Path(data), at)
        site.start()
        yield site
        site.stop()


def leave_screenshot(player: Player, number: int, step: str) -> None:
    """Leave a screenshot of a step of a test in the folder that `DAYS` names, if it does."""
    if folder := os.environ.get("DAYS"):
        player.page.screenshot(path=Path(folder) / f"{number:02}-{step}.png", full_page=True)
