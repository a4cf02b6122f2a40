"""Feeds: subscriptions of sessions to topics, and the sending of changes.

A wing's feed defines its topics, the visible content, and its recipients. A session subscribes to
at most one topic of a feed. Changes are coalesced, encoded once per kind of viewer, and sent in
slices; between two slices, moves are answered. A topic without subscribers on this node costs
nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, Final, Generic, Protocol, TypeVar

from server.base.wire.contracts import Reason
from server.base.wire.messages import Event
from server.base.wire.session import Session
from server.base.work.background import Background
from server.base.work.signal import Signal
from server.base.work.worker_pool import WorkerPool

TICK: Final = 0.5  # seconds between two updates of a topic
SLICE: Final = 0.0005  # maximum seconds of sending before yielding to the event loop
CONCURRENCY: Final = 4  # topics updated concurrently

Mark = TypeVar("Mark")
Page = TypeVar("Page")


class Subscribers(Protocol):
    """The sessions that may subscribe: all sessions of a node, or another feed's subscribers."""

    @property
    def left(self) -> Signal[Session]:
        """Emitted with a session that must not be subscribed any longer."""

    def has(self, session: Session) -> bool:
        """Return whether a session may subscribe."""


class Audience(Generic[Mark]):
    """The subscribers of one topic."""

    __slots__ = ("__weakref__", "marks")

    def __init__(self) -> None:
        # The feed's note on each subscriber, such as the version last sent.
        self.marks: dict[Session, Mark] = {}

    def remove(self, session: Session) -> None:
        """Remove a subscriber, in constant time."""
        del self.marks[session]


Topic = TypeVar("Topic", bound=Hashable)
AnyAudience = TypeVar("AnyAudience", bound=Audience[Any])


class Feed(ABC, Generic[Topic, AnyAudience]):
    """The topics of one kind that sessions of this node subscribe to.

    Args:
        name: the name of the updates, for logs.
        sessions: the sessions that may subscribe.
        background: the node's background work.
        concurrency: topics updated concurrently.
        is_immediate: whether changes are coalesced for one turn of the event loop only, not `TICK`.
        turn: see `WorkerPool`.
    """

    def __init__(
        self,
        name: str,
        sessions: Subscribers,
        background: Background,
        *,
        concurrency: int = CONCURRENCY,
        is_immediate: bool = False,
        turn: float = 0.0,
    ) -> None:
        # Emitted when a session's subscription has ended.
        self.left: Signal[Session] = Signal()
        self._sessions = sessions
        self._is_immediate = is_immediate
        self._audiences: dict[Topic, AnyAudience] = {}
        self._topics: dict[Session, Topic] = {}
        self._updates: WorkerPool[Topic] = WorkerPool(
            background, name, self._update, size=concurrency, turn=turn
        )
        sessions.left.subscribe(self.unsubscribe)

    def _follow(self, topic: Topic) -> None:
        """Keep a topic current; each call needs one `_unfollow`."""

    def _unfollow(self, topic: Topic) -> None:
        """Undo one `_follow`, after a subscription has ended."""

    @abstractmethod
    async def _update(self, topic: Topic) -> None:
        """Send a topic's changes to its subscribers, if it still has any."""

    # Subscriptions

    def has(self, session: Session) -> bool:
        """Return whether a session is subscribed to any topic."""
        return session in self._topics

    def topic_of(self, session: Session) -> Topic | None:
        """Return the topic that a session is subscribed to, or `None`."""
        return self._topics.get(session)

    def audience(self, topic: Topic) -> AnyAudience | None:
        """Return a topic's audience, or `None` without subscribers."""
        return self._audiences.get(topic)

    def size(self, topic: Topic) -> int:
        """Return the number of a topic's subscribers."""
        audience = self._audiences.get(topic)
        return len(audience.marks) if audience is not None else 0

    async def _subscribe(
        self, session: Session, topic: Topic, load: Awaitable[Page], add: Callable[[Page], None]
    ) -> Page:
        """Subscribe a session to a topic in place of any other, and return the topic's page.

        Args:
            session: the session. If it leaves while the page is read, it is not subscribed.
            topic: the topic.
            load: reads the page. If it fails, the previous subscription stays.
            add: adds the session to the topic's audience, given the page.
        """
        # Follow before reading, so that no change is missed in between.
        self._follow(topic)
        try:
            page = await load
        except BaseException:
            self._unfollow(topic)
            raise
        if self._sessions.has(session):
            self.unsubscribe(session)
            self._topics[session] = topic
            add(page)
        else:
            self._unfollow(topic)
        return page

    def unsubscribe(self, session: Session) -> None:
        """End a session's subscription, if any, in constant time."""
        topic = self._topics.pop(session, None)
        if topic is None:
            return
        audience = self._audiences[topic]
        audience.remove(session)
        if not audience.marks:
            del self._audiences[topic]
            self._updates.schedule(topic, None)
        self._unfollow(topic)
        self.left.emit(session)

    # Changes

    def _notify(self, topic: Topic) -> None:
        """Schedule the update of a topic that has changed, if it has subscribers."""
        if topic not in self._audiences:
            return
        if self._is_immediate:
            self._updates.add(topic)
        elif not self._updates.is_scheduled(topic):
            self._updates.schedule(topic, TICK)

    def _dismiss(self, session: Session, event: Event) -> None:
        """End the subscription of a session that may not see its topic any longer."""
        self.unsubscribe(session)
        session.send(event)


def close_all(audience: Audience[Any]) -> None:
    """Close the sessions: Redis lost entries, so clients ignore versions until they reconnect."""
    for session in list(audience.marks):
        session.close(Reason.WENT_BACK)
