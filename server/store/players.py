"""Players: their profiles, the secret that signs their tokens, and their sessions."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from server.core.ids import PlayerId
from server.core.moderation import is_barred, refusal_of
from server.core.names import Profile, guest_name
from server.store import keys
from server.store.database import Database

_KEEP_NAME = """
local before = redis.call('HGET', KEYS[1], 'name')
local hidden = redis.call('HEXISTS', KEYS[1], 'hidden')
if hidden == 0 then redis.call(ARGV[1], KEYS[1], 'name', ARGV[2]) end
redis.call('EXPIRE', KEYS[1], ARGV[3])
return {redis.call('HGET', KEYS[1], 'name'), before}
"""
"""A name that an operator has hidden is put aside, and none is taken meanwhile."""

_ADD_SESSION = """
local barred = redis.call('HGET', KEYS[3], 'barred')
if barred and (barred == '0' or tonumber(barred) > tonumber(ARGV[2])) then return barred end
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('SET', KEYS[2], ARGV[1], 'EX', ARGV[3])
local beyond = redis.call('ZCARD', KEYS[1]) - ARGV[4]
local dropped = {}
if beyond > 0 then
    dropped = redis.call('ZRANGE', KEYS[1], 0, beyond - 1)
    redis.call('ZREM', KEYS[1], unpack(dropped))
end
return {redis.call('ZRANGE', KEYS[1], 0, -1), dropped}
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
            The profile, and whether it had another name before. While an operator hides the name,
            it is a guest's.

        Raises:
            UnavailableError: the profile may or may not have been stored.
        """
        how, text = ("HSETNX", guest_name(player)) if name is None else ("HSET", name)
        key = keys.player(player)
        kept, before = await self._database.run(_KEEP_NAME, [key], how, text, keys.PLAYER_LIFE)
        return Profile(player, kept or guest_name(player)), before not in {None, kept}

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

    async def add_session(
        self, player: PlayerId, session: str, now: int
    ) -> tuple[list[str], list[str]]:
        """Store a session of a player, in one round trip.

        Args:
            player: the player.
            session: `node/session`; storing it again counts as using it.
            now: Unix milliseconds.

        Returns:
            All sessions of the player, and those that were dropped, since there are
            `keys.MAX_SESSIONS` others which were used later.

        Raises:
            Refusal: the player is barred at this time.
            UnavailableError: the session may or may not have been stored.
        """
        added = await self._database.run(
            _ADD_SESSION,
            [keys.sessions(player), keys.session(player), keys.player(player)],
            session,
            now,
            keys.SESSION_LIFE,
            keys.MAX_SESSIONS,
        )
        if isinstance(added, str):
            raise refusal_of(int(added), now)
        found, dropped = added
        return found, dropped

    async def barred(self, players: Iterable[PlayerId], now: int) -> list[bool]:
        """Return whether each player is barred at a time in Unix milliseconds.

        Raises:
            UnavailableError: Redis does not answer.
        """
        found = await self._database.ask(
            lambda redis, key: redis.hget(key, "barred"), *map(keys.player, players)
        )
        return [is_barred(None if until is None else int(until), now) for until in found]

    def use_session(self, player: PlayerId, session: str, now: int) -> None:
        """Store soon when a session was last used (Unix milliseconds), if it is stored itself."""
        key = keys.sessions(player)
        self._database.send(key, "ZADD", key, "XX", now, session)

    def remove_session(self, player: PlayerId, session: str) -> None:
        """Delete a session that has ended, soon; if that fails, it is left behind."""
        key = keys.sessions(player)
        self._database.send(key, "ZREM", key, session)

    async def sessions(self, players: Iterable[PlayerId]) -> list[list[str]]:
        """Return the sessions of each player; nodes that died may have left some behind.

        Raises:
            UnavailableError: Redis does not answer.
        """
        return await self._database.ask(
            lambda redis, key: redis.zrange(key, 0, -1), *map(keys.sessions, players)
        )

    async def newest_sessions(self, players: Iterable[PlayerId]) -> list[str | None]:
        """Return the newest session of each player, or `None` where none is stored.

        It may be on a node of a release up to 0.2.0, which stores no others.

        Raises:
            UnavailableError: Redis does not answer.
        """
        return await self._database.ask(
            lambda redis, key: redis.get(key), *map(keys.session, players)
        )
