"""The server's clock, as it is estimated here."""

from __future__ import annotations

import time


class Clock:
    """The server's time: the local one and an offset, measured over the shortest round trip."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()
        self._round_trip = float("inf")

    def now(self) -> int:
        """Return the server's time in Unix milliseconds."""
        return round((time.monotonic() + self._offset) * 1000)

    def restart(self) -> None:
        """Forget how well the offset was measured: the machine may have slept since."""
        self._round_trip = float("inf")

    def measure(self, server: int, asked: float, came: float) -> None:
        """Take a measurement, if it is at least as good as the last one.

        Args:
            server: what the server said, in Unix milliseconds.
            asked: the local monotonic time in seconds at which it was asked.
            came: the one at which the answer came.
        """
        if came - asked <= self._round_trip:
            self._round_trip = came - asked
            self._offset = server / 1000 - (asked + came) / 2
