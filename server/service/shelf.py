"""The journals that a node holds: which of them stay in memory."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Generic, TypeVar

from server.service.held import Held

MOST_USED = 20_000
"""Journals of a kind that have grown here held at once: about 4 KiB each."""

MOST_LOOKED_AT = 2_000
"""Journals of a kind that were only looked at held at once."""

State = TypeVar("State")
Event = TypeVar("Event")
Name = TypeVar("Name")


class Shelf(Generic[Name, State, Event]):
    """The journals of one kind that this node holds, the least recently used forgotten first.

    Journals that were only looked at are held apart: however many of them there are, they take the
    place of none that is played.
    """

    def __init__(self) -> None:
        self._used: OrderedDict[Name, Held[State, Event]] = OrderedDict()
        self._looked_at: OrderedDict[Name, Held[State, Event]] = OrderedDict()

    def find(self, name: Name) -> Held[State, Event] | None:
        """Return a journal that is held, or `None`."""
        found = self._used.get(name)
        return self._looked_at.get(name) if found is None else found

    def find_to_use(self, name: Name) -> Held[State, Event] | None:
        """Return a journal that is held and is going to grow, or `None`."""
        used = self._used
        if name in used:
            used.move_to_end(name)
            return used[name]
        found = self._looked_at.pop(name, None)
        if found is not None:
            _put(used, name, found, MOST_USED)
        return found

    @property
    def size(self) -> int:
        """How many journals are held."""
        return len(self._used) + len(self._looked_at)

    def put(self, name: Name, held: Held[State, Event]) -> Held[State, Event]:
        """Hold a journal, unless it is held by now; return the one that is."""
        found = self.find(name)
        if found is None:
            _put(self._looked_at, name, held, MOST_LOOKED_AT)
            return held
        return found


def _put(shelf: OrderedDict[Any, Any], name: object, held: object, most: int) -> None:
    if len(shelf) >= most:
        shelf.popitem(last=False)
    shelf[name] = held
