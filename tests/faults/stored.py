"""The contents of Redis, as plain data."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, cast

from redis import Redis

from server.base.core.days import DailyId
from server.results.core.boards import BoardId, Group, Scope, of_best
from tests.conftest import secret_keys

Entry = tuple[str, str]
"""An entry's id and its text."""

_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Stored:
    """Everything that the checker reads.

    Attributes:
        circles_of: by player, the circles with the times of joining.
        dropped: by room and number, the texts of entries dropped by checkpoints, if kept.
        rounds: by deal, the rounds stored separately from the rooms' journals.
        deals: by id, each deal's fields, with `seed` in plain text.
        met: each player's recent opponents, with times in Unix milliseconds.
        expiries: expiry times of attempts' journals, in Unix milliseconds; no other keys.
        effects: effects left in the outboxes, by attempt id, or by room and round.
        due: times of due items in Unix milliseconds, by member.
    """

    attempts: dict[str, list[Entry]] = field(default_factory=dict)
    rooms: dict[str, list[Entry]] = field(default_factory=dict)
    challenges: dict[str, list[Entry]] = field(default_factory=dict)
    circles: dict[str, list[Entry]] = field(default_factory=dict)
    circles_of: dict[str, dict[str, int]] = field(default_factory=dict)
    dropped: dict[str, dict[str, str]] = field(default_factory=dict)
    rounds: dict[str, str] = field(default_factory=dict)
    deals: dict[str, dict[str, str]] = field(default_factory=dict)
    leaderboards: dict[BoardId, dict[str, int]] = field(default_factory=dict)
    histories: dict[str, dict[str, str]] = field(default_factory=dict)
    races: dict[str, dict[str, str]] = field(default_factory=dict)
    curves: dict[DailyId, dict[str, int]] = field(default_factory=dict)
    met: dict[str, dict[str, int]] = field(default_factory=dict)
    players: dict[str, dict[str, str]] = field(default_factory=dict)
    acts: list[Entry] = field(default_factory=list)
    expiries: dict[str, int] = field(default_factory=dict)
    effects: dict[str, str] = field(default_factory=dict)
    due: dict[str, int] = field(default_factory=dict)

    def add(self, key: str, read: Reads) -> None:
        """Add a key's contents, if the checker reads that kind.

        Keys are recognized by their words, not by their hash tags.
        """
        words = key.replace("{", "").replace("}", "").split(":")
        match words:
            case [_, "attempt", name]:
                self.attempts[name] = read.entries(key)
                self.expiries[name] = read.expiry(key)
            case [_, "room" | "dropped" | "round" | "challenge" | "circle" as kind, name]:
                self._add_journal(key, kind, name, read)
            case ["deal", name]:
                self.deals[name] = _opened(name, read.fields(key))
            case ["leaderboard", *name]:
                self.leaderboards[_board(name)] = _scores(read.rows(key))
            case ["curves", game, day]:
                counts = read.fields(key)
                self.curves[DailyId(game, int(day))] = {f: int(n) for f, n in counts.items()}
            case ["history", name]:
                self.histories[name] = read.fields(key)
            case ["rated", name]:
                self.races[name] = read.fields(key)
            case ["audit", "acts"]:
                self.acts.extend(read.entries(key))
            case ["met" | "circles-of" as kind, name]:
                into = self.met if kind == "met" else self.circles_of
                into[name] = _scores(read.rows(key))
            case ["player", name]:
                self.players[name] = read.fields(key)
            case [_, "outbox"]:
                self.effects.update(read.fields(key))
            case [_, "due"]:
                self.due.update(_scores(read.rows(key)))

    def _add_journal(self, key: str, kind: str, name: str, read: Reads) -> None:
        """Add the contents of a challenge's, circle's, room's or round's key."""
        if kind == "room":
            self.rooms[name] = read.entries(key)
        elif kind == "challenge":
            self.challenges[name] = read.entries(key)
        elif kind == "circle":
            self.circles[name] = read.entries(key)
        elif kind == "dropped":
            self.dropped[name] = read.fields(key)
        else:
            self.rounds[name] = read.text(key)

    def fill_up(self) -> None:
        """Put the rooms' dropped entries back in place; a lost one leaves a gap."""
        for name, texts in self.dropped.items():
            entries = self.rooms.get(name, [])
            begin = int(entries[0][0][2:]) if entries else 1
            numbers = [number for number in range(1, begin) if str(number) in texts]
            before = [(f"0-{number}", texts[str(number)]) for number in numbers]
            self.rooms[name] = before + entries


def _opened(deal: str, fields: dict[str, str]) -> dict[str, str]:
    """Return a deal's fields with its seed in plain text."""
    if "sealed" not in fields:
        return fields
    return fields | {"seed": secret_keys().open(f"seed {deal}", fields["sealed"]).hex()}


class Reads(Protocol):
    """Reads keys."""

    def entries(self, key: str) -> list[Entry]:
        """Return the entries of a stream."""

    def fields(self, key: str) -> dict[str, str]:
        """Return the fields of a hash."""

    def text(self, key: str) -> str:
        """Return a string."""

    def rows(self, key: str) -> list[tuple[str, float]]:
        """Return the (member, score) pairs of a sorted set."""

    def expiry(self, key: str) -> int:
        """Return a key's approximate expiry time in Unix milliseconds; 0 without expiry."""


def _scores(rows: Iterable[tuple[str, float]]) -> dict[str, int]:
    return {member: int(score) for member, score in rows}


def _board(name: list[str]) -> BoardId:
    group: Group = "guests"
    if name[-1] == "ranked":
        *name, group = *name[:-1], "ranked"
    if name[0] == "best":
        return of_best(*name[1:])
    scope, game, period = name if len(name) == 3 else ("day", *name)
    return BoardId(cast("Scope", scope), game, int(period), group)


def read(servers: Iterable[Redis]) -> Stored:
    """Return the combined contents of these masters."""
    stored = Stored()
    for redis in servers:
        for key in redis.scan_iter(count=_PAGE):
            stored.add(str(key), _Server(redis))
    stored.fill_up()
    return stored


class _Server:
    """Reads the keys of a Redis."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    def entries(self, key: str) -> list[Entry]:
        """Return the entries of a stream."""
        return list(_entries(self._redis, key))

    def fields(self, key: str) -> dict[str, str]:
        """Return the fields of a hash."""
        return dict(_answer(self._redis.hgetall(key)))

    def text(self, key: str) -> str:
        """Return a string."""
        return str(_answer(self._redis.get(key)))

    def rows(self, key: str) -> list[tuple[str, float]]:
        """Return the (member, score) pairs of a sorted set."""
        return list(_answer(self._redis.zrange(key, 0, -1, withscores=True)))

    def expiry(self, key: str) -> int:
        """Return a key's approximate expiry time in Unix milliseconds; 0 without expiry."""
        left = _answer(self._redis.pttl(key))
        return 0 if left < 0 else int(time.time() * 1000) + int(left)


def _entries(redis: Redis, key: str) -> Iterator[Entry]:
    after = "-"
    while page := _answer(redis.xrange(key, min=after, count=_PAGE)):
        for entry, fields in page:
            yield entry, fields["e"]
        after = f"({page[-1][0]}"


def _answer(answer: Any) -> Any:
    """Return a reply untyped: the annotation covers the sync and the async client."""
    return answer
