"""Posts: each is sent once, by any node, and retried for a while."""

from __future__ import annotations

import asyncio

import pytest
from structlog.testing import capture_logs

from server.base.core import keys
from server.base.outbound import posts as posts_module
from server.base.outbound import sender as senders
from server.base.outbound.core.due import PostDue
from server.base.outbound.core.post import LIFE_MS, PAUSES_MS, Outcome, Outgoing, Post
from server.base.outbound.posts import LEASE_MS, Channel
from tests.base.outbound.receiver import OK, Receiver, Respond, never, receiving
from tests.base.outbox.outboxes import all_due
from tests.base.redis.servers import running, until, until_equal
from tests.builders import START
from tests.nodes import Node, SetClock
from tests.processes import PATIENCE

CHANNEL = "test"
BUSY = b"HTTP/1.1 503 Busy\r\n\r\n"
GONE = b"HTTP/1.1 410 Gone\r\n\r\n"


class Mail:
    """A channel on a node that posts stored texts to the URL in them.

    Attributes:
        heard: the outcome of each attempt, by the post's id.
    """

    def __init__(self, node: Node) -> None:
        self.node = node
        self.heard: list[tuple[str, Outcome]] = []
        node.services.posts.on(CHANNEL, Channel(self._request, self._hear))

    async def _request(self, post: Post) -> Outgoing | None:
        return Outgoing(post.content, {"X-Id": post.id}, b"{}") if post.content else None

    async def _hear(self, post: Post, outcome: Outcome) -> None:
        self.heard.append((post.id, outcome))

    async def post(
        self, name: str, url: str, *, life: int = LIFE_MS, at: int | None = None, owner: str = ""
    ) -> None:
        """Store a post with this name; by default, with a separate owner."""
        posted = Post(name, CHANNEL, owner or name, url, self.node.services.clock.now() + life)
        await self.node.services.posts.post(posted, at)

    async def post_slow(self, count: int, slow: Receiver, owner: str = "") -> None:
        """Store posts to a slow server, with numbers in their names."""
        for number in range(count):
            await self.post(f"slow{number}", slow.url(), owner=owner)

    async def sent(self, fate: str, count: int = 1) -> None:
        """Wait until `count` attempts had this outcome on this node."""
        await until(lambda: self.node.services.metrics.posts[CHANNEL, fate] == count)

    async def settled(self) -> list[tuple[object, int]]:
        """Return the due items, once all outcomes on this node are stored."""
        await self.node.services.posts._ended.finish()
        return list(await all_due(self.node.services.outbox_store, START + 10 * LIFE_MS))


async def got(receiver: Receiver) -> str:
    async with asyncio.timeout(PATIENCE):
        return (await receiver.received.get()).headers["x-id"]


def after(release: asyncio.Event) -> Respond:
    async def late(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await release.wait()
        writer.write(OK)

    return late


async def test_a_post_is_sent_once_and_its_id_stays_known(node: Node) -> None:
    mail = Mail(node)
    async with running(node.run), receiving() as receiver:
        await mail.post("one", receiver.url())
        assert await got(receiver) == "one"
        await mail.sent("sent")
        assert await mail.settled() == []
        await mail.post("one", receiver.url())
        await mail.post("two", receiver.url())
        assert await got(receiver) == "two"
        await mail.sent("sent", 2)
    assert await node.redis.hgetall(keys.post("one")) == {"tries": "1"}
    assert 0 < await node.redis.ttl(keys.post("one")) <= keys.POST_LIFE_S


async def test_of_two_nodes_one_sends(node: Node, other: Node) -> None:
    mail, _ = Mail(node), Mail(other)
    async with receiving() as receiver:
        await mail.post("one", receiver.url())
        await mail.post("two", receiver.url())
        async with running(node.run), running(other.run):
            await asyncio.gather(*(each.sweep() for each in (node, other) for _ in range(2)))
            assert {await got(receiver), await got(receiver)} == {"one", "two"}
        assert receiver.received.empty()


async def test_another_node_takes_over_from_a_dead_one(
    node: Node, other: Node, clock: SetClock
) -> None:
    heir = Mail(other)
    async with receiving() as receiver:
        text = Post("one", CHANNEL, "owner", receiver.url(), START + LIFE_MS)
        assert await node.services.post_store.add(text, START)
        assert await node.services.post_store.take("one", START, START + LEASE_MS) is not None
        async with running(other.run):
            clock.time = START + LEASE_MS - 1
            await other.sweep()
            assert await heir.settled() == [(PostDue("one"), START + LEASE_MS)]
            assert receiver.received.empty()
            clock.time += 1
            await other.sweep()
            assert await got(receiver) == "one"


async def test_failed_posts_are_retried_for_a_limited_time(node: Node, clock: SetClock) -> None:
    mail = Mail(node)
    with capture_logs() as logs:
        async with running(node.run), receiving(BUSY) as receiver:
            await mail.post("one", receiver.url())
            for tries, pause in enumerate(PAUSES_MS, 1):
                assert await got(receiver) == "one"
                await mail.sent("retried", tries)
                clock.time += pause
                await until_equal(mail.settled, [(PostDue("one"), clock.time)])
                await node.sweep()
            assert await got(receiver) == "one"
            await mail.sent("dropped")
            assert await mail.settled() == []
    fate = {"fate": "dropped", "tries": len(PAUSES_MS) + 1, "code": 503}
    told = {"event": "post_ended", "log_level": "warning", "channel": CHANNEL, **fate}
    assert [each for each in logs if each["event"] == "post_ended"] == [told]
    assert "secret" not in str(logs)


async def test_a_late_post_is_dropped(node: Node, clock: SetClock) -> None:
    mail = Mail(node)
    async with running(node.run), receiving(BUSY, OK) as receiver:
        await mail.post("short", receiver.url(), life=PAUSES_MS[0] // 2)
        assert await got(receiver) == "short"
        await mail.sent("dropped")
        await mail.post("over", receiver.url(), life=0)
        await mail.post("later", receiver.url(), life=60_000, at=clock.time + 30_000)
        assert await mail.settled() == [(PostDue("later"), clock.time + 30_000)]
        clock.time += 60_000
        await node.sweep()
        await mail.sent("dropped", 2)
        assert await mail.settled() == []
        assert receiver.received.empty()


async def test_a_post_may_start_later(node: Node, clock: SetClock) -> None:
    mail = Mail(node)
    async with running(node.run), receiving() as receiver:
        await mail.post("later", receiver.url(), at=clock.time + 30_000)
        await node.sweep()
        assert receiver.received.empty()
        clock.time += 30_000
        await node.sweep()
        assert await got(receiver) == "later"


async def test_a_channel_is_notified_of_a_gone_destination(node: Node) -> None:
    mail = Mail(node)
    async with running(node.run), receiving(GONE) as receiver:
        await mail.post("one", receiver.url())
        await mail.sent("gone")
        await until(lambda: mail.heard == [("one", Outcome(410, "gone"))])
        assert await mail.settled() == []


async def test_a_withdrawn_post_is_not_sent(node: Node) -> None:
    mail = Mail(node)
    async with running(node.run):
        await mail.post("one", "")
        await mail.sent("dropped")
        assert await mail.settled() == []


async def test_a_slow_server_delays_no_other(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even with the most concurrent requests to it, and more waiting."""
    monkeypatch.setattr("server.base.work.worker_pool.SLOW", 0.05)
    # No request times out meanwhile, however slow the machine is.
    monkeypatch.setattr(senders, "TIMEOUT", 60.0)
    mail, release = Mail(node), asyncio.Event()
    async with running(node.run), receiving(after(release)) as slow, receiving() as receiver:
        await mail.post_slow(20, slow)
        await mail.post("one", receiver.url("localhost"))
        assert await got(receiver) == "one"
        assert slow.received.qsize() <= posts_module.LANES
        release.set()


async def test_a_node_claims_only_the_posts_it_can_send(
    node: Node, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posts_module, "MAX_TAKEN", 2)
    monkeypatch.setattr(senders, "TIMEOUT", 1.0)
    mail = Mail(node)
    async with running(node.run), receiving(never) as slow:
        await mail.post_slow(3, slow)
        found = dict(await mail.settled())
        assert found[PostDue("slow2")] == START + posts_module.FULL_MS
        assert found[PostDue("slow1")] == START + LEASE_MS


async def test_an_owners_posts_do_not_delay_other_owners(node: Node, clock: SetClock) -> None:
    """Another owner's post is sent immediately, however many of one owner's go to slow servers."""
    mail, most, release = Mail(node), posts_module.MAX_OF_OWNER, asyncio.Event()
    async with running(node.run), receiving(after(release)) as slow, receiving() as receiver:
        await mail.post_slow(most + 2, slow, "mallory")
        await mail.post("one", receiver.url("localhost"))
        assert await got(receiver) == "one"
        found = dict(await mail.settled())
        assert [*found.values()].count(START + posts_module.FULL_MS) == 2
        # A postponement does not count as an attempt.
        clock.time += posts_module.FULL_MS
        times = clock.time, clock.time + LEASE_MS
        taken = await node.services.post_store.take(f"slow{most}", *times)
        assert taken is not None
        assert taken.tries == 1
        release.set()


async def test_failed_posts_leave_room_for_new_ones(
    node: Node, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posts_module, "MAX_TAKEN", 2)
    monkeypatch.setattr(posts_module, "MAX_FAILED", 1)
    mail, release = Mail(node), asyncio.Event()
    async with (
        running(node.run),
        receiving(BUSY, BUSY, after(release)) as slow,
        receiving() as receiver,
    ):
        for number in range(2):
            await mail.post(f"slow{number}", slow.url())
            await mail.sent("retried", number + 1)
        await mail.settled()
        clock.time += PAUSES_MS[0]
        await node.sweep()
        await mail.post("one", receiver.url("localhost"))
        assert await got(receiver) == "one"
        release.set()
