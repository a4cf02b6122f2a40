"""Players: their records, the secret that signs their tokens, and their newest session."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from redis.asyncio import Redis

from server.core.ids import PlayerId
from server.core.names import Profile, guest_name
from server.store import keys
from server.store.connection import answering

_DROP_SESSION = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""

_RENEW_SESSION = """
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1
"""


class Players:
    """All players, by id."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis

    async def secret(self) -> bytes:
        """Return the secret that signs tokens, the same on all nodes; made when first asked for.

        Raises:
            UnavailableError: Redis does not answer.
        """
        with answering():
            await self._redis.set(keys.SIGNING_KEY, secrets.token_hex(32), nx=True)
            return bytes.fromhex(str(await self._redis.get(keys.SIGNING_KEY)))

    async def keep(self, player: PlayerId, name: str | None = None) -> Profile:
        """Return a player's profile, made if there is none, renamed if a name is given.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.player(player)
        with answering():
            async with self._redis.pipeline(transaction=True) as pipeline:
                if name is not None:
                    pipeline.hset(key, "name", name)
                else:
                    pipeline.hsetnx(key, "name", guest_name(player))
                pipeline.expire(key, keys.PLAYER_LIFE)
                pipeline.hget(key, "name")
                *_, kept = await pipeline.execute()
        return Profile(player, kept)

    async def profiles(self, players: Iterable[PlayerId]) -> dict[PlayerId, Profile]:
        """Return the profiles of players; one without a record has its first name.

        Raises:
            UnavailableError: Redis does not answer.
        """
        wanted = list(players)
        with answering():
            async with self._redis.pipeline(transaction=False) as pipeline:
                for player in wanted:
                    pipeline.hget(keys.player(player), "name")
                names = await pipeline.execute()
        return {p: Profile(p, n or guest_name(p)) for p, n in zip(wanted, names, strict=True)}

    async def take_session(self, player: PlayerId, session: str) -> None:
        """Make a session the player's newest one.

        Raises:
            UnavailableError: Redis does not answer.
        """
        with answering():
            await self._redis.set(keys.session(player), session, ex=keys.SESSION_LIFE)

    async def renew_session(self, player: PlayerId, session: str) -> bool:
        """Keep a session alive; return whether it is the player's newest one.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.session(player)
        with answering():
            renewed = await self._redis.eval(
                _RENEW_SESSION, 1, key, session, str(keys.SESSION_LIFE)
            )
        return bool(renewed)

    async def drop_session(self, player: PlayerId, session: str) -> None:
        """Forget a session, unless a newer one has taken its place.

        Raises:
            UnavailableError: Redis does not answer.
        """
        with answering():
            await self._redis.eval(_DROP_SESSION, 1, keys.session(player), session)

    async def here(self, players: Iterable[PlayerId]) -> set[PlayerId]:
        """Return which of the players have a session on any node.

        Raises:
            UnavailableError: Redis does not answer.
        """
        wanted = list(players)
        with answering():
            async with self._redis.pipeline(transaction=False) as pipeline:
                for player in wanted:
                    pipeline.exists(keys.session(player))
                found = await pipeline.execute()
        return {player for player, there in zip(wanted, found, strict=True) if there}
