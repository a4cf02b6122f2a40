"""The store's format that this node may write: a newer one once all older nodes are gone.

Consecutive releases run side by side on one store. A form that the previous release cannot read is
written only if `Format.written` allows it. The store's format is raised when no node of an older
release has been registered for `ALONE_FOR_MS`. Such nodes do not start from then on, so the format
is never lowered, and nodes write in it.
"""

from __future__ import annotations

from typing import Final

import structlog

from server.base.nodes.format_store import NEWEST, FormatStore
from server.base.nodes.nodes_store import NodeStore
from server.base.nodes.registration import form_of
from server.base.work.background import Background
from server.base.work.clock import Clock

READ_EVERY = 5.0  # seconds between reads of the format, until it is the newest

# Milliseconds without an older node until the format is raised. A node that crashed or was
# cut off has returned by then, or was replaced.
ALONE_FOR_MS: Final = 600_000

log = structlog.get_logger()


class Format:
    """Maintains the store's format."""

    def __init__(
        self,
        formats: FormatStore,
        nodes: NodeStore,
        clock: Clock,
        background: Background,
        newest: int = NEWEST,
    ) -> None:
        """`newest` is the format that this release writes once allowed."""
        self.written = 0  # the format that this node writes, see `STORED.md`; 0 before it was read
        self._formats = formats
        self._nodes = nodes
        self._clock = clock
        self._newest = newest
        self._alone_since: int | None = None
        background.forever("format", self.refresh, every=READ_EVERY, waits=True)

    async def refresh(self) -> None:
        """Read the format, and raise it if all older nodes are gone, or if the store is new."""
        if self.written == self._newest:
            return
        kept = await self._formats.read()
        if kept is None or (kept < self._newest and await self._is_alone()):
            await self._formats.raise_to(self._newest)
            log.info("format_raised", format=self._newest)
            kept = self._newest
        self.written = min(kept, self._newest)

    async def _is_alone(self) -> bool:
        """Return whether no node of an older release has been registered for `ALONE_FOR_MS`."""
        now = self._clock.now()
        if any(form_of(name) < self._newest for name in await self._nodes.alive(now)):
            self._alone_since = None
            return False
        if self._alone_since is None:
            self._alone_since = now
        return now - self._alone_since >= ALONE_FOR_MS
