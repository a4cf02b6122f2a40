"""Losses: data that the store acknowledged to this node and later lost.

A loss is reported by an error in the log, by metrics and by readiness for as long as the node runs:
see record 21 in `server/decisions`.
"""

from __future__ import annotations

import asyncio
import math
from typing import Final

import structlog

from server.base.work.metrics import Metrics

LOG_AFTER: Final = 1.0
"""Seconds during which lost entries are collected for one log line."""

EXAMPLES: Final = 3
"""Maximum journals named in the log line."""

log = structlog.get_logger()


class Losses:
    """Counts and reports losses."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._journals = self._entries = 0
        self._examples: list[str] = []
        self._timer: asyncio.TimerHandle | None = None

    @property
    def text(self) -> str:
        """The losses since the node started, as a sentence; empty without losses."""
        found = self._metrics
        if not (found.lost_seconds or found.lost_entries):
            return ""
        return (
            f"The store came back without what it had acknowledged: {found.lost_seconds} s of "
            f"writes, {found.lost_entries} entries of {found.lost_journals} journals."
        )

    def note_writes(self, server: str, seconds: float, *, whole: bool) -> None:
        """Record that a server has lost the last writes before its outage.

        Args:
            server: its name; empty outside of a cluster.
            seconds: the time between the oldest and the last write known to be lost.
            whole: whether the server has lost everything that this node ever wrote, so that the
                loss may be larger.
        """
        lost = math.ceil(seconds)
        self._metrics.lost_seconds += lost
        named = {"server": server} if server else {}
        log.error("data_lost", seconds=lost, whole=whole, **named)

    def note_entries(self, key: str, count: int) -> None:
        """Record that a journal has lost at least `count` entries."""
        self._metrics.lost_journals += 1
        self._metrics.lost_entries += count
        self._journals += 1
        self._entries += count
        self._examples.append(key)
        del self._examples[EXAMPLES:]
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(LOG_AFTER, self.log_entries)

    def log_entries(self) -> None:
        """Log lost entries that have not been logged yet."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            log.error(
                "data_lost",
                journals=self._journals,
                entries=self._entries,
                examples=self._examples,
            )
            self._journals = self._entries = 0
            self._examples = []
