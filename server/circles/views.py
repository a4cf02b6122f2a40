"""Tables and feeds as members see them, built once for all who look within a second.

All members of a circle may look at once, for example when the day changes. A table of 200 members
takes 200 reads and 5 ms of the event loop, and is the same for all of them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

from cachetools import TTLCache

from server.base.core.ids import PlayerId
from server.base.work.signal import Signal
from server.base.work.tasks import Tasks
from server.circles import present
from server.circles.core.circle import Circle
from server.circles.core.ids import CircleId
from server.circles.messages import CircleFeed, CircleTable
from server.circles.tables import Span, Tables
from server.players.profiles import Profiles

SHARED_S: Final = 1.0
"""How long views of a circle are shared, in seconds.

They are built again sooner if the circle changes, or if this node changes a member's history.
"""

MAX_CIRCLES: Final = 200
"""The most circles whose views are shared. A circle of 200 members takes up to 150 kB."""

_Key = tuple[str, ...]


class Views:
    """The current tables and feeds of circles, with their players' names."""

    def __init__(
        self,
        tables: Tables,
        profiles: Profiles,
        history_changed: Signal[PlayerId],
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tables = tables
        self._profiles = profiles
        self._shared: TTLCache[tuple[CircleId, int], _Shared] = TTLCache(
            MAX_CIRCLES, SHARED_S, timer
        )
        history_changed.subscribe(self._drop)

    def has_table(self, circle: Circle, span: Span, period: int | None) -> bool:
        """Whether a table is available without building it."""
        return self._of(circle).has((span, str(period)))

    def has_feed(self, circle: Circle) -> bool:
        """Whether the feed is available without building it."""
        return self._of(circle).has(("feed",))

    async def table(self, circle: Circle, span: Span, period: int | None) -> CircleTable:
        """Return a table.

        Raises:
            Refusal: as `Tables.table`.
        """

        async def build() -> CircleTable:
            table = await self._tables.table(circle, span, period)
            profiles = await self._profiles.load(present.players_of(table))
            return present.table(table, circle, profiles)

        found: CircleTable = await self._of(circle).get((span, str(period)), build)
        return found

    async def feed(self, circle: Circle) -> CircleFeed:
        """Return the recent events."""

        async def build() -> CircleFeed:
            items = await self._tables.feed(circle)
            players = [each.player for each in items if each.player is not None]
            return present.feed(circle, items, await self._profiles.load(players))

        found: CircleFeed = await self._of(circle).get(("feed",), build)
        return found

    def _of(self, circle: Circle) -> _Shared:
        key = circle.id, circle.version
        found = self._shared.get(key)
        if found is None:
            found = self._shared[key] = _Shared(frozenset(circle.players))
        return found

    def _drop(self, player: PlayerId) -> None:
        """Drop the views of a player's circles after a change of the player's history."""
        stale = [key for key, shared in self._shared.items() if player in shared.players]
        for key in stale:
            self._shared.pop(key, None)


class _Shared:
    """The views of a circle, built or in progress.

    Attributes:
        players: the circle's members.
    """

    def __init__(self, players: frozenset[PlayerId]) -> None:
        self.players = players
        self._views: dict[_Key, asyncio.Task[Any]] = {}
        self._tasks = Tasks()

    def has(self, key: _Key) -> bool:
        return key in self._views

    async def get(self, key: _Key, build: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        task = self._views.get(key)
        if task is None:
            task = self._views[key] = self._tasks.start(self._build(key, build))
        # A cancelled request must not cancel the view for the others.
        return await asyncio.shield(task)

    async def _build(self, key: _Key, build: Callable[[], Awaitable[Any]]) -> Any:
        try:
            return await build()
        except BaseException:
            # A refused or failed view is built again for the next request.
            del self._views[key]
            raise
