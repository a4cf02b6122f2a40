"""A check, after an outage of the store, that journals still contain this node's appends."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from itertools import chain
from typing import Any, Final

import structlog

from server.base.core.refusal import UnreadableError
from server.base.journals.replica import Replica
from server.base.journals.store import JournalStore
from server.base.work.background import Background
from server.base.work.stop import Stop

CHECK_EVERY = 1.0
"""Seconds between checks for a new connection to the store."""

BATCH: Final = 16
"""Replicas read at the same time."""

PAUSE = 0.01
"""Seconds between batches: at most 1,600 replicas per second, which takes a tenth of a core."""

Replicas = Callable[[], Iterable[Replica[Any, Any]]]

log = structlog.get_logger()


class JournalCheck:
    """Reads the replicas' journals after each new connection, since a store may return with less.

    A replica detects lost entries when it next reads its journal. Without this check, that may be
    long after the outage, or never if the players have left.
    """

    def __init__(self, journals: JournalStore, background: Background) -> None:
        self._journals = journals
        self._replicas: list[Replicas] = []
        self._checked = 0

        def check() -> Awaitable[None]:
            return self.check(background.stop)

        background.forever("journal_check", check, every=CHECK_EVERY, waits=True)

    def add(self, replicas: Replicas) -> None:
        """Check the replicas to which this node appends, as returned by a function."""
        self._replicas.append(replicas)

    async def check(self, stop: Stop) -> None:
        """Check all replicas if a connection is newer than the last check.

        Raises:
            UnavailableError: the store does not answer; the remaining replicas are unchecked.
        """
        newest = self._journals.newest_generation
        # 0 means no connection.
        if newest in {0, self._checked}:
            return
        replicas = list(chain.from_iterable(each() for each in self._replicas))
        for first in range(0, len(replicas), BATCH):
            stale = [each for each in replicas[first : first + BATCH] if each.is_unchecked]
            for failure in await asyncio.gather(
                *(each.check() for each in stale), return_exceptions=True
            ):
                if isinstance(failure, UnreadableError):
                    # A newer release's entry is no loss, and gaps are counted when found.
                    log.debug("journal_unreadable", code=failure.code.name)
                elif failure is not None:
                    raise failure
            # Pause only after reads, since they load the store.
            await stop.or_wait(asyncio.sleep(PAUSE if stale else 0))
            if stop.is_set:
                return
        # Only after a complete check, so that a failed one is repeated.
        self._checked = newest
