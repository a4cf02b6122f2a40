"""Posts: requests to servers of others, each sent once, with retries that end.

A post is stored with a due item. Whoever tries it takes it first, which moves the item to when
another node may take over: so it is sent twice only if a node dies between the request and its
answer, and it says its id, by which a server may know. Wings that post register a channel, which
makes the request of what is stored and hears how it went.

Nothing here waits for a server that is slow but the posts to the same host: each host has a few
lanes, in which one request follows the other. And nobody takes the room of others: each channel has
its own, an owner gets little of it at a time, and what has failed before half of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple
from zlib import crc32

import structlog
from msgspec import structs

from server.base.core.due import PostDue
from server.base.outbound.core.post import LIFE_MS, Answer, Failure, Outcome, Outgoing, Post, fate
from server.base.outbound.sender import TIMEOUT, Sender, SendError
from server.base.outbound.store import PostStore, Taken
from server.base.outbox.outbox import Outbox
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.metrics import Counts
from server.base.work.worker_pool import WorkerPool

LEASE_MS: Final = 120_000
"""Milliseconds for which a node has a post that it has taken to try."""

MAX_TAKEN: Final = 64
"""Posts of a channel that a node has taken at a time, and so most of its requests at a time."""

MAX_FAILED: Final = 32
"""Those of them that have failed before, as all do to servers that never answer."""

MAX_OF_OWNER: Final = 4
"""Those of them that are of one owner, whose servers may all be slow."""

FULL_MS: Final = 5_000
"""Milliseconds until a post is looked at again for which there was no room."""

SENDING: Final = 8
"""Requests at a time; one that takes more than a second makes room for another."""

LANES: Final = 4
"""Requests at a time to one host."""

Lane = tuple[str, int]

log = structlog.get_logger()


class Channel(NamedTuple):
    """A channel: how a wing posts.

    Attributes:
        request: makes the request of a post; `None` if it is of no use any more. It may be called
            again for the same post.
        heard: called after each try with how it went, unless this node ends before.
    """

    request: Callable[[Post], Awaitable[Outgoing | None]]
    heard: Callable[[Post, Outcome], Awaitable[None]]


class Posts:
    """Sends posts.

    `sent` counts how they ended, by channel: as `sent`, `gone` or `dropped`; and tries after which
    there is another one, as `retried`.
    """

    def __init__(
        self,
        store: PostStore,
        outbox: Outbox,
        sender: Sender,
        clock: Clock,
        *,
        background: Background,
        sent: Counts,
    ) -> None:
        self._store = store
        self._sender = sender
        self._clock = clock
        self._background = background
        self._sent = sent
        self._channels: dict[str, Channel] = {}
        self._taken: dict[Lane, deque[tuple[Taken, Outgoing, int]]] = defaultdict(deque)
        self._counts: Counter[tuple[str, ...]] = Counter()
        self._lanes: WorkerPool[Lane] = WorkerPool(background, "posts", self._send, size=SENDING)
        # If the store does not answer now, it is dropped soon: it would be sent twice otherwise.
        self._ended: WorkerPool[str] = WorkerPool(
            background, "posts_ended", store.end, size=SENDING, completes=True
        )
        outbox.on_due(PostDue, self._pass_due)

    def on(self, channel: str, how: Channel) -> None:
        """Register a channel."""
        self._channels[channel] = how

    async def post(self, post: Post, at: int | None = None) -> None:
        """Post something once, however often this is called with its id.

        Args:
            post: what.
            at: not before this time, in Unix milliseconds.

        Raises:
            UnavailableError: it may be posted or not; it can be tried again.
        """
        now = self._clock.now()
        begin, until = max(now, at or 0), min(post.until, now + LIFE_MS)
        if begin >= until:
            return
        is_new = await self._store.add(structs.replace(post, until=until), begin)
        # A process that sends nothing leaves it to a sweeper.
        if is_new and begin == now and self._background.is_running:
            await self._take(post.id)

    async def _pass_due(self, due: PostDue) -> bool:
        """Take what is to be tried now; its due item has been moved then, or dropped."""
        if not self._background.is_running:
            return False
        await self._take(due.post)
        return True

    async def _take(self, post_id: str) -> None:
        """Take a post, if it is due, and have it sent once there is room for it."""
        now = self._clock.now()
        taken = await self._store.take(post_id, now, now + LEASE_MS)
        if taken is None:
            return
        if not self._has_room(taken):
            await self._store.retry(post_id, now + FULL_MS, untried=True)
            return
        self._count(taken, 1)
        lane = None
        try:
            lane = await self._find_lane(taken, now)
        finally:
            if lane is None:
                self._count(taken, -1)
        if lane is not None:
            self._lanes.add(lane)

    def _has_room(self, taken: Taken) -> bool:
        """Return whether a post may be sent beside those that this node has taken."""
        channel, owner, failed = _groups(taken)
        return (
            self._counts[channel] < MAX_TAKEN
            and self._counts[owner] < MAX_OF_OWNER
            and (taken.tries == 1 or self._counts[failed] < MAX_FAILED)
        )

    def _count(self, taken: Taken, change: int) -> None:
        """Count a post that is taken (1), or is not any more (-1)."""
        channel, owner, failed = _groups(taken)
        for group in (channel, owner, *([failed] if taken.tries > 1 else [])):
            self._counts[group] += change
            if not self._counts[group]:
                del self._counts[group]

    async def _find_lane(self, taken: Taken, now: int) -> Lane | None:
        """Return the lane that a post has been put into, or `None` if it is not to be sent."""
        post = taken.post
        channel = self._channels.get(post.channel)
        if channel is None or now >= post.until:
            self._end(taken, "dropped", "late")
            return None
        request = await channel.request(post)
        destination = None if request is None else self._sender.destination(request.url)
        if request is None or destination is None:
            self._end(taken, "dropped", "unwanted")
            return None
        lane = (destination.host, crc32(post.id.encode()) % LANES)
        self._taken[lane].append((taken, request, now + LEASE_MS))
        return lane

    async def _send(self, lane: Lane) -> None:
        """Send the first post of a lane, and go on with the next one after the others' turn."""
        if not self._taken[lane]:
            # The pool works again on a lane for which the store did not answer; what was sent
            # there is taken again when nothing has been told of it.
            del self._taken[lane]
            return
        taken, request, until = self._taken[lane].popleft()
        try:
            await self._try(taken, request, until)
        finally:
            self._count(taken, -1)
            if self._taken[lane]:
                self._lanes.add(lane)
            else:
                del self._taken[lane]

    async def _try(self, taken: Taken, request: Outgoing, until: int) -> None:
        post = taken.post
        if self._clock.now() + TIMEOUT * 1000 > until:
            # Another node may take it before there is an answer.
            await self._store.retry(post.id, self._clock.now(), untried=True)
            return
        answer: Answer | Failure
        try:
            answer = await self._sender.send(request)
        except SendError as error:
            answer = error.reason
        code = answer.status if isinstance(answer, Answer) else answer
        found = fate(answer, taken.tries)
        at = self._clock.now() + found if isinstance(found, int) else post.until
        if isinstance(found, int) and at < post.until:
            self._sent[post.channel, "retried"] += 1
            log.debug("post_failed", channel=post.channel, tries=taken.tries, code=code)
            await self._store.retry(post.id, at)
            outcome = Outcome(code, None)
        else:
            outcome = Outcome(code, "dropped" if isinstance(found, int) else found)
            self._end(taken, outcome.fate or "dropped", code)
        await self._channels[post.channel].heard(post, outcome)

    def _end(self, taken: Taken, found: str, code: str | int) -> None:
        """Drop a post, and tell of it if it was not sent."""
        post = taken.post
        self._ended.add(post.id)
        self._sent[post.channel, found] += 1
        tell = log.warning if found == "dropped" and code != "unwanted" else log.debug
        tell("post_ended", channel=post.channel, fate=found, tries=taken.tries, code=code)


def _groups(taken: Taken) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return what a post is counted among: its channel's, its owner's, and those that failed."""
    channel = taken.post.channel
    return (channel,), (channel, "owner", taken.post.owner), (channel, "failed")
