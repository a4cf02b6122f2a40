"""Data beside the journals of challenges: the lists of players, and who has looked at one."""

from __future__ import annotations

import asyncio
from typing import Final, NamedTuple

import msgspec
import structlog

from server.base.core.ids import ChallengeId, PlayerId
from server.base.core.refusal import UnreadableError
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.challenges.core import keys
from server.challenges.core.listed import Summary, best_of
from server.players.core import keys as players_keys
from server.results.core import keys as results_keys

log = structlog.get_logger()

_SUMMARY = msgspec.json.Decoder(Summary)

MAX_LISTED: Final = 50
"""Challenges in a player's list: of more, the first go of those that strangers have put into it,
then of those of people whom the player has met, and then the player's own."""

MAX_UNSEEN: Final = 20
"""Challenges by others that came into a player's list since they looked: further ones do not.

So strangers can push no others out of it; whoever sends the link reaches the player all the same.
"""

MAX_UNSEEN_BY_STRANGERS: Final = 8
"""As many of these by people whom the player has not met in a race, all together."""

MAX_UNSEEN_BY_ONE: Final = 3
"""As many of these by one player."""

MAX_OPEN: Final = 20
"""Challenges that a player may have made that are open."""

MAX_LOOKERS: Final = 1_000
"""Players of whom it is noted that they have looked at a challenge."""

MAX_BLOCKED: Final = 100
"""Players from whom a player wants no challenges; whoever was blocked first makes room."""

_TRIM = """
local over = redis.call('ZCARD', KEYS[1]) - most
if over > 0 then
  for _, kind in ipairs({'s', 'm', ''}) do
    for _, name in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
      local from = redis.call('HGET', KEYS[2], name) or ''
      if over > 0 and string.sub(from, 1, 1) == kind then
        redis.call('ZREM', KEYS[1], name)
        redis.call('HDEL', KEYS[2], name)
        over = over - 1
      end
    end
  end
end
redis.call('EXPIRE', KEYS[1], life)
redis.call('EXPIRE', KEYS[2], life)
"""

_ADD = Script(
    """
local most, life = tonumber(ARGV[3]), ARGV[4]
redis.call('HDEL', KEYS[2], ARGV[1])
local added = redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[1])
"""
    + _TRIM
    + """
return added
"""
)
"""Add a challenge to a player's list as one of their own."""

_OFFER = Script(
    """
local maker, most, life = ARGV[3], tonumber(ARGV[4]), ARGV[5]
if redis.call('ZSCORE', KEYS[1], ARGV[1]) or redis.call('ZSCORE', KEYS[4], maker) then return 0 end
local kind = redis.call('ZSCORE', KEYS[5], maker) and 'm' or 's'
local seen = redis.call('GET', KEYS[3]) or '0'
local all, same, strange = 0, 0, 0
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. seen, '+inf')) do
  local from = redis.call('HGET', KEYS[2], name)
  if from then
    all = all + 1
    if string.sub(from, 2) == maker then same = same + 1 end
    if string.sub(from, 1, 1) == 's' then strange = strange + 1 end
  end
end
if all >= tonumber(ARGV[6]) or same >= tonumber(ARGV[8]) then return 0 end
if kind == 's' and strange >= tonumber(ARGV[7]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], kind .. maker)
"""
    + _TRIM
    + """
return redis.call('ZSCORE', KEYS[1], ARGV[1]) and 1 or 0
"""
)
"""Add a challenge of another player to a player's list, by `s` if they have not met, else `m`."""

_BLOCK = Script("""
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[4])
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
        told: those that others have put into it.
        seen: when the player has last looked; 0 for never.
    """

    challenges: dict[ChallengeId, int]
    told: frozenset[ChallengeId]
    seen: int


class Standing(NamedTuple):
    """A challenge as a list shows it.

    Attributes:
        summary: its summary.
        score: the score of the player whose list it is, as `placed_by` returns it; `None` of who
            has not begun.
        up_to: how many scores are up to its `best_of`; 0 if it is no result that stands.
    """

    summary: Summary
    score: int | None
    up_to: int


class ChallengeStore:
    """The challenges in each player's list, those that each has open, and who has looked at one."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, player: PlayerId, challenge: ChallengeId, at: int) -> bool:
        """Add a challenge that a player has made or begun to the player's list, if it is not there.

        Args:
            player: the player.
            challenge: the challenge.
            at: when it was made, or begun.

        Returns:
            Whether it was added.
        """
        names = [keys.listed(player), keys.told(player)]
        given = challenge, at, MAX_LISTED, keys.LIST_LIFE_S
        return bool(await self._database.run(_ADD, names, *given))

    async def offer(
        self, player: PlayerId, challenge: ChallengeId, at: int, maker: PlayerId
    ) -> bool:
        """Add a challenge of another player to a player's list.

        Returns:
            Whether it was added: not if it is there, the player wants none of its maker, or too
            many are unseen, by that one, by strangers, or by all.
        """
        names = [keys.listed(player), keys.told(player), keys.seen(player)]
        names += [keys.blocked(player), results_keys.met(player)]
        unseen = MAX_UNSEEN, MAX_UNSEEN_BY_STRANGERS, MAX_UNSEEN_BY_ONE
        given = challenge, at, maker, MAX_LISTED, keys.LIST_LIFE_S, *unseen
        return bool(await self._database.run(_OFFER, names, *given))

    async def read(self, player: PlayerId) -> Listed:
        """Return a player's list."""
        key, told, seen = keys.listed(player), keys.told(player), keys.seen(player)
        (rows,), (others,), (last,) = await asyncio.gather(
            self._database.ask(lambda redis, key: redis.zrange(key, 0, -1, withscores=True), key),
            self._database.ask(lambda redis, key: redis.hkeys(key), told),
            self._database.ask(lambda redis, key: redis.get(key), seen),
        )
        challenges = {ChallengeId(name): int(at) for name, at in reversed(rows)}
        return Listed(challenges, frozenset(map(ChallengeId, others)), int(last or 0))

    async def is_told(self, player: PlayerId, challenge: ChallengeId) -> bool:
        """Return whether another player has put a challenge into a player's list."""
        key = keys.told(player)
        return bool(await self._database.read_batched(key, "HEXISTS", key, challenge))

    async def size(self, challenge: ChallengeId) -> int:
        """Return how many players a challenge has, as far as is known; 0 if there is none."""
        key = keys.summary(challenge)
        text = await self._database.read_batched(key, "GET", key)
        return 0 if text is None else _read(challenge, text).players

    async def standing(self, player: PlayerId, challenge: ChallengeId) -> Standing | None:
        """Return a challenge as a player's list shows it; `None` if it is not kept any more.

        Raises:
            UnreadableError: a newer release stored it.
        """
        key, places = keys.summary(challenge), keys.places(challenge)
        text, score = await asyncio.gather(
            self._database.read_batched(key, "GET", key),
            self._database.read_batched(places, "ZSCORE", places, player),
        )
        if text is None:
            return None
        found = _read(challenge, text)
        best = None if score is None else best_of(int(float(score)))
        if score is None or best is None:
            return Standing(found, None if score is None else int(float(score)), 0)
        count = await self._database.read_batched(places, "ZCOUNT", places, "-inf", best)
        return Standing(found, int(float(score)), int(count))

    async def see(self, player: PlayerId, at: int) -> None:
        """Note that a player has looked, unless later."""
        await self._database.run(_SEE, [keys.seen(player)], at, keys.LIST_LIFE_S)

    async def hide(self, player: PlayerId, *challenges: ChallengeId) -> None:
        """Take challenges off a player's list."""
        key, told = keys.listed(player), keys.told(player)
        if challenges:
            await self._database.write(key, "ZREM", key, *challenges)
            await self._database.write(told, "HDEL", told, *challenges)

    async def block(self, player: PlayerId, other: PlayerId, at: int) -> None:
        """Note that a player wants no challenges of another one, since a time."""
        given = at, other, MAX_BLOCKED, players_keys.PLAYER_LIFE_S
        await self._database.run(_BLOCK, [keys.blocked(player)], *given)

    async def unblock(self, player: PlayerId, other: PlayerId) -> None:
        """Note that a player may be challenged by another one again."""
        key = keys.blocked(player)
        await self._database.write(key, "ZREM", key, other)

    async def blocked(self, player: PlayerId) -> list[PlayerId]:
        """Return from whom a player wants no challenges, the last one first."""
        key = keys.blocked(player)
        (found,) = await self._database.ask(lambda redis, key: redis.zrevrange(key, 0, -1), key)
        return [PlayerId(each) for each in found]

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
        kinds = keys.listed, keys.told, keys.seen, keys.made, keys.blocked
        for key in (kind(player) for kind in kinds):
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


def _read(challenge: ChallengeId, text: str) -> Summary:
    """Return a summary.

    Raises:
        UnreadableError: a newer release stored it.
    """
    try:
        return _SUMMARY.decode(text)
    except msgspec.DecodeError as error:
        log.warning("summary_unreadable", challenge=challenge)
        raise UnreadableError("unknown_format") from error
