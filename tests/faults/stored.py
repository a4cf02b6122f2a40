"""The contents of Redis, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from redis import Redis

from server.core.boards import ALL_GAMES
from server.core.daily import DailyId

Entry = tuple[str, str]
"""An entry's id and its text."""

_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Stored:
    """Everything that the checker reads.

    Attributes:
        attempts: journals by attempt id.
        rooms: journals by room code.
        deals: fields of each deal by its id.
        leaderboards: scores by player, by daily.
        effects: those left in the outboxes, by attempt id.
        due: times of due items in Unix milliseconds, by member.
    """

    attempts: dict[str, list[Entry]] = field(default_factory=dict)
    rooms: dict[str, list[Entry]] = field(default_factory=dict)
    deals: dict[str, dict[str, str]] = field(default_factory=dict)
    leaderboards: dict[DailyId, dict[str, int]] = field(default_factory=dict)
    effects: dict[str, str] = field(default_factory=dict)
    due: dict[str, int] = field(default_factory=dict)


def read(servers: Iterable[Redis]) -> Stored:
    """Return the contents of these masters together.

    Keys are recognized by their words, not by their hash tags.
    """
    stored = Stored()
    for redis in servers:
        for key in redis.scan_iter(count=_PAGE):
            _take(stored, redis, str(key))
    return stored


def _take(stored: Stored, redis: Redis, key: str) -> None:
    words = key.replace("{", "").replace("}", "").split(":")
    match words:
        case [_, "attempt", name]:
            stored.attempts[name] = list(_entries(redis, key))
        case [_, "room", name]:
            stored.rooms[name] = list(_entries(redis, key))
        case ["deal", name]:
            stored.deals[name] = _answer(redis.hgetall(key))
        case ["leaderboard", game, day] if game != ALL_GAMES:
            rows = _answer(redis.zrange(key, 0, -1, withscores=True))
            stored.leaderboards[DailyId(game, int(day))] = {
                player: int(score) for player, score in rows
            }
        case [_, "outbox"]:
            stored.effects.update(_answer(redis.hgetall(key)))
        case [_, "due"]:
            rows = _answer(redis.zrange(key, 0, -1, withscores=True))
            stored.due.update({member: int(score) for member, score in rows})


def _entries(redis: Redis, key: str) -> Iterator[Entry]:
    after = "-"
    while page := _answer(redis.xrange(key, min=after, count=_PAGE)):
        for entry, fields in page:
            yield entry, fields["e"]
        after = f"({page[-1][0]}"


def _answer(answer: Any) -> Any:
    """Return an answer without its type, which is that of the sync or the async client."""
    return answer
