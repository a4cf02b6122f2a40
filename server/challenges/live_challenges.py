"""Live challenges: those followed by this node and kept current by the bus.

A node follows a challenge while one of its sessions subscribes to it. It folds its own appends and
the entries other nodes publish to the challenge's topic. After a gap it reads the journal. Other
challenges cost the node nothing.
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
"""The number of challenges read concurrently, and each worker's pause in seconds between two."""


class LiveChallenges:
    """The challenges that this node follows.

    Attributes:
        changed: emitted with the latest known state of a followed challenge.
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
        """The number of challenges that this node follows."""
        return len(self._followers)

    def follow(self, challenge: ChallengeId) -> None:
        """Follow a challenge; each call needs one `unfollow`. Earlier entries are not read."""
        self._followers[challenge] += 1
        if self._followers[challenge] == 1:
            self._challenges.follow(challenge)
            self._bus.subscribe(challenge_bus.topic(challenge), partial(self._receive, challenge))

    def unfollow(self, challenge: ChallengeId) -> None:
        """Undo one `follow`."""
        self._followers[challenge] -= 1
        if not self._followers[challenge]:
            del self._followers[challenge]
            self._bus.unsubscribe(challenge_bus.topic(challenge))

    def _appended(self, challenge: ChallengeId, after: Challenge, append: Append) -> None:
        """Publish an entry of this node, and emit the change."""
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
                # The subsequent read reports the error once.
                after = None
        if after is None:
            self._reads.add(challenge)
        else:
            self.changed.emit(after)

    def _nodes_changed(self, _: set[str], left: set[str]) -> None:
        """Re-read all followed challenges after a node's departure.

        It may not have published its last appends.
        """
        if left:
            for challenge in self._followers:
                self._reads.add(challenge)

    async def _read(self, challenge: ChallengeId) -> None:
        found = await self._challenges.find(challenge)
        if found is not None and challenge in self._followers:
            self.changed.emit(found)
