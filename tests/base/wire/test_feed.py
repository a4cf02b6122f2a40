"""Subscriptions to the topics of a feed, and their ends."""

from __future__ import annotations

import asyncio

import pytest

from server.base.core.refusal import Refusal
from server.base.wire import feed as module
from server.base.wire.feed import Audience, Feed
from server.base.wire.session import Session
from server.circles.core.refusals import CircleRefusals
from tests.base.redis.servers import until
from tests.clients.seats import HubNode
from tests.conftest import ALONE

pytestmark = ALONE


class _Letters(Feed[str, Audience[int]]):
    """A feed of letters, which sends nothing and records what it does."""

    def __init__(self, hub: HubNode) -> None:
        super().__init__("letters", hub.hub, hub.node.background)
        self.followed: list[str] = []
        self.updated: list[str] = []

    def _follow(self, topic: str) -> None:
        self.followed.append(topic)

    def _unfollow(self, topic: str) -> None:
        self.followed.remove(topic)

    async def _update(self, topic: str) -> None:
        self.updated.append(topic)

    async def watch(self, session: Session, letter: str, until: asyncio.Event) -> str:
        """Subscribe a session to a letter when an event is set; a digit is refused."""

        async def load() -> str:
            await until.wait()
            if letter.isdigit():
                raise Refusal(CircleRefusals.unknown_item)
            return letter.upper()

        def add(_: str) -> None:
            self._audiences.setdefault(letter, Audience()).marks[session] = 0

        return await self._subscribe(session, letter, load(), add)

    def change(self, letter: str) -> None:
        self._notify(letter)


@pytest.fixture
def letters(hub: HubNode, monkeypatch: pytest.MonkeyPatch) -> _Letters:
    """Return a feed with short ticks."""
    monkeypatch.setattr(module, "TICK", 0.01)
    return _Letters(hub)


@pytest.fixture
def now() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event


async def test_a_session_subscribes_to_one_topic_at_a_time(
    hub: HubNode, letters: _Letters, now: asyncio.Event
) -> None:
    one, other = (await hub.seat()).session, (await hub.seat()).session
    assert await letters.watch(one, "a", now) == "A"
    await letters.watch(other, "a", now)
    assert (letters.size("a"), letters.followed) == (2, ["a", "a"])
    await letters.watch(one, "b", now)
    assert (letters.topic_of(one), letters.topic_of(other)) == ("b", "a")
    assert sorted(letters.followed) == ["a", "b"]
    letters.unsubscribe(one)
    letters.unsubscribe(one)
    assert (letters.has(one), letters.audience("b"), letters.followed) == (False, None, ["a"])


async def test_a_failed_subscription_keeps_the_previous_one(
    hub: HubNode, letters: _Letters, now: asyncio.Event
) -> None:
    session = (await hub.seat()).session
    await letters.watch(session, "a", now)
    with pytest.raises(Refusal, match="unknown_item"):
        await letters.watch(session, "1", now)
    assert (letters.topic_of(session), letters.followed) == ("a", ["a"])


async def test_a_session_that_leaves_meanwhile_is_not_subscribed(
    hub: HubNode, letters: _Letters, now: asyncio.Event
) -> None:
    seat, later = await hub.seat(), asyncio.Event()
    ended: list[Session] = []
    letters.left.subscribe(ended.append)
    await letters.watch(seat.session, "a", now)
    waiting = asyncio.create_task(letters.watch(seat.session, "b", later))
    seat.leave()
    await until(lambda: letters.topic_of(seat.session) is None)
    assert ended == [seat.session]
    later.set()
    assert await waiting == "B"
    assert (letters.has(seat.session), letters.followed) == (False, [])


async def test_changes_are_coalesced_while_there_are_subscribers(
    hub: HubNode, letters: _Letters, now: asyncio.Event
) -> None:
    session = (await hub.seat()).session
    letters.change("a")
    await letters.watch(session, "a", now)
    for _ in range(3):
        letters.change("a")
    await until(lambda: letters.updated)
    letters.change("a")
    letters.unsubscribe(session)
    await letters.watch(session, "b", now)
    letters.change("b")
    await until(lambda: "b" in letters.updated)
    assert letters.updated == ["a", "b"]
