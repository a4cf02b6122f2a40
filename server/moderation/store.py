"""The audit journal of operators' acts, and the restrictions they place on players."""

from __future__ import annotations

from server.base.core import keys as base_keys
from server.base.core.ids import PlayerId
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.moderation.core import keys
from server.players.core import keys as players_keys
from server.players.core.restrictions import Restrictions

# Keys: the audit journal, the ids of its acts, and the latest act by subject.
_RECORD = Script("""
if redis.call('SADD', KEYS[2], ARGV[1]) == 1 then
  redis.call('XADD', KEYS[1], '*', 'e', ARGV[4])
end
local mine = ARGV[3] .. ' ' .. ARGV[1] .. ' ' .. ARGV[4]
local latest = redis.call('HGET', KEYS[3], ARGV[2])
if not latest or latest < mine then
  redis.call('HSET', KEYS[3], ARGV[2], mine)
  latest = mine
end
return latest
""")

_BAR = Script("""
if redis.call('HEXISTS', KEYS[1], 'deleted') == 1 then return end
if ARGV[1] == '' then redis.call('HDEL', KEYS[1], 'barred')
else redis.call('HSET', KEYS[1], 'barred', ARGV[1]) end
if redis.call('TTL', KEYS[1]) >= 0 or redis.call('HEXISTS', KEYS[1], 'kept') == 0 then
    redis.call('EXPIRE', KEYS[1], ARGV[2])
end
""")

_HIDE_NAME = Script("""
if redis.call('HEXISTS', KEYS[1], 'deleted') == 1 then return end
local hidden = redis.call('HGET', KEYS[1], 'hidden')
if ARGV[1] == '1' and not hidden then
  redis.call('HSET', KEYS[1], 'hidden', redis.call('HGET', KEYS[1], 'name') or '')
  redis.call('HDEL', KEYS[1], 'name')
elseif ARGV[1] == '0' and hidden then
  if hidden ~= '' then redis.call('HSET', KEYS[1], 'name', hidden) end
  redis.call('HDEL', KEYS[1], 'hidden')
end
if redis.call('TTL', KEYS[1]) >= 0 or redis.call('HEXISTS', KEYS[1], 'kept') == 0 then
    redis.call('EXPIRE', KEYS[1], ARGV[2])
end
""")

_TIME_DIGITS = 15


class ModerationStore:
    """The audit journal, and players' restrictions."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def record(self, act: str, subject: str, at: int, text: str) -> str:
        """Append an act to the audit journal, once, and return the latest act on its subject.

        `act` is its random id, `text` the act as JSON, like the result, and `at` the time of the
        request in Unix milliseconds. The act requested last prevails, in whichever order they are
        recorded.
        """
        names = [keys.AUDIT, keys.AUDITED, keys.LATEST_ACTS]
        time = f"{at:0{_TIME_DIGITS}}"
        return _text(await self._database.run(_RECORD, names, act, subject, time, text))

    async def latest(self, subject: str) -> str:
        """Return the JSON of the latest act on a subject; empty if there is none."""
        (found,) = await self._database.ask(
            lambda redis, key: redis.hget(key, subject), keys.LATEST_ACTS
        )
        return "" if found is None else _text(found)

    async def acts(self, count: int) -> list[str]:
        """Return the newest acts as JSON, newest first."""
        (found,) = await self._database.ask(
            lambda redis, key: redis.xrevrange(key, count=count), keys.AUDIT
        )
        return [fields["e"] for _, fields in found]

    async def bar(self, player: PlayerId, until: int | None) -> None:
        """Store the end of a player's bar (Unix ms; 0 if permanent); `None` lifts it."""
        key, text = players_keys.player(player), "" if until is None else until
        await self._database.run(_BAR, [key], text, players_keys.PLAYER_LIFE_S)

    async def hide_name(self, player: PlayerId, *, hidden: bool) -> None:
        """Hide a player's name, which leaves a default name, or restore it."""
        key = players_keys.player(player)
        await self._database.run(_HIDE_NAME, [key], int(hidden), players_keys.PLAYER_LIFE_S)

    async def restrictions(self, player: PlayerId) -> Restrictions:
        """Return a player's restrictions."""
        record = players_keys.player(player)
        ((barred, hidden, deleted),) = await self._database.ask(
            lambda redis, key: redis.hmget(key, ["barred", "hidden", "deleted"]), record
        )
        # A guest without a name has no record, but may have sessions or results.
        found = await self._database.ask(
            lambda redis, key: redis.exists(key),
            *(record, players_keys.history(player), base_keys.sessions(player)),
        )
        known = deleted is None and any(found)
        return Restrictions(None if barred is None else int(barred), hidden, known)


def _text(stored: str) -> str:
    """Return an act's JSON, without the time and id before it."""
    return stored.split(" ", 2)[2]
