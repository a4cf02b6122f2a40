"""What Redis has kept, as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from redis import Redis

Entry = tuple[str, str]
"""An entry's id and its text."""

_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Kept:
    """Everything that the checker reads.

    Attributes:
        attempts: journals by attempt id.
        rooms: journals by room code.
        deals: fields of each deal by its id.
        leaderboards: scores by player, by (game, day).
        effects: what is left in the outboxes, by attempt id.
        due: when what falls due does, in Unix milliseconds.
    """

    attempts: dict[str, list[Entry]] = field(default_factory=dict)
    rooms: dict[str, list[Entry]] = field(default_factory=dict)
    deals: dict[str, dict[str, str]] = field(default_factory=dict)
    leaderboards: dict[tuple[str, int], dict[str, int]] = field(default_factory=dict)
    effects: dict[str, str] = field(default_factory=dict)
    due: dict[str, int] = field(default_factory=dict)


def read(servers: Iterable[Redis]) -> Kept:
    """Return what these servers hold between them, each of them a master.

    Keys are told by their words, not by how they are partitioned.
    """
    kept = Kept()
    for redis in servers:
        for key in redis.scan_iter(count=_PAGE):
            _take(kept, redis, str(key))
    return kept


def _take(kept: Kept, redis: Redis, key: str) -> None:
    words = key.replace("{", "").replace("}", "").split(":")
    match words:
        case [_, "attempt", name]:
            kept.attempts[name] = list(_entries(redis, key))
        case [_, "room", name]:
            kept.rooms[name] = list(_entries(redis, key))
        case ["deal", name]:
            kept.deals[name] = _answer(redis.hgetall(key))
        case ["leaderboard", game, day]:
            rows = _answer(redis.zrange(key, 0, -1, withscores=True))
            kept.leaderboards[game, int(day)] = {player: int(score) for player, score in rows}
        case [_, "outbox"]:
            kept.effects.update(_answer(redis.hgetall(key)))
        case [_, "due"]:
            rows = _answer(redis.zrange(key, 0, -1, withscores=True))
            kept.due.update({member: int(score) for member, score in rows})


def _entries(redis: Redis, key: str) -> Iterator[Entry]:
    after = "-"
    while page := _answer(redis.xrange(key, min=after, count=_PAGE)):
        for entry, fields in page:
            yield entry, fields["e"]
        after = f"({page[-1][0]}"


def _answer(answer: Any) -> Any:
    """Return an answer as what it is here: the client's types are those of two clients."""
    return answer
