"""Players: their records, the secret that signs their tokens, and their newest session."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from server.core.ids import PlayerId
from server.core.names import Profile, guest_name
from server.store import keys
from server.store.database import Database

_KEEP_NAME = """
redis.call(ARGV[1], KEYS[1], 'name', ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return redis.call('HGET', KEYS[1], 'name')
"""

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

    def __init__(self, database: Database) -> None:
        self._database = database

    async def secret(self) -> bytes:
        """Return the secret that signs tokens, the same on all nodes; made when first asked for.

        Raises:
            UnavailableError: Redis does not answer.
        """
        kept = await self._database.keep_first(keys.SIGNING_KEY, secrets.token_hex(32))
        return bytes.fromhex(kept)

    async def keep(self, player: PlayerId, name: str | None = None) -> Profile:
        """Return a player's profile, made if there is none, renamed if a name is given.

        Raises:
            UnavailableError: Redis does not answer.
        """
        how, text = ("HSETNX", guest_name(player)) if name is None else ("HSET", name)
        key = keys.player(player)
        kept = await self._database.run(_KEEP_NAME, [key], how, text, keys.PLAYER_LIFE)
        return Profile(player, kept)

    async def profiles(self, players: Iterable[PlayerId]) -> dict[PlayerId, Profile]:
        """Return the profiles of players; one without a record has its first name.

        Raises:
            UnavailableError: Redis does not answer.
        """
        wanted = list(players)
        names = await self._database.ask(
            lambda redis, key: redis.hget(key, "name"), *map(keys.player, wanted)
        )
        return {p: Profile(p, n or guest_name(p)) for p, n in zip(wanted, names, strict=True)}

    async def take_session(self, player: PlayerId, session: str) -> None:
        """Make a session the player's newest one.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.session(player)
        await self._database.write(key, "SET", key, session, "EX", keys.SESSION_LIFE)

    async def renew_session(self, player: PlayerId, session: str) -> bool:
        """Keep a session alive; return whether it is the player's newest one.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.session(player)
        return bool(await self._database.run(_RENEW_SESSION, [key], session, keys.SESSION_LIFE))

    async def drop_session(self, player: PlayerId, session: str) -> None:
        """Forget a session, unless a newer one has taken its place.

        Raises:
            UnavailableError: Redis does not answer.
        """
        await self._database.run(_DROP_SESSION, [keys.session(player)], session)

    async def here(self, players: Iterable[PlayerId]) -> set[PlayerId]:
        """Return which of the players have a session on any node.

        Raises:
            UnavailableError: Redis does not answer.
        """
        wanted = list(players)
        found = await self._database.ask(
            lambda redis, key: redis.exists(key), *map(keys.session, wanted)
        )
        return {player for player, there in zip(wanted, found, strict=True) if there}
