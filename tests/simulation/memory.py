"""The data of the simulated Redis, and its commands, which are applied atomically.

Scripts are Python functions of the same effect, found by the script's text; `test_store.py`
compares both with a real Redis.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tests.faults.stored import Entry, Stored

Reply = Any
"""A Python value: text, number, `None`, list, dict, or an `Error`."""


class Error(Exception):
    """An error reply."""


@dataclass
class Keyspace:
    """All keys.

    Attributes:
        keys: text, dict (a hash), list (texts of a stream whose ids nobody reads), `Journal`, or
            `Scores`.
        expiries: when keys expire, in Unix milliseconds.
    """

    keys: dict[str, Any] = field(default_factory=dict)
    expiries: dict[str, float] = field(default_factory=dict)


@dataclass
class Journal:
    """A journal: the texts of all entries that there ever were, which no checkpoint takes away.

    Attributes:
        texts: from `0-1` on, for the checker.
        begin: the number of the first one that Redis still has.
    """

    texts: list[str] = field(default_factory=list)
    begin: int = 1

    @property
    def held(self) -> list[str]:
        """The texts that Redis has."""
        return self.texts[self.begin - 1 :]


class Scores(dict[str, float]):
    """A sorted set: scores by member."""

    def rows(self) -> list[tuple[str, float]]:
        """Return (member, score) in Redis's order."""
        return sorted(self.items(), key=lambda row: (row[1], row[0]))


class Key(NamedTuple):
    """A key, with its value, and when it expires (Unix milliseconds) if it does."""

    name: str
    value: Any
    expires: float | None


class Memory:
    """The database: commands, and what tests need of it.

    Attributes:
        now: returns Redis's time in Unix milliseconds, with a fraction.
        appended: how many entries have been appended to journals.
        journals: all entries that were ever appended, by key.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.appended = 0
        self.journals: defaultdict[str, list[str]] = defaultdict(list)
        self._keyspace = Keyspace()

    def snapshot(self) -> Keyspace:
        """Return a copy of all keys, for `restore`."""
        return copy.deepcopy(self._keyspace)

    def restore(self, keyspace: Keyspace) -> None:
        """Replace all keys by those of a snapshot."""
        self._keyspace = keyspace

    def find(self, key: str) -> Any:
        """Return the value of a key, or `None`."""
        end = self._keyspace.expiries.get(key)
        if end is not None and end <= self.now():
            self.delete(key)
        return self._keyspace.keys.get(key)

    def put(self, key: str, value: Any) -> Any:
        """Set the value of a key, keeping its expiry, and return the value."""
        self._keyspace.keys[key] = value
        return value

    def delete(self, *names: str) -> None:
        """Delete keys."""
        for key in names:
            self._keyspace.keys.pop(key, None)
            self._keyspace.expiries.pop(key, None)

    def expire_at(self, key: str, milliseconds: float) -> None:
        """Set the expiry of a key, in Unix milliseconds."""
        if key in self._keyspace.keys:
            self._keyspace.expiries[key] = milliseconds

    def expires(self, key: str) -> float | None:
        """Return when a key expires, in Unix milliseconds; `None` if not, or if there is none."""
        return None if self.find(key) is None else self._keyspace.expiries.get(key)

    def persist(self, key: str) -> None:
        """Let a key not expire."""
        self._keyspace.expiries.pop(key, None)

    def expire(self, key: str, seconds: str) -> None:
        """Set the expiry of a key, in seconds from now."""
        self.expire_at(key, self.now() + int(seconds) * 1000)

    def hash(self, key: str) -> Any:
        """Return a hash, created if there is none."""
        found = self.find(key)
        return self.put(key, {}) if found is None else found

    def scores(self, key: str) -> Any:
        """Return a sorted set, created if there is none."""
        found = self.find(key)
        return self.put(key, Scores()) if found is None else found

    def journal(self, key: str) -> Journal:
        """Return a journal, which is not stored before something is appended."""
        found = self.find(key)
        return Journal() if found is None else found

    def append(self, key: str, text: str, *, drops: bool = False) -> None:
        """Append an entry to a journal, and drop those before it if so asked."""
        self.appended += 1
        self.journals[key].append(text)
        found = self.journal(key)
        texts = [*found.texts, text]
        self.put(key, Journal(texts, len(texts) if drops else found.begin))

    # Commands

    def run(self, name: str, given: list[str]) -> Reply:
        """Return the reply to a command."""
        command = getattr(self, f"_{name.lower()}", None)
        return Error(f"ERR unknown command {name}") if command is None else command(*given)

    def _time(self) -> Reply:
        now = int(self.now() * 1000)
        return [str(now // 1_000_000), str(now % 1_000_000)]

    def _get(self, key: str) -> Reply:
        return self.find(key)

    def _set(self, key: str, value: str, *more: str) -> Reply:
        self.delete(key)
        self.put(key, value)
        if more:
            self.expire(key, more[1])
        return "OK"

    def _del(self, key: str) -> Reply:
        found = self.find(key) is not None
        self.delete(key)
        return int(found)

    def _expire(self, key: str, seconds: str) -> Reply:
        self.expire(key, seconds)
        return int(self.find(key) is not None)

    def _persist(self, key: str) -> Reply:
        self.persist(key)
        return int(self.find(key) is not None)

    def _exists(self, key: str) -> Reply:
        return int(self.find(key) is not None)

    def _hget(self, key: str, name: str) -> Reply:
        return (self.find(key) or {}).get(name)

    def _hmget(self, key: str, *names: str) -> Reply:
        return [self._hget(key, name) for name in names]

    def _hkeys(self, key: str) -> Reply:
        return list(self.find(key) or {})

    def _hvals(self, key: str) -> Reply:
        return list((self.find(key) or {}).values())

    def _xrevrange(self, key: str, _: str, __: str, ___: str, count: str) -> Reply:
        """Return the newest entries of the audit journal, whose ids are Redis's."""
        texts = [*reversed(self.find(key) or [])][: int(count)]
        return [["0-0", ["e", text]] for text in texts]

    def _hgetall(self, key: str) -> Reply:
        return dict(self.find(key) or {})

    def _hlen(self, key: str) -> Reply:
        return len(self.find(key) or {})

    def _hscan(self, key: str, cursor: str, _: str, count: str) -> Reply:
        """Return some of the fields, in the order in which they were added."""
        pairs = list((self.find(key) or {}).items())
        first, last = int(cursor), int(cursor) + int(count)
        found = [part for pair in pairs[first:last] for part in pair]
        return [str(last if last < len(pairs) else 0), found]

    def _hset(self, key: str, *pairs: str) -> Reply:
        self.hash(key).update(zip(pairs[::2], pairs[1::2], strict=True))
        return len(pairs) // 2

    def _hsetnx(self, key: str, name: str, value: str) -> Reply:
        return self.hash(key).setdefault(name, value)

    def _hdel(self, key: str, name: str) -> Reply:
        found = self.find(key) or {}
        gone = found.pop(name, None)
        if not found:
            self.delete(key)
        return int(gone is not None)

    def zadd(self, key: str, score: float | str, member: str) -> None:
        """Set the score of a member."""
        self.scores(key)[member] = float(score)

    def _zadd(self, key: str, *given: str) -> Reply:
        """Set the score of a member; with `XX`, the only option that is used, if it is there."""
        *options, score, member = given
        is_new = member not in (self.find(key) or {})
        if is_new and options:
            return 0
        self.zadd(key, score, member)
        return int(is_new)

    def _zcard(self, key: str) -> Reply:
        return len(self.rows(key))

    def zrem(self, key: str, member: str) -> int:
        """Remove a member, and return 1 if there was one, or 0."""
        found = self.find(key) or {}
        gone = found.pop(member, None)
        if not found:
            self.delete(key)
        return int(gone is not None)

    _zrem = zrem

    def rows(self, key: str) -> list[tuple[str, float]]:
        """Return the (member, score) of a sorted set, in its order."""
        found = self.find(key)
        return [] if found is None else list(found.rows())

    def _zrange(self, key: str, first: str, last: str, *more: str) -> Reply:
        if not more:
            return [member for member, _ in self.rows(key)]
        if more == ("WITHSCORES",):
            return [[member, score] for member, score in self.rows(key)]
        low, high = float(first.lstrip("(")), float(last)
        return [m for m, s in self.rows(key) if (s > low if first[0] == "(" else s >= low)
                and s <= high]  # fmt: skip

    def _zrevrange(self, key: str, _: str, __: str) -> Reply:
        return [member for member, _ in reversed(self.rows(key))]

    def _zrangebyscore(self, key: str, _: str, last: str, *more: str) -> Reply:
        found = [[m, s] for m, s in self.rows(key) if s <= float(last)]
        return found[: int(more[more.index("LIMIT") + 2])]

    def _xrange(self, key: str, first: str, _: str, __: str, count: str) -> Reply:
        found = self.journal(key)
        start = max(int(first.partition("-")[2]), found.begin)
        texts = found.texts[start - 1 : start - 1 + int(count)]
        return [[f"0-{number}", ["e", text]] for number, text in enumerate(texts, start)]

    def _xlen(self, key: str) -> Reply:
        return len(self.journal(key).held)

    # For the checker

    def stored(self) -> Stored:
        """Return all of it as the checker reads it."""
        stored = Stored()
        for key in list(self._keyspace.keys):
            stored.add(key, self)
        return stored

    def held(self) -> Iterator[Key]:
        """Yield all keys that have not expired."""
        for key in list(self._keyspace.keys):
            value = self.find(key)
            if value is not None:
                yield Key(key, value, self._keyspace.expiries.get(key))

    def entries(self, key: str) -> list[Entry]:
        """Return the entries of a journal, also those that were dropped, or of another stream."""
        found = self.find(key) or []
        texts = found.texts if isinstance(found, Journal) else found
        return [(f"0-{number}", text) for number, text in enumerate(texts, 1)]

    def expiry(self, key: str) -> int:
        """Return when a key expires, in Unix milliseconds; 0 if it does not."""
        return int(self.expires(key) or 0)

    def text(self, key: str) -> str:
        """Return a string."""
        return str(self.find(key))

    def fields(self, key: str) -> dict[str, str]:
        """Return a copy of a hash."""
        return dict(self.find(key) or {})
