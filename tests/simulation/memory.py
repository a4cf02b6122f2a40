"""The data of the simulated Redis and its atomic commands.

`scripts.py` runs the server's Lua on it; `test_store.py` compares it with a real Redis.
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
        keys: text, dict (a hash), list (texts of a stream without ids), `Journal`, or `Scores`.
        expiries: when keys expire, in Unix milliseconds.
    """

    keys: dict[str, Any] = field(default_factory=dict)
    expiries: dict[str, float] = field(default_factory=dict)


@dataclass
class Journal:
    """A journal with the texts of all its entries, including those that checkpoints trimmed.

    Attributes:
        begin: the number of the first entry that Redis still has.
    """

    texts: list[str] = field(default_factory=list)
    begin: int = 1

    @property
    def held(self) -> list[str]:
        """The texts that Redis still has."""
        return self.texts[self.begin - 1 :]


class Scores(dict[str, float]):
    """A sorted set: scores by member."""

    def rows(self) -> list[tuple[str, float]]:
        """Return (member, score) pairs in Redis's order."""
        return sorted(self.items(), key=lambda row: (row[1], row[0]))


class Key(NamedTuple):
    """A key, its value, and its expiry in Unix milliseconds, if any."""

    name: str
    value: Any
    expires: float | None


class Memory:
    """The database: commands, and accessors for tests.

    Attributes:
        now: returns Redis's time in Unix milliseconds, with a fraction.
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
        """Replace all keys with a snapshot's."""
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

    def hash(self, key: str) -> Any:
        """Return a hash, created if missing."""
        found = self.find(key)
        return self.put(key, {}) if found is None else found

    def journal(self, key: str) -> Journal:
        """Return a journal, which is stored with its first entry."""
        found = self.find(key)
        return Journal() if found is None else found

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
            option, time = more
            now = 0 if option == "PXAT" else self.now()
            self.expire_at(key, now + int(time) * (1000 if option == "EX" else 1))
        return "OK"

    def _del(self, key: str) -> Reply:
        found = self.find(key) is not None
        self.delete(key)
        return int(found)

    def _expire(self, key: str, seconds: str) -> Reply:
        return self._pexpireat(key, self.now() + int(seconds) * 1000)

    def _pexpireat(self, key: str, milliseconds: str | float) -> Reply:
        found = self.find(key) is not None
        self.expire_at(key, float(milliseconds))
        return int(found)

    def _persist(self, key: str) -> Reply:
        return int(self._keyspace.expiries.pop(key, None) is not None)

    def _ttl(self, key: str) -> Reply:
        if self.find(key) is None:
            return -2
        end = self._keyspace.expiries.get(key)
        return -1 if end is None else int((end - self.now() + 500) // 1000)

    def _exists(self, key: str) -> Reply:
        return int(self.find(key) is not None)

    def _hget(self, key: str, name: str) -> Reply:
        return (self.find(key) or {}).get(name)

    def _hexists(self, key: str, name: str) -> Reply:
        return int(self._hget(key, name) is not None)

    def _hmget(self, key: str, *names: str) -> Reply:
        return [self._hget(key, name) for name in names]

    def _hkeys(self, key: str) -> Reply:
        return list(self.find(key) or {})

    def _hvals(self, key: str) -> Reply:
        return list((self.find(key) or {}).values())

    def _hgetall(self, key: str) -> Reply:
        return dict(self.find(key) or {})

    def _hlen(self, key: str) -> Reply:
        return len(self.find(key) or {})

    def _hscan(self, key: str, cursor: str, _: str, count: str) -> Reply:
        pairs = list((self.find(key) or {}).items())
        first, last = int(cursor), int(cursor) + int(count)
        found = [part for pair in pairs[first:last] for part in pair]
        return [str(last if last < len(pairs) else 0), found]

    def _hset(self, key: str, *pairs: str) -> Reply:
        found = self.hash(key)
        before = len(found)
        found.update(zip(pairs[::2], pairs[1::2], strict=True))
        return len(found) - before

    def _hsetnx(self, key: str, name: str, value: str) -> Reply:
        return 0 if self._hexists(key, name) else self._hset(key, name, value)

    def _hincrby(self, key: str, name: str, change: str) -> Reply:
        found = self.hash(key)
        found[name] = str(int(found.get(name, 0)) + int(change))
        return int(found[name])

    def _hdel(self, key: str, *names: str) -> Reply:
        found = self.find(key) or {}
        gone = [name for name in names if found.pop(name, None) is not None]
        if not found:
            self.delete(key)
        return len(gone)

    _zrem = _hdel

    def _sadd(self, key: str, member: str) -> Reply:
        return self._hsetnx(key, member, "")

    def _zadd(self, key: str, *given: str) -> Reply:
        """Set a member's score: with `XX` only if present, with `GT` only if greater."""
        *options, score, member = given
        before = self._zscore(key, member)
        if ("XX" in options and before is None) or (
            "GT" in options and before is not None and before >= float(score)
        ):
            return 0
        found = self.find(key)
        (self.put(key, Scores()) if found is None else found)[member] = float(score)
        return int(before is None)

    def _zcard(self, key: str) -> Reply:
        return len(self.rows(key))

    def _zscore(self, key: str, member: str) -> Reply:
        return (self.find(key) or {}).get(member)

    def _zmscore(self, key: str, *members: str) -> Reply:
        return [self._zscore(key, member) for member in members]

    def _zrank(self, key: str, member: str) -> Reply:
        members = [each for each, _ in self.rows(key)]
        return members.index(member) if member in members else None

    def rows(self, key: str) -> list[tuple[str, float]]:
        """Return the (member, score) pairs of a sorted set in its order."""
        found = self.find(key)
        return [] if found is None else list(found.rows())

    def _scored(self, key: str, low: str, high: str) -> list[tuple[str, float]]:
        """Return the rows between two scores; `(` excludes a bound."""
        least, most = float(low.lstrip("(")), float(high.lstrip("("))
        return [
            (member, score)
            for member, score in self.rows(key)
            if (score > least if low[0] == "(" else score >= least)
            and (score < most if high[0] == "(" else score <= most)
        ]

    def _placed(self, key: str, first: str, last: str) -> list[tuple[str, float]]:
        """Return the rows between two ranks; negative ones count from the end."""
        rows = self.rows(key)
        start, end = (n if n >= 0 else n + len(rows) for n in (int(first), int(last)))
        return rows[max(0, start) : max(0, end + 1)]

    def _zcount(self, key: str, low: str, high: str) -> Reply:
        return len(self._scored(key, low, high))

    def _zrange(self, key: str, first: str, last: str, *more: str) -> Reply:
        rows = (self._scored if "BYSCORE" in more else self._placed)(key, first, last)
        return _sent(rows, more)

    def _zrangebyscore(self, key: str, low: str, high: str, *more: str) -> Reply:
        return _sent(self._scored(key, low, high), more)

    def _zrevrange(self, key: str, _: str, __: str) -> Reply:
        return [member for member, _ in reversed(self.rows(key))]

    def _zrevrangebyscore(self, key: str, high: str, low: str, *more: str) -> Reply:
        return _sent(self._scored(key, low, high)[::-1], more)

    def _zremrangebyscore(self, key: str, low: str, high: str) -> Reply:
        return self._zrem(key, *(member for member, _ in self._scored(key, low, high)))

    def _zremrangebyrank(self, key: str, first: str, last: str) -> Reply:
        return self._zrem(key, *(member for member, _ in self._placed(key, first, last)))

    def _xadd(self, key: str, *given: str) -> Reply:
        """Append an entry to a journal or to a stream."""
        name, _, text = given
        if name == "*":
            self.put(key, [*(self.find(key) or []), text])
            return name
        found = self.journal(key)
        if name != f"0-{len(found.texts) + 1}":
            return Error("ERR The ID specified in XADD is not the next one")
        self.appended += 1
        self.journals[key].append(text)
        self.put(key, Journal([*found.texts, text], found.begin))
        return name

    def _xtrim(self, key: str, _: str, name: str) -> Reply:
        found = self.find(key)
        if found is None:
            return 0
        first = int(name.partition("-")[2])
        begin = max(found.begin, min(first, len(found.texts) + 1))
        self.put(key, Journal(found.texts, begin))
        return begin - found.begin

    def _xrange(self, key: str, first: str, _: str, __: str, count: str) -> Reply:
        found = self.journal(key)
        start = max(int(first.partition("-")[2] or 0), found.begin)
        texts = found.texts[start - 1 : start - 1 + int(count)]
        return [[f"0-{number}", ["e", text]] for number, text in enumerate(texts, start)]

    def _xrevrange(self, key: str, _: str, __: str, ___: str, count: str) -> Reply:
        found = self.find(key)
        first = found.begin if isinstance(found, Journal) else 1
        newest = self.entries(key)[first - 1 :][: -int(count) - 1 : -1]
        return [[name, ["e", text]] for name, text in newest]

    def _xlen(self, key: str) -> Reply:
        return len(self.journal(key).held)

    # For the checker

    def stored(self) -> Stored:
        """Return the contents in the checker's format."""
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
        """Return a stream's entries, including those trimmed from a journal."""
        found = self.find(key) or []
        texts = found.texts if isinstance(found, Journal) else found
        return [(f"0-{number}", text) for number, text in enumerate(texts, 1)]

    def expiry(self, key: str) -> int:
        """Return when a key expires, in Unix milliseconds; 0 if it does not."""
        return int(self._keyspace.expiries.get(key, 0))

    def text(self, key: str) -> str:
        """Return a string."""
        return str(self.find(key))

    def fields(self, key: str) -> dict[str, str]:
        """Return a copy of a hash."""
        return dict(self.find(key) or {})


def _sent(rows: list[tuple[str, float]], more: tuple[str, ...]) -> Reply:
    """Return rows in the format that a command's options request."""
    if "LIMIT" in more:
        rows = rows[: int(more[more.index("LIMIT") + 2])]
    if "WITHSCORES" in more:
        return [[member, score] for member, score in rows]
    return [member for member, _ in rows]
