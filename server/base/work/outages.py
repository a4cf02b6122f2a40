"""Outages: states that are told in the log when they begin and when they end, once each way."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping

import structlog

log = structlog.get_logger()


class Outage:
    """Whether something is out of order, which is logged when it changes.

    What fails meanwhile is a consequence, and is logged as `debug` at most.

    Args:
        begins: the event that is logged when the outage begins.
        ends: the event that is logged when it ends, with how many `seconds` it took.
        quiet: seconds without a failure after which it ends, for what fails now and then.
        fields: of both events.
        now: the time of a monotonic clock in seconds; `None` for `time.monotonic`.

    Attributes:
        failed_at: when it last failed, by the same clock.
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
        self.failed_at = -math.inf

    def fail(self, **fields: object) -> None:
        """Note a failure; the first one begins the outage, and is logged with `fields`."""
        self.failed_at = self._now()
        if self._since is None:
            self._since = self.failed_at
            log.warning(self._begins, **self._fields, **fields)

    def succeed(self) -> None:
        """Note that all is in order; it ends the outage, unless the last failure is too recent."""
        if self._since is not None and self._now() - self.failed_at >= self._quiet:
            seconds = round(self._now() - self._since, 1)
            self._since = None
            log.warning(self._ends, **self._fields, seconds=seconds)
