"""An estimate of the server's clock."""

from __future__ import annotations

import time


class Clock:
    """The local clock plus an offset, measured over the shortest round trip."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()
        self._round_trip = float("inf")

    def now(self) -> int:
        """Return the server's time in Unix milliseconds."""
        return round((time.monotonic() + self._offset) * 1000)

    def restart(self) -> None:
        """Accept any new measurement: the machine may have been asleep."""
        self._round_trip = float("inf")

    def measure(self, server: int, asked: float, came: float) -> None:
        """Take a measurement if no earlier one had a shorter round trip.

        `server` is in Unix milliseconds; `asked` and `came` are the local monotonic times of
        request and answer, in seconds.
        """
        if came - asked <= self._round_trip:
            self._round_trip = came - asked
            self._offset = server / 1000 - (asked + came) / 2
