"""Players: their profiles, the secret that signs their tokens, and their newest sessions."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from server.core.ids import PlayerId
from server.core.names import Profile, guest_name
from server.store import keys
from server.store.database import Database

_KEEP_NAME = """
local before = redis.call('HGET', KEYS[1], 'name')
redis.call(ARGV[1], KEYS[1], 'name', ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return {redis.call('HGET', KEYS[1], 'name'), before}
"""

_TAKE_SESSION = """
local before = redis.call('GET', KEYS[1])
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return before
"""


class Players:
    """What is stored about players, by id."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def secret(self) -> bytes:
        """Return the secret that signs tokens, the same on all nodes; the first call creates it.

        Raises:
            UnavailableError: Redis does not answer.
        """
        kept = await self._database.keep_first(keys.SIGNING_KEY, secrets.token_hex(32))
        return bytes.fromhex(kept)

    async def keep(self, player: PlayerId, name: str | None = None) -> tuple[Profile, bool]:
        """Store a player's profile, and extend its time to live.

        Args:
            player: the player.
            name: the new name; `None` keeps the name, or gives a guest's name to a new player.

        Returns:
            The profile, and whether it had another name before.

        Raises:
            UnavailableError: the profile may or may not have been stored.
        """
        how, text = ("HSETNX", guest_name(player)) if name is None else ("HSET", name)
        key = keys.player(player)
        kept, before = await self._database.run(_KEEP_NAME, [key], how, text, keys.PLAYER_LIFE)
        return Profile(player, kept), before not in {None, kept}

    async def profiles(self, players: Iterable[PlayerId]) -> dict[PlayerId, Profile]:
        """Return profiles by player; a player without a stored name has a guest's name.

        Raises:
            UnavailableError: Redis does not answer.
        """
        wanted = list(players)
        names = await self._database.ask(
            lambda redis, key: redis.hget(key, "name"), *map(keys.player, wanted)
        )
        return {p: Profile(p, n or guest_name(p)) for p, n in zip(wanted, names, strict=True)}

    async def take_session(self, player: PlayerId, session: str) -> str | None:
        """Store a session as the player's newest, and return the one that was stored before.

        Raises:
            UnavailableError: the session may or may not have been stored.
        """
        before: str | None = await self._database.run(
            _TAKE_SESSION, [keys.session(player)], session, keys.SESSION_LIFE
        )
        return before

    async def newest_sessions(self, players: Iterable[PlayerId]) -> list[str | None]:
        """Return the newest session of each player, or `None` where none is stored.

        Raises:
            UnavailableError: Redis does not answer.
        """
        return await self._database.ask(
            lambda redis, key: redis.get(key), *map(keys.session, players)
        )
