"""The cache of replicas: bounded, and the least recently appended to are evicted first."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Generic, TypeVar

from server.service.replica import Replica

MAX_USED = 20_000
"""Cached replicas of one type that this node appends to, about 4 KiB each."""

MAX_READ_ONLY = 2_000
"""Cached replicas of one type that this node has only read."""

State = TypeVar("State")
Event = TypeVar("Event")
Name = TypeVar("Name")


class ReplicaCache(Generic[Name, State, Event]):
    """The cached replicas of one type of journal, by name.

    Replicas that were only read have a cache of their own, so that reading many journals does not
    evict one that is appended to. There the order is that of reading: the oldest is evicted first.
    """

    def __init__(self) -> None:
        self._used: OrderedDict[Name, Replica[State, Event]] = OrderedDict()
        self._read_only: OrderedDict[Name, Replica[State, Event]] = OrderedDict()

    def find(self, name: Name) -> Replica[State, Event] | None:
        """Return a replica, or `None` if it is not cached. This does not count as use."""
        found = self._used.get(name)
        return self._read_only.get(name) if found is None else found

    def find_to_append(self, name: Name) -> Replica[State, Event] | None:
        """Return a replica to append to, or `None` if it is not cached; it is now the last used."""
        used = self._used
        if name in used:
            used.move_to_end(name)
            return used[name]
        found = self._read_only.pop(name, None)
        if found is not None:
            _put(used, name, found, MAX_USED)
        return found

    def used(self) -> list[Replica[State, Event]]:
        """Return the replicas that this node appends to."""
        return list(self._used.values())

    @property
    def size(self) -> int:
        """How many replicas are cached."""
        return len(self._used) + len(self._read_only)

    def put(self, name: Name, replica: Replica[State, Event]) -> Replica[State, Event]:
        """Cache a replica, unless the name has one already; return the one that is cached."""
        found = self.find(name)
        if found is None:
            _put(self._read_only, name, replica, MAX_READ_ONLY)
            return replica
        return found


def _put(replicas: OrderedDict[Any, Any], name: object, replica: object, most: int) -> None:
    if len(replicas) >= most:
        replicas.popitem(last=False)
    replicas[name] = replica
