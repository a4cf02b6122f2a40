"""Silent connections, which are the first to be ended if others need their place.

An HTTP connection is silent until a whole request has arrived, in however many pieces, and a
WebSocket until its `Hello` has been executed. They are counted by address and by the surrounding
IPv6 /48; the one with most silent connections loses one first. Each change takes constant time.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable


class Silence:
    """A connection that is silent until `end`.

    Attributes:
        keys: the keys of its address and the surrounding network.
    """

    __slots__ = ("_abort", "_is_leaving", "_silences", "keys")

    def __init__(
        self, silences: Silences, keys: tuple[str, ...], abort: Callable[[], object]
    ) -> None:
        self._silences: Silences | None = silences
        self._abort: Callable[[], object] | None = abort
        self._is_leaving = False
        self.keys = keys

    def end(self) -> None:
        """Stop counting the connection: it is no longer silent, or is lost."""
        silences, self._silences, self._abort = self._silences, None, None
        if silences is None:
            return
        if self._is_leaving:
            silences.leaving -= 1
        else:
            silences.remove(self)

    def make_room(self) -> None:
        """End the connection, since another one needs its place."""
        assert self._silences is not None, "only silent connections make room"
        assert self._abort is not None, "only silent connections make room"
        self._silences.remove(self)
        self._is_leaving = True
        self._silences.leaving += 1
        self._abort()


class Silences:
    """The silent connections of a node, by the keys of addresses and networks, oldest first.

    Attributes:
        leaving: the number of ended connections that are not lost yet.
    """

    def __init__(self) -> None:
        self.leaving = 0
        self._of_keys: defaultdict[str, OrderedDict[Silence, None]] = defaultdict(OrderedDict)
        self._by_count: defaultdict[int, OrderedDict[str, None]] = defaultdict(OrderedDict)
        self._most = 0

    def begin(self, keys: tuple[str, ...], abort: Callable[[], object]) -> Silence:
        """Count a silent connection.

        Args:
            keys: the keys of its address and the surrounding network.
            abort: ends the connection soon.
        """
        made = Silence(self, keys, abort)
        for key in keys:
            found = self._of_keys[key]
            found[made] = None
            self._count(key, len(found) - 1, len(found))
        return made

    def remove(self, silence: Silence) -> None:
        """Remove a connection; called by the connection itself."""
        for key in silence.keys:
            found = self._of_keys[key]
            del found[silence]
            self._count(key, len(found) + 1, len(found))
            if not found:
                del self._of_keys[key]

    def make_room(self, key: str | None = None) -> bool:
        """End the oldest silent connection of a key, and return whether there was one.

        Args:
            key: the address or network; `None` for the one with most silent connections.
        """
        if key is None and self._most:
            key = next(iter(self._by_count[self._most]))
        if key is None or key not in self._of_keys:
            return False
        next(iter(self._of_keys[key])).make_room()
        return True

    def _count(self, key: str, before: int, now: int) -> None:
        """Update the count of a key, which differs by one from before."""
        if before:
            del self._by_count[before][key]
            if not self._by_count[before]:
                del self._by_count[before]
        if now:
            self._by_count[now][key] = None
        # Counts change by one, so if the maximum has become unused, this count is the next one.
        if now > self._most or self._most not in self._by_count:
            self._most = now
