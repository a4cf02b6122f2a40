"""Subscriptions of sessions to circles.

A circle is encoded once for all its subscribers and sent at most twice a second. Tables are not
part of it: clients request them.
"""

from __future__ import annotations

from server.base.wire import codec
from server.base.wire.feed import SLICE, Audience, Feed, Subscribers
from server.base.wire.session import Session
from server.base.work.background import Background
from server.base.work.tasks import in_timed_slices
from server.circles import present
from server.circles.circles import Circles
from server.circles.core.circle import Circle
from server.circles.core.ids import CircleId
from server.circles.messages import CircleGone
from server.players.profiles import Profiles


class CircleFeeds(Feed[CircleId, Audience[int]]):
    """The circles to which this node's sessions subscribe. A mark is the version last sent."""

    def __init__(
        self, circles: Circles, profiles: Profiles, sessions: Subscribers, background: Background
    ) -> None:
        super().__init__("circles", sessions, background)
        self._circles = circles
        self._profiles = profiles
        circles.journals.changed.subscribe(self._notify)

    def _follow(self, topic: CircleId) -> None:
        self._circles.journals.follow(topic)

    def _unfollow(self, topic: CircleId) -> None:
        self._circles.journals.unfollow(topic)

    async def watch(self, session: Session, circle: CircleId) -> Circle:
        """Subscribe a session to a circle in place of any other, and return the circle.

        Raises:
            Refusal: as `unknown_circle`; the previous subscription then stays.
        """
        assert session.player is not None

        def add(found: Circle) -> None:
            self._audiences.setdefault(circle, Audience()).marks[session] = found.version
            now = self._circles.journals.state(circle)
            if now is not None and now.version != found.version:
                # It has changed since it was read, when nobody may have been subscribed.
                self._notify(circle)

        load = self._circles.use(circle, session.player)
        return await self._subscribe(session, circle, load, add)

    async def _update(self, topic: CircleId) -> None:
        """Send a circle to its subscribers; notify and drop former members."""
        found = await self._circles.find(topic)
        audience = self._audiences.get(topic)
        if audience is None:
            return
        frame, version = b"", 0
        if found is not None:
            profiles = await self._profiles.load(found.players)
            frame, version = codec.encode(present.circle(found, profiles)), found.version
        for session in list(audience.marks):
            if found is None or session.player is None or found.member(session.player) is None:
                self._dismiss(session, CircleGone(topic, found is None))
        async for session in in_timed_slices(audience.marks, SLICE):
            if audience.marks.get(session, version) != version:
                audience.marks[session] = version
                # A later version replaces one still queued for a slow reader.
                session.send_frame(frame, ("circle", topic))
