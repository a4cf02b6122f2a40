"""The audit journal of operators' acts, and the restrictions on players that it leads to."""

from __future__ import annotations

from server.base.core import keys as base_keys
from server.base.core.ids import PlayerId
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.moderation.core import keys
from server.players.core import keys as players_keys
from server.players.core.restrictions import Restrictions

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
"""Its keys are the audit journal, the ids of all acts in it, and the latest act by subject."""

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
        """Append an act to the audit journal, once, and return the latest one on its subject.

        Args:
            act: its random id.
            subject: what it is about; of two acts on a subject, the one that was asked for later
                stands, in whichever order they are recorded.
            at: when it was asked for, in Unix milliseconds.
            text: the act (JSON).

        Returns:
            The text of the latest act on the subject.
        """
        names = [keys.AUDIT, keys.AUDITED, keys.LATEST_ACTS]
        time = f"{at:0{_TIME_DIGITS}}"
        return _text(await self._database.run(_RECORD, names, act, subject, time, text))

    async def latest(self, subject: str) -> str:
        """Return the text of the latest act on a subject; empty if there is none."""
        (found,) = await self._database.ask(
            lambda redis, key: redis.hget(key, subject), keys.LATEST_ACTS
        )
        return "" if found is None else _text(found)

    async def acts(self, count: int) -> list[str]:
        """Return the texts of the newest acts, the newest first."""
        (found,) = await self._database.ask(
            lambda redis, key: redis.xrevrange(key, count=count), keys.AUDIT
        )
        return [fields["e"] for _, fields in found]

    async def bar(self, player: PlayerId, until: int | None) -> None:
        """Store until when a player is barred (Unix ms; 0 for ever); `None` if not any more."""
        key, text = players_keys.player(player), "" if until is None else until
        await self._database.run(_BAR, [key], text, players_keys.PLAYER_LIFE_S)

    async def hide_name(self, player: PlayerId, *, hidden: bool) -> None:
        """Put a player's name aside, so that the player has none, or put it back."""
        key = players_keys.player(player)
        await self._database.run(_HIDE_NAME, [key], int(hidden), players_keys.PLAYER_LIFE_S)

    async def restrictions(self, player: PlayerId) -> Restrictions:
        """Return what a player may not do."""
        record = players_keys.player(player)
        ((barred, hidden, deleted),) = await self._database.ask(
            lambda redis, key: redis.hmget(key, ["barred", "hidden", "deleted"]), record
        )
        # A guest who has no name has no record, but sessions or results.
        found = await self._database.ask(
            lambda redis, key: redis.exists(key),
            *(record, players_keys.history(player), base_keys.sessions(player)),
        )
        known = deleted is None and any(found)
        return Restrictions(None if barred is None else int(barred), hidden, known)


def _text(stored: str) -> str:
    """Return the text of an act behind its time and id."""
    return stored.split(" ", 2)[2]
