"""The journals of one kind on a node, and the one state of each that sessions follow.

A followed journal's state is kept current: this node's appends set it, entries published by other
nodes are folded into it, and after a gap, or when a node has left, the journal is read. Other
journals cost nothing between two commands.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from server.base.core.bus_message import Decoder, encode
from server.base.core.refusal import UnreadableError
from server.base.core.topics import Topic
from server.base.journals.cache import ReplicaCache
from server.base.journals.core.entry import Append, AppendedEntry
from server.base.journals.core.machine import Definition
from server.base.journals.replica import Replica
from server.base.journals.store import JournalStore
from server.base.redis.bus import Bus
from server.base.work.background import Background
from server.base.work.clock import Clock
from server.base.work.signal import Signal
from server.base.work.worker_pool import WorkerPool

# Journals read concurrently, and the seconds that each worker pauses between two.
CONCURRENCY, PAUSE = 16, 0.01


class Numbered(Protocol):
    """A state that knows the number of its last entry."""

    @property
    def version(self) -> int:
        """The number of the last entry."""


State = TypeVar("State", bound=Numbered)
Event = TypeVar("Event")
Name = TypeVar("Name")

# Decodes a message of a topic that carries only entries.
decode = Decoder[AppendedEntry](AppendedEntry).decode


class Followed(Generic[State, Event]):
    """A replica that sessions follow, and its state after the last command or read."""

    __slots__ = ("followers", "replica", "seen", "state")

    def __init__(self, replica: Replica[State, Event], known: State | None) -> None:
        self.replica = replica
        self.followers = 0
        # `None` before the first read. The last state of a journal that is gone remains.
        self.state = replica.settled or known
        # The replica's last state, which is `None` once the journal is gone.
        self.seen = self.state


class Kind(NamedTuple, Generic[Name, State, Event]):
    """A kind of journal."""

    work: str  # the name of the background reads, for logs
    # A definition must emit the signal after each append.
    define: Callable[[Name, Signal[Name, State, Append]], Definition[State, Event]]
    topic: Callable[[Name], Topic]  # of the messages between nodes
    used: int  # approximate bytes of cached replicas that this node appends to or follows
    read_only: int  # approximate bytes of cached replicas that it only reads
    concurrency: int = CONCURRENCY


class Sources(NamedTuple):
    """The parts of a node that its journals use."""

    store: JournalStore
    clock: Clock
    bus: Bus
    nodes_changed: Signal[set[str], set[str]]  # emitted with the joined and the departed nodes
    background: Background


class Journals(Generic[Name, State, Event]):
    """The journals of one kind: cached replicas, and the followed ones among them.

    Attributes:
        appended: emitted after each append of this node, with the state after it.
        changed: emitted with the name of a followed journal whose state may have changed.
    """

    def __init__(self, kind: Kind[Name, State, Event], sources: Sources) -> None:
        self.appended: Signal[Name, State, Append] = Signal()
        self.changed: Signal[Name] = Signal()
        self._kind = kind
        self._store = sources.store
        self._clock = sources.clock
        self._bus = sources.bus
        self._replicas: ReplicaCache[Name, State, Event] = ReplicaCache(kind.used, kind.read_only)
        self._followed: dict[Name, Followed[State, Event]] = {}
        self._reads: WorkerPool[Name] = WorkerPool(
            sources.background, kind.work, self._read, size=kind.concurrency, pause=PAUSE
        )
        self.appended.subscribe(self._appended)
        sources.nodes_changed.subscribe(self._nodes_changed)

    # Commands

    def cached(self, name: Name) -> State | None:
        """Return a state from memory, which may be stale, or `None`."""
        replica = self._replicas.known(name)
        if replica is not None:
            return replica.state
        return self._followed[name].replica.state if name in self._followed else None

    def used(self) -> list[Replica[State, Event]]:
        """Return the cached replicas that this node appends to or follows."""
        return self._replicas.used()

    async def load(self, name: Name) -> State | None:
        """Read a journal's new entries, and return its state; `None` if there is no journal."""
        return await self._replica(name).refresh()

    async def decide(
        self, name: Name, decide: Callable[[State | None, int], Event | None]
    ) -> State:
        """Execute a command, and return the state after it.

        Raises:
            Refusal: the command is refused.
        """
        step = await self._replica(name).decide(decide)
        self._replicas.find_to_append(name)
        return step.after

    def _replica(self, name: Name) -> Replica[State, Event]:
        replica = self._replicas.known(name)
        if replica is not None:
            return replica
        if name in self._followed:
            # It was evicted.
            return self._replicas.put(name, self._followed[name].replica)
        definition = self._kind.define(name, self.appended)
        return self._replicas.put(name, Replica(self._store, self._clock, definition))

    # Followers

    @property
    def size(self) -> int:
        """The number of journals that this node follows."""
        return len(self._followed)

    def state(self, name: Name) -> State | None:
        """Return the last known state of a followed journal, else `None`."""
        followed = self._followed.get(name)
        return followed.state if followed is not None else None

    def follow(self, name: Name, known: State | None = None) -> Followed[State, Event]:
        """Keep a journal's state current; each call needs one `unfollow`.

        Args:
            name: the journal. Entries before the call are not read.
            known: a known state, in case the replica has none.
        """
        followed = self._followed.get(name)
        if followed is None:
            followed = self._followed[name] = Followed(self._replica(name), known)
            followed.replica.ended = partial(self._ended, name)
            # As an append does, this protects the replica from eviction by reads.
            self._replicas.find_to_append(name)
            self._bus.subscribe(self._kind.topic(name), partial(self.receive, name))
        followed.followers += 1
        return followed

    def unfollow(self, name: Name) -> None:
        """Undo one `follow`."""
        followed = self._followed[name]
        followed.followers -= 1
        if not followed.followers:
            del self._followed[name]
            followed.replica.ended = None
            self._bus.unsubscribe(self._kind.topic(name))

    def refresh_soon(self, name: Name) -> None:
        """Enqueue a read of a followed journal; `changed` is emitted if the state differs."""
        self._reads.add(name)

    def receive(self, name: Name, payload: bytes | None) -> None:
        """Handle a message of a journal's topic; `None` if messages may have been lost."""
        entry = decode(payload)
        if entry is not None:
            self.fold(name, entry)
        else:
            self._reads.add(name)

    def fold(self, name: Name, entry: AppendedEntry) -> None:
        """Fold an entry of a followed journal, published by another node, or enqueue a read."""
        followed = self._followed.get(name)
        if followed is None or (
            followed.state is not None and entry.number <= followed.state.version
        ):
            return
        self._replicas.find_to_append(name)
        try:
            is_known = followed.replica.receive(entry.number, entry.text)
        except UnreadableError:
            # The subsequent read reports the error once.
            is_known = False
        if is_known:
            self._ended(name)
        else:
            self._reads.add(name)

    def _publish(self, name: Name, message: Any) -> None:
        """Publish to a journal's topic."""
        self._bus.publish(self._kind.topic(name), encode(message))

    async def _read(self, name: Name) -> None:
        """Read a followed journal."""
        if name in self._followed:
            await self.load(name)

    def _ended(self, name: Name) -> None:
        """Adopt the state of a followed replica after a command or a read."""
        self._adopt(name, self._followed[name].replica.state)

    def _adopt(self, name: Name, state: State | None) -> None:
        followed = self._followed.get(name)
        # A journal that is gone is reported once, not after each of the reads that follow.
        if followed is None or followed.seen is state:
            return
        followed.seen, followed.state = state, state or followed.state
        self.changed.emit(name)

    def _appended(self, name: Name, after: State, append: Append) -> None:
        """Adopt the state after an append of this node, and publish the entry."""
        self._adopt(name, after)
        followed = self._followed.get(name)
        if followed is not None and followed.replica.number < append.number:
            # A replica has appended it that was evicted before the journal was followed.
            self._reads.add(name)
        # A journal that starts with several entries at once has no followers before.
        if not append.earlier:
            self._publish(name, AppendedEntry(append.number, append.payload))

    def _nodes_changed(self, joined: set[str], left: set[str]) -> None:
        """Re-read all followed journals after a node's departure.

        It may not have published its last appends.
        """
        if left:
            for name in self._followed:
                self._reads.add(name)
