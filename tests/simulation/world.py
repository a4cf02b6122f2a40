"""What everything in one race shares: the time, the chances, the faults, and the trace."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from tests.faults.complaint import Complaint
from tests.simulation.fates import TAIL_LOST, Season
from tests.simulation.loop import VirtualLoop
from tests.simulation.memory import Keyspace, Memory
from tests.simulation.redis import Redis
from tests.simulation.trace import Trace


class World:
    """One race's world.

    Attributes:
        rng: where all choices come from.
        counts: what has happened, by name.
        complaints: what was found wrong on the way.
        calm: whether no more faults happen.
        closing: whether players are to come to an end.
        lost_at: when the last writes were lost, in Unix milliseconds, or `None`.
        cuts: how often that has happened.
        connections: all connections to Redis, in the order in which they were opened.
        nodes: all lives of all nodes.
    """

    def __init__(self, seed: int, loop: VirtualLoop, counts: Counter[str]) -> None:
        self.seed = seed
        self.loop = loop
        self.rng = random.Random(seed)
        self.counts = counts
        self.season = Season(self.rng, counts)
        self.trace = Trace()
        self.memory = Memory(self.now)
        self.redis = Redis(self.memory)
        self.complaints: list[Complaint] = []
        self.calm = False
        self.closing = False
        self.lost_at: int | None = None
        self.away_until = 0.0
        self.cuts = 0
        self.connections: dict[Any, None] = {}
        self.nodes: list[Any] = []
        self._epoch = 0.0

    def set_epoch(self, time: float) -> None:
        """Let it be so many Unix milliseconds now."""
        self._epoch = time - self.loop.time() * 1000

    def leap(self, milliseconds: float) -> None:
        """Let so much time pass while nobody does anything, as if all machines had slept."""
        self._epoch += milliseconds
        self.note("world", "leap", int(milliseconds))

    def now(self) -> float:
        """Return Redis's time in Unix milliseconds, with a fraction."""
        return self._epoch + self.loop.time() * 1000

    def lose_tail(self, keyspace: Keyspace) -> None:
        """Let the store come back as it was a moment ago, after a power cut."""
        self.fault(TAIL_LOST, "the store")
        # What a server has lost, its connections broke first: that is what the server counts on.
        self.go_away(self.rng.choice((0.0, 0.02, 0.3, 1.0)))
        self.memory.restore(keyspace)
        self.lost_at = int(self.now())
        self.cuts += 1

    def go_away(self, seconds: float) -> None:
        """Let all connections to the store break, and none be opened for a while."""
        self.away_until = self.loop.time() + seconds
        for connection in list(self.connections):
            connection.lose(ConnectionResetError("the store went away"))

    def note(self, who: str, what: str, more: object = "") -> None:
        """Note a step in the trace."""
        self.trace.add(self.loop.time(), who, what, more)

    def fault(self, kind: str, who: str, more: object = "") -> None:
        """Count and note a fault."""
        self.season.note(kind)
        self.note(who, f"FAULT {kind}", more)

    def complain(self, kind: str, about: str, text: str) -> None:
        """Note that something is wrong."""
        self.complaints.append(Complaint(kind, about, text))  # type: ignore[arg-type]
        self.note(about, f"WRONG {kind}", text)

    def be_calm(self) -> None:
        """Let no more faults happen."""
        self.calm = True
        self.away_until = 0.0
        self.season.calm()
        self.note("world", "calm")
