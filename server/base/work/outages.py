"""Outages: conditions logged once when they start and once when they end."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping

import structlog

log = structlog.get_logger()


class Outage:
    """A condition that is logged when it starts and ends.

    Failures during an outage are consequences, and are logged at level `debug` at most.

    Args:
        begins: the event logged when the outage starts.
        ends: the event logged when it ends, with its duration in `seconds`.
        quiet: seconds without a failure until it ends, for intermittent failures.
        fields: fields of both events.
        now: the time of a monotonic clock in seconds; `None` for `time.monotonic`.
    """

    def __init__(
        self,
        begins: str,
        ends: str,
        *,
        quiet: float = 0.0,
        fields: Mapping[str, str] | None = None,
        now: Callable[[], float] | None = None,
    ) -> None:
        self._begins = begins
        self._ends = ends
        self._quiet = quiet
        self._now = now or time.monotonic
        self._fields = fields or {}
        self._since: float | None = None
        self.failed_at = -math.inf  # the time of the last failure, by the same clock

    def fail(self, **fields: object) -> None:
        """Record a failure. The first one starts the outage, and is logged with `fields`."""
        self.failed_at = self._now()
        if self._since is None:
            self._since = self.failed_at
            log.warning(self._begins, **self._fields, **fields)

    def succeed(self) -> None:
        """Record a success. It ends the outage, unless the last failure is too recent."""
        if self._since is not None and self._now() - self.failed_at >= self._quiet:
            seconds = round(self._now() - self._since, 1)
            self._since = None
            log.warning(self._ends, **self._fields, seconds=seconds)
