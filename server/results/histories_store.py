"""Players' histories: a hash each, changed only by those who have read it as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from server.base.core.ids import DealId, PlayerId
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.players.core import keys
from server.players.store import PLAYED
from server.results.core.excerpt import Excerpt
from server.results.core.history_fields import (
    KEPT,
    VERSION,
    Reading,
    Whole,
    excerpt_of,
    names_of,
    names_of_page,
    results_on_page,
)

_CHANGE = Script(
    PLAYED
    + """
if (redis.call('HGET', KEYS[1], 'v') or '0') ~= ARGV[1] then return 0 end
for at = 4, #ARGV, 2 do
  if ARGV[at + 1] == '' then redis.call('HDEL', KEYS[1], ARGV[at])
  else redis.call('HSET', KEYS[1], ARGV[at], ARGV[at + 1]) end
end
redis.call('HINCRBY', KEYS[1], 'v', 1)
if not played(KEYS[1]) then redis.call('EXPIRE', KEYS[1], ARGV[3]) return 1 end
redis.call('EXPIRE', KEYS[1], ARGV[2])
if redis.call('HEXISTS', KEYS[2], 'kept') == 1 then redis.call('PERSIST', KEYS[2])
elseif redis.call('TTL', KEYS[2]) >= 0 then redis.call('EXPIRE', KEYS[2], ARGV[2]) end
return 1
"""
)
"""Its keys are a player's history and record, which lives as long, and for good if it is kept."""


class _State(NamedTuple):
    """How many fields a history has, and its version: together they change with it."""

    size: int
    version: str | None


BATCH = 100
"""Fields of a whole history that are read at once: they take an event loop 0.2 ms."""


class HistoryStore:
    """The histories of all players.

    A history has a field for each daily and for each of the latest rounds, about 60 bytes each.
    Who plays five dailies a day for three years and races without end has 7,000 of them.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def excerpts(
        self,
        players: Sequence[PlayerId],
        days: Iterable[int],
        rounds: Iterable[tuple[str, DealId]] = (),
        of: str | None = None,
        challenges: Iterable[tuple[str, DealId]] = (),
        *,
        dailies: Collection[str] | None = None,
    ) -> list[Excerpt]:
        """Return an excerpt of each player's history, in one round trip; empty if there is none.

        Args:
            players: their owners.
            days: those whose results are read.
            rounds: the game and deal of those that are read.
            of: the game of which such a result is to be added or changed; `None` if none is.
            challenges: the game and deal of those that are read.
            dailies: the games whose results are read of the days; `None` for all games.
        """
        names = names_of(days, rounds, of, challenges, dailies)
        found = await asyncio.gather(
            *(
                self._database.read_batched(key, "HMGET", key, *names)
                for key in map(keys.history, players)
            )
        )
        return [excerpt_of(names, texts) for texts in found]

    async def read(self, player: PlayerId) -> Whole:
        """Return all of a player's history, as it is at one time; an empty one if there is none.

        It takes a round trip for each `BATCH` fields, between which Redis and the event loop serve
        others. It begins anew if the history changes meanwhile, or if not all fields were found:
        a server that has taken over may have them in another order.
        """
        key = keys.history(player)
        while True:
            before, reading, cursor = await self._state(key), Reading(), 0
            while True:
                ((cursor, fields),) = await self._database.ask(
                    lambda redis, key, cursor=cursor: redis.hscan(key, cursor, count=BATCH),  # type: ignore[misc]
                    key,
                )
                reading.add(fields)
                if not int(cursor):
                    break
            if await self._state(key) == before and before.size == reading.size:
                return reading.whole()

    async def page(self, player: PlayerId, days: int) -> Excerpt:
        """Return what a player's page says, as it is at one time.

        It takes a round trip for each `BATCH` results on the page, however many there are beside
        them. All of a history is read only if it was written before there was what that takes.

        Args:
            player: the one of the page.
            days: how many results of each game's dailies are on it, the latest ones.
        """
        key = keys.history(player)
        while True:
            reading = Reading(counts=False)
            await self._read(key, reading, names_of_page())
            found = reading.excerpt()
            if found.has_no_days(found.totals):
                whole = await self.read(player)
                return whole.all(whole.computed)
            names = results_on_page(found, days)
            for at in range(0, len(names), BATCH):
                await self._read(key, reading, names[at : at + BATCH])
            if await self.version(player) == found.version:
                return reading.excerpt()

    async def _read(self, key: str, reading: Reading, names: list[str]) -> None:
        """Read some fields."""
        (texts,) = await self._database.ask(lambda redis, key: redis.hmget(key, names), key)
        found = zip(names, texts, strict=True)
        reading.add({name: text for name, text in found if text is not None})

    async def _state(self, key: str) -> _State:
        (size,) = await self._database.ask(lambda redis, key: redis.hlen(key), key)
        (version,) = await self._database.ask(lambda redis, key: redis.hget(key, VERSION), key)
        return _State(size, version)

    async def sizes(self, players: Iterable[PlayerId]) -> list[int]:
        """Return how many fields each player's history has, one for each result about."""
        return await self._database.ask(
            lambda redis, key: redis.hlen(key), *map(keys.history, players)
        )

    async def version(self, player: PlayerId) -> int:
        """Return how often a player's history has changed."""
        key = keys.history(player)
        return int(await self._database.read_batched(key, "HGET", key, VERSION) or 0)

    async def kept(self, players: Iterable[PlayerId]) -> list[bool]:
        """Return whether each player has kept an identity."""
        found = await self._database.ask(
            lambda redis, key: redis.hget(key, KEPT), *map(keys.history, players)
        )
        return [kept is not None for kept in found]

    async def delete(self, player: PlayerId) -> None:
        """Delete a player's history."""
        key = keys.history(player)
        await self._database.write(key, "DEL", key)

    async def change(
        self, player: PlayerId, version: int, fields: Mapping[str, str | None]
    ) -> bool:
        """Change some fields of a history, unless it has changed since it was read.

        Args:
            player: its owner.
            version: of the history as it was read.
            fields: the new texts; `None` for a field to delete.

        Returns:
            Whether it was stored: its version was still that one.
        """
        arguments = [part for field, text in fields.items() for part in (field, text or "")]
        names = [keys.history(player), keys.player(player)]
        lives = keys.PLAYER_LIFE_S, keys.UNUSED_ACCOUNT_LIFE_S
        return bool(await self._database.run(_CHANGE, names, version, *lives, *arguments))
