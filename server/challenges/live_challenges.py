"""Live challenges: those that sessions of this node watch, kept current by the bus.

A node follows a challenge while somebody watches it there. What this node appends, and what others
publish to the challenge's topic, is folded; after a gap the journal is read. One that nobody
watches costs a node nothing.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

from server.base.core.bus_message import encode
from server.base.core.ids import ChallengeId
from server.base.core.refusal import UnreadableError
from server.base.journals.core.entry import Append
from server.base.nodes.registration import Registration
from server.base.redis.bus import Bus
from server.base.work.background import Background
from server.base.work.signal import Signal
from server.base.work.worker_pool import WorkerPool
from server.challenges.challenges import Challenges
from server.challenges.core import bus as challenge_bus
from server.challenges.core.bus import AppendedEntry
from server.challenges.core.challenge import Challenge

CONCURRENCY, PAUSE = 16, 0.01
"""Challenges that are read at the same time, and each worker's seconds between two of them."""


class LiveChallenges:
    """All challenges that this node follows.

    Attributes:
        changed: emitted with a challenge as it is known here now, if it is followed.
    """

    def __init__(
        self,
        bus: Bus,
        challenges: Challenges,
        registration: Registration,
        background: Background,
    ) -> None:
        self.changed: Signal[Challenge] = Signal()
        self._bus = bus
        self._challenges = challenges
        self._followers: Counter[ChallengeId] = Counter()
        self._reads: WorkerPool[ChallengeId] = WorkerPool(
            background, "live_challenges", self._read, size=CONCURRENCY, pause=PAUSE
        )
        challenges.appended.subscribe(self._appended)
        registration.changed.subscribe(self._nodes_changed)

    @property
    def size(self) -> int:
        """How many challenges this node follows."""
        return len(self._followers)

    def follow(self, challenge: ChallengeId) -> None:
        """Follow a challenge; each call needs one `unfollow`. What was before is not read."""
        self._followers[challenge] += 1
        if self._followers[challenge] == 1:
            self._challenges.follow(challenge)
            self._bus.subscribe(challenge_bus.topic(challenge), partial(self._receive, challenge))

    def unfollow(self, challenge: ChallengeId) -> None:
        """Follow a challenge once less."""
        self._followers[challenge] -= 1
        if not self._followers[challenge]:
            del self._followers[challenge]
            self._bus.unsubscribe(challenge_bus.topic(challenge))

    def _appended(self, challenge: ChallengeId, after: Challenge, append: Append) -> None:
        """Tell of an entry of this node, and publish it."""
        self._bus.publish(
            challenge_bus.topic(challenge), encode(AppendedEntry(append.number, append.payload))
        )
        if challenge in self._followers:
            self.changed.emit(after)

    def _receive(self, challenge: ChallengeId, payload: bytes | None) -> None:
        """Handle a message of a challenge's topic; `None` if messages may have been missed."""
        message = challenge_bus.decode(payload)
        known = self._challenges.known(challenge)
        if message is not None and known is not None and message.number <= known.version:
            return
        after = None
        if message is not None:
            try:
                after = self._challenges.receive(challenge, message.number, message.text)
            except UnreadableError:
                # Reading it says so, once.
                after = None
        if after is None:
            self._reads.add(challenge)
        else:
            self.changed.emit(after)

    def _nodes_changed(self, _: set[str], left: set[str]) -> None:
        """Read all followed challenges if a node is gone, which may have published less."""
        if left:
            for challenge in self._followers:
                self._reads.add(challenge)

    async def _read(self, challenge: ChallengeId) -> None:
        found = await self._challenges.find(challenge)
        if found is not None and challenge in self._followers:
            self.changed.emit(found)
