"""Subscriptions of sessions to circles.

A circle is encoded once for all its subscribers and sent at most twice a second. A circle without
subscribers costs nothing. Tables are not part of it: clients request them.
"""

from __future__ import annotations

from server.base.core.ids import CircleId
from server.base.wire import codec
from server.base.wire.session import Session
from server.base.work.background import Background
from server.base.work.tasks import in_timed_slices
from server.base.work.worker_pool import WorkerPool
from server.circles import present
from server.circles.circles import Circles
from server.circles.core.circle import Circle
from server.circles.messages import CircleGone
from server.players.profiles import Profiles

TICK = 0.5
"""Seconds between two updates of a circle."""

CONCURRENCY = 4
"""The number of circles read concurrently."""

SLICE = 0.003
"""Seconds of sending before the feed yields to the event loop."""


class CircleFeeds:
    """The circles to which this node's sessions subscribe."""

    def __init__(self, circles: Circles, profiles: Profiles, background: Background) -> None:
        self._circles = circles
        self._profiles = profiles
        self._watchers: dict[CircleId, dict[Session, int]] = {}
        """The subscribed sessions of each circle, with the version last sent to each."""
        self._watched: dict[Session, CircleId] = {}
        self._ticks: WorkerPool[CircleId] = WorkerPool(
            background, "circles", self._tick, size=CONCURRENCY
        )
        circles.journals.changed.subscribe(self._changed)

    async def watch(self, session: Session, circle: CircleId) -> Circle:
        """Subscribe a session to a circle in place of any other, and return the circle.

        Raises:
            Refusal: as `unknown_circle`; the previous subscription then stays.
        """
        assert session.player is not None
        self._circles.journals.follow(circle)
        try:
            # Follow before reading, so that no change is missed in between.
            found = await self._circles.use(circle, session.player)
        except BaseException:
            self._circles.journals.unfollow(circle)
            raise
        self.unwatch(session)
        self._watched[session] = circle
        self._watchers.setdefault(circle, {})[session] = found.version
        return found

    def unwatch(self, session: Session) -> None:
        """End a session's subscription, in constant time."""
        circle = self._watched.pop(session, None)
        if circle is None:
            return
        watchers = self._watchers[circle]
        del watchers[session]
        if not watchers:
            del self._watchers[circle]
            self._ticks.schedule(circle, None)
        self._circles.journals.unfollow(circle)

    def _changed(self, circle: CircleId) -> None:
        """Schedule a changed circle for its next tick."""
        if circle in self._watchers and not self._ticks.is_scheduled(circle):
            self._ticks.schedule(circle, TICK)

    async def _tick(self, circle: CircleId) -> None:
        """Send a circle to its subscribers; notify and drop former members."""
        found = await self._circles.find(circle)
        watchers = self._watchers.get(circle)
        if watchers is None:
            return
        frame = b""
        if found is not None:
            profiles = await self._profiles.load(found.players)
            frame = codec.encode(present.circle(found, profiles))
        async for session in in_timed_slices(watchers, SLICE):
            version = watchers.get(session)
            player = session.player
            if version is None or player is None:
                continue
            if found is None or found.member(player) is None:
                self.unwatch(session)
                session.send(CircleGone(circle, found is None))
            elif version != found.version:
                watchers[session] = found.version
                # A later version replaces one still queued for a slow reader.
                session.send_frame(frame, ("circle", circle))
