"""Players: their records, the secret that signs their tokens, and their newest session."""

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

    async def keep(self, player: PlayerId, name: str | None = None) -> tuple[Profile, bool]:
        """Return a player's profile, made if there is none, renamed if a name is given.

        Returns:
            The profile, and whether it had another name before.

        Raises:
            UnavailableError: Redis does not answer.
        """
        how, text = ("HSETNX", guest_name(player)) if name is None else ("HSET", name)
        key = keys.player(player)
        kept, before = await self._database.run(_KEEP_NAME, [key], how, text, keys.PLAYER_LIFE)
        return Profile(player, kept), before not in {None, kept}

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

    async def take_session(self, player: PlayerId, session: str) -> str | None:
        """Make a session the player's newest one, and return the one that was it before, if any.

        Raises:
            UnavailableError: it is not known whether it is.
        """
        before: str | None = await self._database.run(
            _TAKE_SESSION, [keys.session(player)], session, keys.SESSION_LIFE
        )
        return before

    async def newest_sessions(self, players: Iterable[PlayerId]) -> list[str | None]:
        """Return the newest session of each player, `None` where none is known.

        Raises:
            UnavailableError: Redis does not answer.
        """
        return await self._database.ask(
            lambda redis, key: redis.get(key), *map(keys.session, players)
        )
