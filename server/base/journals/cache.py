"""A cache of replicas, bounded in bytes, with eviction of one not appended to lately.

An object shared by several cached replicas, such as custom rules, is counted once.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from itertools import islice
from typing import Final, Generic, TypeVar

from server.base.journals.core.machine import Shared
from server.base.journals.replica import Replica

MAX_BYTES: Final = 256 << 20
"""Approximate total bytes of the replicas of one type to which this node appends.

An attempt takes 1.5 to 4 kB, or up to 75 kB if moves can be undone: each of the last hundred or
more moves then keeps a board.
"""

MAX_READ_ONLY_BYTES: Final = 16 << 20
"""Approximate total bytes of the replicas of one type that this node has only read."""

_RECOUNTED: Final = 16
"""How many replicas that were added empty are measured again with each addition."""

_COUNT_EVERY: Final = 16
"""Entries after which a replica in use is measured again. Each entry adds half a kilobyte."""

State = TypeVar("State")
Event = TypeVar("Event")
Name = TypeVar("Name")


class _Bounded(Generic[Name, State, Event]):
    """Replicas in eviction order, with the last measured size of each."""

    def __init__(self, most: int) -> None:
        self.held: OrderedDict[Name, tuple[Replica[State, Event], int, Shared | None]] = (
            OrderedDict()
        )
        self.bytes = 0
        self._holders: Counter[Shared] = Counter()
        self._most = most
        self._unread: OrderedDict[Name, None] = OrderedDict()
        """Names of replicas that were empty or busy when last measured, oldest measurement first.
        """

    def get(self, name: Name) -> Replica[State, Event] | None:
        """Return a replica, and measure it regularly, since other nodes may append to it."""
        found = self.held.get(name)
        if found is None:
            return None
        if not found[0].number % _COUNT_EVERY:
            self._count(name)
        return found[0]

    def use(self, name: Name) -> Replica[State, Event] | None:
        """Return a replica like `get`, and protect it from eviction whenever it is measured."""
        found = self.held.get(name)
        if found is None:
            return None
        replica = found[0]
        if not replica.number % _COUNT_EVERY:
            self._count(name)
            # Only now: a move costs more than the precise order is worth.
            self.held.move_to_end(name)
            if self.bytes > self._most:
                self._evict()
        return replica

    def add(self, name: Name, replica: Replica[State, Event]) -> None:
        self.held[name] = replica, 0, None
        self._count(name)
        # A new replica is empty until it is read, so it is measured again then.
        self._unread[name] = None
        self._measure_unread()
        self._evict()

    def _measure_unread(self) -> None:
        """Measure replicas that were added empty, each until it has been read or evicted."""
        for name in list(islice(self._unread, _RECOUNTED)):
            del self._unread[name]
            if name in self.held:
                self._count(name)
                if self.held[name][0].settled is None:
                    self._unread[name] = None

    def pop(self, name: Name) -> Replica[State, Event] | None:
        found = self.held.pop(name, None)
        if found is None:
            return None
        replica, size, shared = found
        self.bytes -= size
        self._release(shared)
        return replica

    def _count(self, name: Name) -> None:
        replica, counted, held = self.held[name]
        size, shared = replica.size, replica.shared
        if size != counted or shared is not held:
            self.held[name] = replica, size, shared
            self.bytes += size - counted
            self._hold(shared)
            self._release(held)

    def _hold(self, shared: Shared | None) -> None:
        """Count a shared object once, however many replicas hold it."""
        if shared is not None:
            if shared not in self._holders:
                self.bytes += shared.size
            self._holders[shared] += 1

    def _release(self, shared: Shared | None) -> None:
        if shared is not None:
            self._holders[shared] -= 1
            if not self._holders[shared]:
                del self._holders[shared]
                self.bytes -= shared.size

    def _evict(self) -> None:
        # The newest replica is in use, and stays even if it alone exceeds the bound.
        while self.bytes > self._most and len(self.held) > 1:
            self.pop(next(iter(self.held)))


class ReplicaCache(Generic[Name, State, Event]):
    """The cached replicas of one type of journal, by name.

    Replicas that were only read have a separate bound, so that reading many journals does not evict
    journals in use. They are evicted in the order of their first read.

    Args:
        used: maximum bytes of replicas that are appended to, as estimated by `Replica.size`.
        read_only: maximum bytes of all other replicas.
    """

    def __init__(self, used: int = MAX_BYTES, read_only: int = MAX_READ_ONLY_BYTES) -> None:
        self._used = _Bounded[Name, State, Event](used)
        self._read_only = _Bounded[Name, State, Event](read_only)

    def known(self, name: Name) -> Replica[State, Event] | None:
        """Return a replica, or `None` if it is not cached. This does not count as use."""
        found = self._used.get(name)
        return self._read_only.get(name) if found is None else found

    def find_to_append(self, name: Name) -> Replica[State, Event] | None:
        """Return a replica to append to, or `None` if it is not cached. This counts as use."""
        found = self._used.use(name)
        if found is None:
            # The first append moves the replica to the bound of replicas in use.
            found = self._read_only.pop(name)
            if found is not None:
                self._used.add(name, found)
        return found

    def used(self) -> list[Replica[State, Event]]:
        """Return the replicas to which this node appends."""
        return [replica for replica, *_ in self._used.held.values()]

    @property
    def size(self) -> int:
        """The number of cached replicas."""
        return len(self._used.held) + len(self._read_only.held)

    @property
    def bytes(self) -> int:
        """The approximate size of the cached replicas in bytes."""
        return self._used.bytes + self._read_only.bytes

    def put(self, name: Name, replica: Replica[State, Event]) -> Replica[State, Event]:
        """Cache a replica unless the name has one already, and return the cached one."""
        found = self.known(name)
        if found is None:
            self._read_only.add(name, replica)
            return replica
        return found
