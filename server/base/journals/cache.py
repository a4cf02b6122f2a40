"""The cache of replicas: bounded in bytes, and the least recently appended to are evicted first.

What several replicas share, as rules that a player has made up, counts once, as long as one of them
is cached.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from itertools import islice
from typing import Final, Generic, TypeVar

from server.base.journals.core.machine import Shared
from server.base.journals.replica import Replica

MAX_BYTES: Final = 256 << 20
"""About how many bytes replicas of one type take that this node appends to.

An attempt takes 1.5 to 4 kB. Where moves can be undone, each of the last hundred and more keeps a
board: up to 75 kB.
"""

MAX_READ_ONLY_BYTES: Final = 16 << 20
"""About how many bytes replicas of one type take that this node has only read."""

_RECOUNTED: Final = 16
"""How many replicas that were added empty, and are read since, are counted when one is added."""

_COUNT_EVERY: Final = 16
"""Entries after which the size of a replica in use is taken again: each adds half a kilobyte."""

State = TypeVar("State")
Event = TypeVar("Event")
Name = TypeVar("Name")


class _Bounded(Generic[Name, State, Event]):
    """Replicas in an order, with the size that was last counted of each; the first is evicted."""

    def __init__(self, most: int) -> None:
        self.held: OrderedDict[Name, tuple[Replica[State, Event], int, Shared | None]] = (
            OrderedDict()
        )
        self.bytes = 0
        self._holders: Counter[Shared] = Counter()
        self._most = most
        self._unread: OrderedDict[Name, None] = OrderedDict()
        """Those that were empty or busy when they were counted last, the longest ago first."""

    def get(self, name: Name) -> Replica[State, Event] | None:
        """Return a replica, and count it again now and then, since others may append to it."""
        found = self.held.get(name)
        if found is None:
            return None
        if not found[0].number % _COUNT_EVERY:
            self._count(name)
        return found[0]

    def use(self, name: Name) -> Replica[State, Event] | None:
        """Return a replica as `get` does; it is the last one now."""
        found = self.get(name)
        if found is not None:
            self.held.move_to_end(name)
            self._evict()
        return found

    def add(self, name: Name, replica: Replica[State, Event]) -> None:
        self.held[name] = replica, 0, None
        self._count(name)
        self._unread[name] = None
        self._count_unread()
        self._evict()

    def _count_unread(self) -> None:
        """Count those that were added empty; each until it has been read, or is held no more."""
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
        """Count what replicas share, once for all of them."""
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
        while self.bytes > self._most and len(self.held) > 1:
            self.pop(next(iter(self.held)))


class ReplicaCache(Generic[Name, State, Event]):
    """The cached replicas of one type of journal, by name.

    Replicas that were only read have a bound of their own, so that reading many journals does not
    evict one that is appended to. There the order is that of reading: the oldest is evicted first.

    Args:
        used: how many bytes those take that are appended to, as `Replica.size` estimates it.
        read_only: the same of those that are not.
    """

    def __init__(self, used: int = MAX_BYTES, read_only: int = MAX_READ_ONLY_BYTES) -> None:
        self._used = _Bounded[Name, State, Event](used)
        self._read_only = _Bounded[Name, State, Event](read_only)

    def known(self, name: Name) -> Replica[State, Event] | None:
        """Return a replica, or `None` if it is not cached. This does not count as use."""
        found = self._used.get(name)
        return self._read_only.get(name) if found is None else found

    def find_to_append(self, name: Name) -> Replica[State, Event] | None:
        """Return a replica to append to, or `None` if it is not cached; it is now the last used."""
        found = self._used.use(name)
        if found is None:
            found = self._read_only.pop(name)
            if found is not None:
                self._used.add(name, found)
        return found

    def used(self) -> list[Replica[State, Event]]:
        """Return the replicas that this node appends to."""
        return [replica for replica, *_ in self._used.held.values()]

    @property
    def size(self) -> int:
        """How many replicas are cached."""
        return len(self._used.held) + len(self._read_only.held)

    @property
    def bytes(self) -> int:
        """About how many bytes they take."""
        return self._used.bytes + self._read_only.bytes

    def put(self, name: Name, replica: Replica[State, Event]) -> Replica[State, Event]:
        """Cache a replica, unless the name has one already; return the one that is cached."""
        found = self.known(name)
        if found is None:
            self._read_only.add(name, replica)
            return replica
        return found
