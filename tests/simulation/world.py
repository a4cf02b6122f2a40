"""The shared state of one race: time, random numbers, faults, Redis and the trace."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from tests.faults.complaint import Complaint
from tests.faults.ledger import Ledger
from tests.simulation.faults import TAIL_LOST, FaultMix
from tests.simulation.loop import VirtualLoop
from tests.simulation.memory import Keyspace, Memory
from tests.simulation.redis import Redis
from tests.simulation.trace import Trace


class World:
    """One race's world.

    Attributes:
        rng: the source of all random choices.
        counts: numbers of occurrences, by name.
        complaints: the violations found during the race.
        calm: whether faults have stopped.
        closing: whether players should finish.
        lost_at: when the last writes were lost, in Unix milliseconds, or `None`.
        cuts: how often writes were lost.
        ledgers: the messages of all players.
        connections: all connections to Redis, in the order they were opened.
        nodes: all nodes, including ended ones.
        skewed: whether the clock of a node was wrong by a minute or more.
        forgotten: addresses with charges that a node had not written when it ended.
    """

    def __init__(self, seed: int, loop: VirtualLoop, counts: Counter[str]) -> None:
        self.seed = seed
        self.loop = loop
        self.rng = random.Random(seed)
        self.counts = counts
        self.faults = FaultMix(self.rng, counts)
        self.trace = Trace()
        self.memory = Memory(self.now)
        self.redis = Redis(self.memory)
        self.complaints: list[Complaint] = []
        self.calm = False
        self.closing = False
        self.lost_at: int | None = None
        self.unavailable_until = 0.0
        self.cuts = 0
        self.ledgers: list[Ledger] = []
        self.connections: dict[Any, None] = {}
        self.nodes: list[Any] = []
        self.skewed = False
        self.forgotten: set[str] = set()
        self._epoch = 0.0

    def set_epoch(self, time: float) -> None:
        """Set the time, in Unix milliseconds."""
        self._epoch = time - self.loop.time() * 1000

    def skip_time(self, milliseconds: float) -> None:
        """Advance the time without running anything, as if all machines had slept."""
        self._epoch += milliseconds
        self.note("world", "leap", int(milliseconds))

    def now(self) -> float:
        """Return Redis's time in Unix milliseconds, with a fraction."""
        return self._epoch + self.loop.time() * 1000

    def lose_last_writes(self, keyspace: Keyspace) -> None:
        """Restore an earlier state of the store, as after a power cut."""
        self.fault(TAIL_LOST, "the store")
        # Connections break before data is lost: nodes rely on that.
        self.make_unavailable(self.rng.choice((0.0, 0.02, 0.3, 1.0)))
        self.memory.restore(keyspace)
        self.lost_at = int(self.now())
        self.cuts += 1

    def make_unavailable(self, seconds: float) -> None:
        """Break all connections to the store and refuse new ones for some seconds."""
        self.unavailable_until = self.loop.time() + seconds
        for connection in list(self.connections):
            connection.lose(ConnectionResetError("the store became unavailable"))

    def note(self, who: str, what: str, more: object = "") -> None:
        """Add a step to the trace."""
        self.trace.add(self.loop.time(), who, what, more)

    def fault(self, kind: str, who: str, more: object = "") -> None:
        """Count a fault, and add it to the trace."""
        self.faults.note(kind)
        self.note(who, f"FAULT {kind}", more)

    def complain(self, kind: str, about: str, text: str) -> None:
        """Add a complaint."""
        self.complaints.append(Complaint(kind, about, text))  # type: ignore[arg-type]
        self.note(about, f"WRONG {kind}", text)

    def stop_faults(self) -> None:
        """Inject no more faults."""
        self.calm = True
        self.unavailable_until = 0.0
        self.faults.stop()
        self.note("world", "calm")
