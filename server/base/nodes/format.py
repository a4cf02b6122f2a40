"""The format that this node may write: a newer one once no node of an older release runs.

Releases that follow each other run side by side on one store. A form that the last release does not
read is written only if `Format.written` says so. The store's format is raised when no node of an
older release has been registered for `ALONE_FOR`. From then on such nodes do not start, so a format
is never lowered, and nodes write what it allows.
"""

from __future__ import annotations

from typing import Final

import structlog

from server.base.nodes.format_store import FormatStore
from server.base.nodes.nodes_store import NodeStore
from server.base.nodes.registration import is_earlier
from server.base.work.clock import Clock

WANTED: Final = 2
"""The format that this release writes as soon as it may."""

DROPS_UNPLAYED: Final = 2
"""The format from which on what nobody plays is kept briefly, until somebody does.

Up to release 0.2.0, nodes do not keep it longer when somebody plays, nor write the deadline then.
"""

ALONE_FOR: Final = 600_000
"""Milliseconds without an older node after which the format is raised.

A node that crashed or was cut off is back by then; one that is not was replaced.
"""

log = structlog.get_logger()


class Format:
    """Keeps the store's format.

    Attributes:
        written: the format that this node writes, of `STORED.md`.
        is_new: whether nobody has played on this store by a release up to 0.2.0, as last read.
    """

    def __init__(self, formats: FormatStore, nodes: NodeStore, clock: Clock) -> None:
        self.written = 1
        self.is_new = False
        self._formats = formats
        self._nodes = nodes
        self._clock = clock
        self._alone_since: int | None = None

    @property
    def drops_unplayed(self) -> bool:
        """Whether what nobody plays is kept briefly, since all nodes keep it longer in time."""
        return self.written >= DROPS_UNPLAYED

    async def refresh(self) -> None:
        """Read the format, and raise it if no older node is left. A new store has it at once.

        Raises:
            UnavailableError: the store does not answer.
        """
        if self.written >= WANTED:
            return
        kept = await self._formats.read()
        self.is_new = kept.is_new
        now = self._clock.now()
        if kept.format < WANTED:
            if any(map(is_earlier, await self._nodes.alive(now))):
                self._alone_since = None
                return
            if self._alone_since is None:
                self._alone_since = now
            if not kept.is_new and now - self._alone_since < ALONE_FOR:
                return
            await self._formats.raise_to(WANTED)
            log.info("format_raised", format=WANTED)
        self.written = WANTED
