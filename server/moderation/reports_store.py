"""Reports, by reported player or run."""

from __future__ import annotations

from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.moderation.core import keys

_REPLACE = Script("""
if (redis.call('HGET', KEYS[2], ARGV[1]) or '') ~= ARGV[3] then return 0 end
redis.call('ZADD', KEYS[1], 'GT', ARGV[2], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[4])
local beyond = redis.call('ZCARD', KEYS[1]) - ARGV[5]
if beyond > 0 then
  local dropped = redis.call('ZRANGE', KEYS[1], 0, beyond - 1)
  for _, name in ipairs(dropped) do
    redis.call('ZREM', KEYS[1], name)
    redis.call('HDEL', KEYS[2], name)
    redis.call('HDEL', KEYS[3], name)
  end
end
return 1
""")


class ReportStore:
    """Reports of at most `keys.MAX_REPORTED` players and runs, of at most about 1 kB each."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, name: str) -> str:
        """Return a target's reports as JSON; empty if there are none."""
        (found,) = await self._database.ask(lambda redis, key: redis.hget(key, name), keys.REPORTS)
        return found or ""

    async def replace(self, name: str, at: int, before: str, text: str) -> bool:
        """Replace a target's reports (JSON); return whether they were still `before`.

        `at` is the time of the last report, in Unix milliseconds. If there are too many targets,
        the least recently reported is dropped.
        """
        names = [keys.REPORTED, keys.REPORTS, keys.CLOSED]
        done = await self._database.run(_REPLACE, names, name, at, before, text, keys.MAX_REPORTED)
        return bool(done)
