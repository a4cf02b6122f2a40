"""Storage of players' histories: a hash each, changed by compare-and-set on its version."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from server.base.core.ids import DealId, PlayerId
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.base.work.signal import Signal
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

# The keys are a player's history and account record. A history with results and its record get the
# same lifetime; the record of a kept identity then never expires. A history without results has a
# shorter lifetime of its own.
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


class _State(NamedTuple):
    """The number of fields and the version of a history. Any change affects one of them."""

    size: int
    version: str | None


BATCH = 100  # fields of a whole history read at once: 0.2 ms of the event loop


class HistoryStore:
    """The histories of all players.

    A history has a field of about 60 bytes for each daily and each of the latest rounds. Three
    years with five dailies a day and unlimited races add up to 7,000 fields.

    Attributes:
        changed: emitted with the player after this node has changed or deleted a history.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.changed = Signal[PlayerId]()

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
        """Return each player's excerpt, in one round trip; empty if there is no history.

        The other arguments are those of `names_of`.
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
        """Return a consistent copy of a player's whole history; empty if there is none.

        It takes a round trip per `BATCH` fields, between which Redis and the event loop serve
        others.
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
            # Otherwise it has changed meanwhile, or fields are missing: after a failover, the new
            # server can iterate in another order.
            if await self._state(key) == before and before.size == reading.size:
                return reading.whole()

    async def page(self, player: PlayerId, days: int) -> Excerpt:
        """Return a consistent excerpt for a player's page, with each game's latest `days` dailies.

        It takes a round trip per `BATCH` results on the page, independent of the history's length.
        """
        key = keys.history(player)
        while True:
            reading = Reading(counts=False)
            await self._read(key, reading, names_of_page())
            found = reading.excerpt()
            if found.lacks_sums(found.totals):
                # Only if an earlier release wrote it without sums of dailies.
                whole = await self.read(player)
                return whole.all(whole.computed)
            names = results_on_page(found, days)
            for at in range(0, len(names), BATCH):
                await self._read(key, reading, names[at : at + BATCH])
            if await self.version(player) == found.version:
                return reading.excerpt()

    async def _read(self, key: str, reading: Reading, names: list[str]) -> None:
        (texts,) = await self._database.ask(lambda redis, key: redis.hmget(key, names), key)
        found = zip(names, texts, strict=True)
        reading.add({name: text for name, text in found if text is not None})

    async def _state(self, key: str) -> _State:
        (size,) = await self._database.ask(lambda redis, key: redis.hlen(key), key)
        (version,) = await self._database.ask(lambda redis, key: redis.hget(key, VERSION), key)
        return _State(size, version)

    async def sizes(self, players: Iterable[PlayerId]) -> list[int]:
        """Return the number of fields in each player's history, about one per result."""
        return await self._database.ask(
            lambda redis, key: redis.hlen(key), *map(keys.history, players)
        )

    async def version(self, player: PlayerId) -> int:
        """Return the number of changes to a player's history."""
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
        self.changed.emit(player)

    async def change(
        self, player: PlayerId, version: int, fields: Mapping[str, str | None]
    ) -> bool:
        """Change fields of a history, unless it has changed since `version` was read.

        `None` deletes a field. Return whether the change was stored; `False` after a concurrent
        change.
        """
        arguments = [part for field, text in fields.items() for part in (field, text or "")]
        names = [keys.history(player), keys.player(player)]
        lives = keys.PLAYER_LIFE_S, keys.UNUSED_ACCOUNT_LIFE_S
        is_changed = bool(await self._database.run(_CHANGE, names, version, *lives, *arguments))
        self.changed.emit(player)
        return is_changed
