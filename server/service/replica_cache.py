"""Which replicas of journals stay in memory: a cache with least-recently-used eviction."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Generic, TypeVar

from server.service.replica import Replica

MOST_USED = 20_000
"""Replicas of one type that this node appends to, held at once: about 4 KiB each."""

MOST_READ_ONLY = 2_000
"""Replicas of one type that this node has only read, held at once."""

State = TypeVar("State")
Event = TypeVar("Event")
Name = TypeVar("Name")


class ReplicaCache(Generic[Name, State, Event]):
    """The replicas of one type that this node holds; the least recently used is evicted first.

    Replicas that were only read are held apart, so that reading many journals never evicts one that
    is appended to.
    """

    def __init__(self) -> None:
        self._used: OrderedDict[Name, Replica[State, Event]] = OrderedDict()
        self._read_only: OrderedDict[Name, Replica[State, Event]] = OrderedDict()

    def find(self, name: Name) -> Replica[State, Event] | None:
        """Return a replica, or `None` if it is not held."""
        found = self._used.get(name)
        return self._read_only.get(name) if found is None else found

    def find_to_append(self, name: Name) -> Replica[State, Event] | None:
        """Return a replica that is going to be appended to, or `None` if it is not held."""
        used = self._used
        if name in used:
            used.move_to_end(name)
            return used[name]
        found = self._read_only.pop(name, None)
        if found is not None:
            _put(used, name, found, MOST_USED)
        return found

    @property
    def size(self) -> int:
        """How many replicas are held."""
        return len(self._used) + len(self._read_only)

    def put(self, name: Name, held: Replica[State, Event]) -> Replica[State, Event]:
        """Hold a replica, unless the name has one by now; return the one that is held."""
        found = self.find(name)
        if found is None:
            _put(self._read_only, name, held, MOST_READ_ONLY)
            return held
        return found


def _put(replicas: OrderedDict[Any, Any], name: object, held: object, most: int) -> None:
    if len(replicas) >= most:
        replicas.popitem(last=False)
    replicas[name] = held
