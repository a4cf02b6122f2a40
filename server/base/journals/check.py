"""Whether journals still end with what this node has appended, after the store was away."""

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
"""Seconds between two looks at whether there is a new connection to the store."""

BATCH: Final = 16
"""Replicas that are read at the same time."""

PAUSE = 0.01
"""Seconds between two batches: 1,600 replicas a second at most, which takes a tenth of a core."""

Replicas = Callable[[], Iterable[Replica[Any, Any]]]

log = structlog.get_logger()


class JournalCheck:
    """Reads the journals of replicas after each new connection, as a store may come back with less.

    A replica notices by itself that its journal has lost entries, when it is read. That may be long
    after the store came back, or never, if nobody plays on.
    """

    def __init__(self, journals: JournalStore, background: Background, *replicas: Replicas) -> None:
        """Check what these functions return: the replicas that this node appends to."""
        self._journals = journals
        self._replicas = [*replicas]
        self._checked = 0

        def check() -> Awaitable[None]:
            return self.check(background.stop)

        background.forever("journal_check", check, every=CHECK_EVERY, waits=True)

    def add(self, replicas: Replicas) -> None:
        """Check what another function returns, too."""
        self._replicas.append(replicas)

    async def check(self, stop: Stop) -> None:
        """Check all replicas, if there is a connection that is newer than the last check.

        Raises:
            UnavailableError: the store does not answer; the rest has not been checked.
        """
        newest = self._journals.newest_generation
        if newest in {0, self._checked}:
            return
        replicas = list(chain.from_iterable(each() for each in self._replicas))
        for first in range(0, len(replicas), BATCH):
            stale = [each for each in replicas[first : first + BATCH] if each.is_unchecked]
            for failure in await asyncio.gather(
                *(each.check() for each in stale), return_exceptions=True
            ):
                if isinstance(failure, UnreadableError):
                    # What a newer release has appended is no loss, and a gap has been counted.
                    log.debug("journal_unreadable", code=failure.code)
                elif failure is not None:
                    raise failure
            await stop.or_wait(asyncio.sleep(PAUSE if stale else 0))
            if stop.is_set:
                return
        self._checked = newest
