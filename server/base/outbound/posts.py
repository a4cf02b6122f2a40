"""Posts: requests to third-party servers, each sent once, with bounded retries.

A post is stored with a due item. A node takes a lease on a post before trying it, by moving the due
item to the time when another node may take over. A post is therefore sent twice only if a node
dies between the request and its answer. Its idempotency key lets the server detect this. A wing
that posts registers a channel, which builds requests from stored posts and is notified of outcomes.

A slow server delays only other posts to the same host: each host has a few lanes, which send
requests one after the other. Capacity is also divided: each channel has its own, an owner gets a
small part of it at a time, and posts that have failed before get at most half.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple
from zlib import crc32

import structlog
from msgspec import structs

from server.base.outbound.core.due import PostDue
from server.base.outbound.core.post import LIFE_MS, Answer, Failure, Outcome, Outgoing, Post, fate
from server.base.outbound.sender import TIMEOUT, Sender, SendError
from server.base.outbound.store import PostStore, Taken
from server.base.outbox.outbox import Outbox
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.metrics import Counts
from server.base.work.worker_pool import WorkerPool

LEASE_MS: Final = 120_000  # milliseconds of a node's lease on a post

# Maximum posts of a channel leased by a node at a time, and so about its maximum number of
# requests.
MAX_TAKEN: Final = 64

# Maximum of these that have failed before, as all posts to unresponsive servers do.
MAX_FAILED: Final = 32

MAX_OF_OWNER: Final = 4  # maximum of these with the same owner, whose servers may all be slow
FULL_MS: Final = 5_000  # milliseconds until a post is reconsidered if there was no capacity
SENDING: Final = 8  # concurrent requests; one that takes more than a second no longer counts
LANES: Final = 4  # concurrent requests to one host

Lane = tuple[str, int]

log = structlog.get_logger()


class Channel(NamedTuple):
    """A wing's channel for posts."""

    # Builds the request of a post; `None` if the post has become useless. It may be called again
    # for the same post.
    request: Callable[[Post], Awaitable[Outgoing | None]]
    # Called with the outcome of each try, unless this node ends before.
    heard: Callable[[Post, Outcome], Awaitable[None]]


class Posts:
    """Sends posts."""

    def __init__(
        self,
        store: PostStore,
        outbox: Outbox,
        sender: Sender,
        clock: Clock,
        *,
        background: Background,
        sent: Counts,  # by channel and fate; `retried` for each failed try that is repeated
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
        # Retried while the store does not answer: the post would be sent twice otherwise.
        self._ended: WorkerPool[str] = WorkerPool(
            background, "posts_ended", store.end, size=SENDING, completes=True
        )
        outbox.on_due(PostDue, self._handle_due)

    def on(self, channel: str, how: Channel) -> None:
        """Register a channel."""
        self._channels[channel] = how

    async def post(self, post: Post, at: int | None = None) -> None:
        """Post something once per id, no earlier than `at` in Unix milliseconds.

        Raises:
            UnavailableError: it is unknown whether it was posted; calling again is safe.
        """
        now = self._clock.now()
        begin, until = max(now, at or 0), min(post.until, now + LIFE_MS)
        if begin >= until:
            return
        is_new = await self._store.add(structs.replace(post, until=until), begin)
        # A process that sends nothing leaves the post to a sweeper.
        if is_new and begin == now and self._background.is_running:
            await self._take(post.id)

    async def _handle_due(self, due: PostDue) -> bool:
        """Take a post that is due, which moves or drops its due item."""
        if not self._background.is_running:
            return False
        await self._take(due.name)
        return True

    async def _take(self, post_id: str) -> None:
        """Take a lease on a post if it is due, and send it once there is capacity."""
        now = self._clock.now()
        taken = await self._store.take(post_id, now, now + LEASE_MS)
        if taken is None:
            return
        if not self._has_room(taken):
            # Not counted as a try, since nothing was sent.
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
        channel, owner, failed = _groups(taken)
        return (
            self._counts[channel] < MAX_TAKEN
            and self._counts[owner] < MAX_OF_OWNER
            and (taken.tries == 1 or self._counts[failed] < MAX_FAILED)
        )

    def _count(self, taken: Taken, change: int) -> None:
        """Count a post that is taken (1) or released (-1)."""
        channel, owner, failed = _groups(taken)
        for group in (channel, owner, *([failed] if taken.tries > 1 else [])):
            self._counts[group] += change
            if not self._counts[group]:
                del self._counts[group]

    async def _find_lane(self, taken: Taken, now: int) -> Lane | None:
        """Put a post into a lane and return the lane, or `None` if it must not be sent."""
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
        # A host's posts are spread over its lanes.
        lane = (destination.host, crc32(post.id.encode()) % LANES)
        self._taken[lane].append((taken, request, now + LEASE_MS))
        return lane

    async def _send(self, lane: Lane) -> None:
        """Send the first post of a lane, and queue the lane again for the next one."""
        if not self._taken[lane]:
            # The pool retries a lane if the store did not answer. The post of the failed try is
            # taken again when its lease expires.
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
        """Drop a post, and log it unless it was sent."""
        post = taken.post
        self._ended.add(post.id)
        self._sent[post.channel, found] += 1
        tell = log.warning if found == "dropped" and code != "unwanted" else log.debug
        tell("post_ended", channel=post.channel, fate=found, tries=taken.tries, code=code)


def _groups(taken: Taken) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the groups that count a post: its channel, its owner, and failed posts."""
    channel = taken.post.channel
    return (channel,), (channel, "owner", taken.post.owner), (channel, "failed")
