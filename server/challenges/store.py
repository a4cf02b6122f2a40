"""Data stored beside challenges' journals: players' lists, open challenges and viewers."""

from __future__ import annotations

import asyncio
from typing import Final, NamedTuple

import msgspec
import structlog

from server.base.core.ids import ChallengeId, PlayerId
from server.base.core.refusal import BaseRefusals, UnreadableError
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.challenges.core import keys
from server.challenges.core.listed import Summary, rank_bound
from server.players.core import keys as players_keys
from server.results.core import keys as results_keys

log = structlog.get_logger()

_SUMMARY = msgspec.json.Decoder(Summary)

# The most challenges in a player's list. Beyond it, challenges from strangers are dropped first,
# then those from players met in a race, then the player's own.
MAX_LISTED: Final = 50

# The most challenges from others added to a list since the player last viewed it. The limit keeps
# strangers from flooding the list. The link still works for challenges that are not added.
MAX_UNSEEN: Final = 20

# The part of `MAX_UNSEEN` available to all players not met in a race together.
MAX_UNSEEN_BY_STRANGERS: Final = 8

MAX_UNSEEN_BY_ONE: Final = 3  # the part of `MAX_UNSEEN` available to a single player
MAX_OPEN: Final = 20  # the most open challenges created by a player
MAX_LOOKERS: Final = 1_000  # the most viewers recorded for a challenge

# The most players one player can block. Beyond it, the earliest is unblocked.
MAX_BLOCKED: Final = 100

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

# Add a challenge to the list of its creator or player.
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

# Add another player's challenge to a list, marked `m` if they have met in a race, else `s`.
_OFFER = Script(
    """
local creator, most, life = ARGV[3], tonumber(ARGV[4]), ARGV[5]
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
if redis.call('ZSCORE', KEYS[4], creator) then return 0 end
local kind = redis.call('ZSCORE', KEYS[5], creator) and 'm' or 's'
local seen = redis.call('GET', KEYS[3]) or '0'
local all, same, strange = 0, 0, 0
for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. seen, '+inf')) do
  local from = redis.call('HGET', KEYS[2], name)
  if from then
    all = all + 1
    if string.sub(from, 2) == creator then same = same + 1 end
    if string.sub(from, 1, 1) == 's' then strange = strange + 1 end
  end
end
if all >= tonumber(ARGV[6]) or same >= tonumber(ARGV[8]) then return 0 end
if kind == 's' and strange >= tonumber(ARGV[7]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], kind .. creator)
"""
    + _TRIM
    + """
return redis.call('ZSCORE', KEYS[1], ARGV[1]) and 1 or 0
"""
)

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
    """A player's list."""

    # The time each was added, in Unix milliseconds, latest first.
    challenges: dict[ChallengeId, int]
    told: frozenset[ChallengeId]  # the challenges added by other players
    seen: int  # when the player last viewed the list; 0 for never


class Standing(NamedTuple):
    """A challenge as shown in a list."""

    summary: Summary
    # The list owner's score, as returned by `placed_by`; `None` before they start.
    score: int | None
    up_to: int  # the number of scores within `rank_bound`; 0 for a score without a rank


class ChallengeStore:
    """Each player's list and open challenges, and each challenge's viewers."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, player: PlayerId, challenge: ChallengeId, at: int) -> bool:
        """Add a challenge to the list of a player who created or started it at a time.

        Return whether it was added; `False` if it was already there.
        """
        names = [keys.listed(player), keys.told(player)]
        given = challenge, at, MAX_LISTED, keys.LIST_LIFE_S
        return bool(await self._database.run(_ADD, names, *given))

    async def offer(
        self, player: PlayerId, challenge: ChallengeId, at: int, creator: PlayerId
    ) -> bool:
        """Add another player's challenge to a player's list, and return whether it was added.

        It is not if it was already there, its creator is blocked, or a limit on unseen challenges
        is reached.
        """
        names = [keys.listed(player), keys.told(player), keys.seen(player)]
        names += [keys.blocked(player), results_keys.met(player)]
        unseen = MAX_UNSEEN, MAX_UNSEEN_BY_STRANGERS, MAX_UNSEEN_BY_ONE
        given = challenge, at, creator, MAX_LISTED, keys.LIST_LIFE_S, *unseen
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

    async def is_listed(self, player: PlayerId, challenge: ChallengeId) -> bool:
        """Return whether another player added a challenge to a player's list."""
        key = keys.told(player)
        return bool(await self._database.read_batched(key, "HEXISTS", key, challenge))

    async def size(self, challenge: ChallengeId) -> int:
        """Return a challenge's number of players from its summary; 0 without one."""
        key = keys.summary(challenge)
        text = await self._database.read_batched(key, "GET", key)
        return 0 if text is None else _read(challenge, text).players

    async def standing(self, player: PlayerId, challenge: ChallengeId) -> Standing | None:
        """Return a challenge as shown in a player's list; `None` if it has expired."""
        key, places = keys.summary(challenge), keys.places(challenge)
        text, score = await asyncio.gather(
            self._database.read_batched(key, "GET", key),
            self._database.read_batched(places, "ZSCORE", places, player),
        )
        if text is None:
            return None
        found = _read(challenge, text)
        best = None if score is None else rank_bound(int(float(score)))
        if score is None or best is None:
            return Standing(found, None if score is None else int(float(score)), 0)
        count = await self._database.read_batched(places, "ZCOUNT", places, "-inf", best)
        return Standing(found, int(float(score)), int(count))

    async def see(self, player: PlayerId, at: int) -> None:
        """Record the time of a player's view of the list, unless a later one is recorded."""
        await self._database.run(_SEE, [keys.seen(player)], at, keys.LIST_LIFE_S)

    async def hide(self, player: PlayerId, *challenges: ChallengeId) -> None:
        """Remove challenges from a player's list."""
        key, told = keys.listed(player), keys.told(player)
        if challenges:
            await self._database.write(key, "ZREM", key, *challenges)
            await self._database.write(told, "HDEL", told, *challenges)

    async def block(self, player: PlayerId, other: PlayerId, at: int) -> None:
        """Block another player's challenges."""
        given = at, other, MAX_BLOCKED, players_keys.PLAYER_LIFE_S
        await self._database.run(_BLOCK, [keys.blocked(player)], *given)

    async def unblock(self, player: PlayerId, other: PlayerId) -> None:
        """Unblock another player's challenges."""
        key = keys.blocked(player)
        await self._database.write(key, "ZREM", key, other)

    async def blocked(self, player: PlayerId) -> list[PlayerId]:
        """Return the players whose challenges a player blocked, latest first."""
        key = keys.blocked(player)
        (found,) = await self._database.ask(lambda redis, key: redis.zrevrange(key, 0, -1), key)
        return [PlayerId(each) for each in found]

    async def make(self, player: PlayerId, challenge: ChallengeId, closes: int, now: int) -> bool:
        """Reserve a slot for a challenge that a player creates; return `False` at the limit.

        Reserving its slot again is allowed. Times are in Unix milliseconds.
        """
        given = challenge, now, closes, MAX_OPEN, keys.MADE_LIFE_S
        return bool(await self._database.run(_MAKE, [keys.made(player)], *given))

    async def end(self, player: PlayerId, challenge: ChallengeId) -> None:
        """Release the slot of a player's open challenge."""
        key = keys.made(player)
        await self._database.write(key, "ZREM", key, challenge)

    async def forget(self, player: PlayerId) -> None:
        """Delete a deleted player's data."""
        kinds = keys.listed, keys.told, keys.seen, keys.made, keys.blocked
        for key in (kind(player) for kind in kinds):
            await self._database.write(key, "DEL", key)

    async def look(self, challenge: ChallengeId, player: PlayerId, until: int) -> bool:
        """Record a viewer of a challenge; return whether the viewer is new.

        The challenge expires at `until`, in Unix milliseconds.
        """
        name = keys.lookers(challenge)
        return bool(await self._database.run(_LOOK, [name], player, MAX_LOOKERS, until))

    async def lookers(self, challenge: ChallengeId) -> int:
        """Return the number of a challenge's viewers, at most `MAX_LOOKERS`."""
        key = keys.lookers(challenge)
        return int(await self._database.read_batched(key, "HLEN", key))


def _read(challenge: ChallengeId, text: str) -> Summary:
    try:
        return _SUMMARY.decode(text)
    except msgspec.DecodeError as error:
        log.warning("summary_unreadable", challenge=challenge)
        raise UnreadableError(BaseRefusals.unknown_format) from error
