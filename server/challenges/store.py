"""Data beside the journals of challenges: the lists of players, and who has looked at one."""

from __future__ import annotations

from typing import Final, NamedTuple

from server.base.core.ids import ChallengeId, PlayerId
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.challenges.core import keys

MAX_LISTED: Final = 50
"""Challenges in a player's list; the one that came first makes room for another one."""

MAX_UNSEEN: Final = 20
"""Challenges by others that came into a player's list since they looked: further ones do not.

So strangers can push no others out of it; whoever sends the link reaches the player all the same.
"""

MAX_OPEN: Final = 20
"""Challenges that a player may have made that are open."""

MAX_LOOKERS: Final = 1_000
"""Players of whom it is noted that they have looked at a challenge."""

_ADD = Script("""
local seen = redis.call('GET', KEYS[2]) or '0'
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
if ARGV[3] ~= '' and redis.call('ZCOUNT', KEYS[1], '(' .. seen, '+inf') >= tonumber(ARGV[3]) then
  return 0
end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[4])
redis.call('EXPIRE', KEYS[1], ARGV[5])
return 1
""")

_SEE = Script("""
local seen = redis.call('GET', KEYS[1]) or '0'
if tonumber(seen) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) end
""")

_MAKE = Script("""
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4])
then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[5])
return 1
""")

_LOOK = Script("""
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
local new = redis.call('HSETNX', KEYS[1], ARGV[1], '')
redis.call('PEXPIREAT', KEYS[1], ARGV[3])
return new
""")


class Listed(NamedTuple):
    """A player's list.

    Attributes:
        challenges: when each came into it, in Unix milliseconds, the latest first.
        seen: when the player has last looked; 0 for never.
    """

    challenges: dict[ChallengeId, int]
    seen: int


class ChallengeStore:
    """The challenges in each player's list, those that each has open, and who has looked at one."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(
        self, player: PlayerId, challenge: ChallengeId, at: int, *, own: bool = False
    ) -> bool:
        """Add a challenge to a player's list, unless it is there or too many are unseen.

        Args:
            player: the player.
            challenge: the challenge.
            at: when it was made, or begun.
            own: whether the player has made or begun it: then it is added however many are unseen.

        Returns:
            Whether it was added.
        """
        names = [keys.listed(player), keys.seen(player)]
        most = "" if own else MAX_UNSEEN
        given = challenge, at, most, MAX_LISTED, keys.LIST_LIFE_S
        return bool(await self._database.run(_ADD, names, *given))

    async def read(self, player: PlayerId) -> Listed:
        """Return a player's list."""
        key = keys.listed(player)
        (rows,) = await self._database.ask(
            lambda redis, key: redis.zrange(key, 0, -1, withscores=True), key
        )
        (seen,) = await self._database.ask(lambda redis, key: redis.get(key), keys.seen(player))
        return Listed({ChallengeId(name): int(at) for name, at in reversed(rows)}, int(seen or 0))

    async def see(self, player: PlayerId, at: int) -> None:
        """Note that a player has looked, unless later."""
        await self._database.run(_SEE, [keys.seen(player)], at, keys.LIST_LIFE_S)

    async def hide(self, player: PlayerId, *challenges: ChallengeId) -> None:
        """Take challenges off a player's list."""
        key = keys.listed(player)
        if challenges:
            await self._database.write(key, "ZREM", key, *challenges)

    async def make(self, player: PlayerId, challenge: ChallengeId, closes: int, now: int) -> bool:
        """Note that a player has made a challenge; return whether that is not one too many.

        Args:
            player: the player.
            challenge: the challenge, of which it may have been noted before.
            closes: when it closes, in Unix milliseconds.
            now: the time.
        """
        given = challenge, now, closes, MAX_OPEN, keys.MADE_LIFE_S
        return bool(await self._database.run(_MAKE, [keys.made(player)], *given))

    async def end(self, player: PlayerId, challenge: ChallengeId) -> None:
        """Note that a challenge that a player has made is open no more."""
        key = keys.made(player)
        await self._database.write(key, "ZREM", key, challenge)

    async def forget(self, player: PlayerId) -> None:
        """Delete what is kept under a player who is deleted."""
        for key in (keys.listed(player), keys.seen(player), keys.made(player)):
            await self._database.write(key, "DEL", key)

    async def look(self, challenge: ChallengeId, player: PlayerId, until: int) -> bool:
        """Note that a player has looked at a challenge; return whether that is new.

        Args:
            challenge: the challenge.
            player: the player.
            until: when the challenge expires, in Unix milliseconds.
        """
        name = keys.lookers(challenge)
        return bool(await self._database.run(_LOOK, [name], player, MAX_LOOKERS, until))

    async def lookers(self, challenge: ChallengeId) -> int:
        """Return how many players have looked at a challenge, `MAX_LOOKERS` if there are more."""
        key = keys.lookers(challenge)
        return int(await self._database.read_batched(key, "HLEN", key))
