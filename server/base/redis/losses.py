"""Losses: what the store had acknowledged to this node, and came back without.

A store that has lost data is told of by an error in the log, by metrics, and by readiness, for as
long as the node runs: see record 21 in `server/decisions`.
"""

from __future__ import annotations

import asyncio
import math
from typing import Final

import structlog

from server.base.work.metrics import Metrics

TOLD_AFTER: Final = 1.0
"""Seconds for which lost entries are gathered before they are told in one line."""

EXAMPLES: Final = 3
"""Journals that are named in it."""

log = structlog.get_logger()


class Losses:
    """Counts what was lost, and tells of it."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._journals = self._entries = 0
        self._examples: list[str] = []
        self._timer: asyncio.TimerHandle | None = None

    @property
    def text(self) -> str:
        """The losses since the node started, as a sentence; empty if there were none."""
        found = self._metrics
        if not (found.lost_seconds or found.lost_entries):
            return ""
        return (
            f"The store came back without what it had acknowledged: {found.lost_seconds} s of "
            f"writes, {found.lost_entries} entries of {found.lost_journals} journals."
        )

    def note_writes(self, server: str, seconds: float, *, whole: bool) -> None:
        """Note that a server has lost the writes of the last seconds before it was lost.

        Args:
            server: its name; empty outside of a cluster.
            seconds: how long before the last write that is known to be lost the oldest one was.
            whole: whether nothing is left of what this node has ever written there, so that it may
                be more.
        """
        lost = math.ceil(seconds)
        self._metrics.lost_seconds += lost
        named = {"server": server} if server else {}
        log.error("data_lost", seconds=lost, whole=whole, **named)

    def note_entries(self, key: str, count: int) -> None:
        """Note that a journal has lost at least so many entries."""
        self._metrics.lost_journals += 1
        self._metrics.lost_entries += count
        self._journals += 1
        self._entries += count
        self._examples.append(key)
        del self._examples[EXAMPLES:]
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(TOLD_AFTER, self.tell_entries)

    def tell_entries(self) -> None:
        """Tell of the lost entries that have not been told."""
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
