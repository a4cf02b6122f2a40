"""A server with a movable clock, for tests that span days."""

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
    """A site whose clock starts at a time of day, in seconds, and can skip to later days."""

    def __init__(self, data: Path, at: float = NOON) -> None:
        super().__init__(data)
        self.ahead += (at - self.now().timestamp()) % DAY

    def start(self) -> None:
        """Start the server on the current day."""
        self._program = moved(self.ahead)
        super().start()

    def skip_days(self, days: int = 1) -> None:
        """Skip some days."""
        self.skip_time(days * DAY)

    def skip_time(self, seconds: float) -> None:
        """Skip some time; open pages lose their sessions and open new ones."""
        self.stop()
        self.ahead += seconds
        self.start()

    def date(self, ahead: int = 0) -> str:
        """Return the date some days ahead."""
        return (self.now() + timedelta(days=ahead)).date().isoformat()


@contextmanager
def running_calendar(at: float = NOON) -> Iterator[Calendar]:
    """Run a server on its own data, with a clock that starts at a time of day."""
    with tempfile.TemporaryDirectory(prefix="samedeal") as data:
        site = Calendar(Path(data), at)
        site.start()
        yield site
        site.stop()


def leave_screenshot(player: Player, number: int, step: str) -> None:
    if folder := os.environ.get("DAYS"):
        player.page.screenshot(path=Path(folder) / f"{number:02}-{step}.png", full_page=True)
