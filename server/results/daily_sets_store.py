"""Storage of the daily sets: a hash with a field for each change.

A set is stored as its games' ids, separated by spaces. If it earns several crowns, the games of
each are followed by `=` and the crown's id.
"""

from __future__ import annotations

from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.results.core import keys
from server.results.core.daily_sets import CrownSet, CrownSets, DailySets

_FIXED, _LATEST = "fixed", "latest"

_FIX = Script("""
local fixed = redis.call('HGET', KEYS[1], 'fixed')
if fixed and tonumber(fixed) >= tonumber(ARGV[1]) then return end
redis.call('HSET', KEYS[1], 'fixed', ARGV[1])
if redis.call('HGET', KEYS[1], 'latest') ~= ARGV[2] then
  redis.call('HSET', KEYS[1], 'latest', ARGV[2], ARGV[1], ARGV[2])
end
""")


class DailySetStore:
    """The daily sets of all days."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self) -> DailySets:
        """Return the sets of all days; empty in a new store."""
        (found,) = await self._database.ask(lambda redis, key: redis.hgetall(key), keys.DAILY_SETS)
        fields = dict(found)
        fixed = int(fields.pop(_FIXED, -1))
        fields.pop(_LATEST, None)
        changes = sorted((int(day), _parsed(text)) for day, text in fields.items())
        return DailySets(tuple(changes), fixed)

    async def fix(self, day: int, sets: CrownSets) -> None:
        """Store a day's games by crown, unless this day's or a later day's set is stored."""
        text = " ".join(map(_text, sets))
        await self._database.run(_FIX, [keys.DAILY_SETS], day, text)


def _text(of: CrownSet) -> str:
    return " ".join([*sorted(of.games), *([f"={of.crown}"] if of.crown else [])])


def _parsed(text: str) -> CrownSets:
    found: list[CrownSet] = []
    games: list[str] = []
    for word in text.split():
        if word.startswith("="):
            found.append(CrownSet(word[1:], frozenset(games)))
            games = []
        else:
            games.append(word)
    # Sets of earlier releases, and those with one crown, do not name it.
    return (*found, CrownSet("", frozenset(games))) if games else tuple(found)
