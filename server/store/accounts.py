"""Kept identities: recovery codes, device codes and passkeys, and the end of a player.

What holds is the player's record. The keys by which a code or a passkey finds its player have slots
of their own, so no script writes both: such a key alone signs nobody in.
"""

from __future__ import annotations

from base64 import b64decode, b64encode

from server.core.account import DELETED, MAX_PASSKEYS, Account, Passkey
from server.core.ids import PlayerId
from server.store import keys
from server.store.database import Database
from server.store.scripts import Script

_PASSKEY = "passkey:"
"""What the fields of a record begin with that name a passkey."""

_KEEP_CODE = Script("""
if redis.call('HEXISTS', KEYS[1], 'deleted') == 1 then return ARGV[2] end
local before = redis.call('HMGET', KEYS[1], 'recovery', 'recovery_at')
if tonumber(before[2] or 0) > tonumber(ARGV[1]) then return ARGV[2] end
redis.call('HSETNX', KEYS[1], 'kept', ARGV[1])
redis.call('HSET', KEYS[1], 'recovery', ARGV[2], 'recovery_at', ARGV[1])
redis.call('PERSIST', KEYS[1])
if before[1] and before[1] ~= ARGV[2] then return before[1] end
return ''
""")

_KEEP_PASSKEY = Script("""
if redis.call('HEXISTS', KEYS[1], 'deleted') == 1 then return 0 end
local count = 0
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if field == ARGV[2] then return 1 end
    if string.sub(field, 1, 8) == 'passkey:' then count = count + 1 end
end
if count >= tonumber(ARGV[3]) then return 0 end
redis.call('HSETNX', KEYS[1], 'kept', ARGV[1])
redis.call('HSET', KEYS[1], ARGV[2], ARGV[1])
redis.call('PERSIST', KEYS[1])
return 1
""")

_PUT_PASSKEY = Script("""
local owner = redis.call('HGET', KEYS[1], 'player')
if owner and owner ~= ARGV[1] then return 0 end
if not owner then
    redis.call('HSET', KEYS[1], 'player', ARGV[1], 'key', ARGV[2], 'count', ARGV[3])
end
return 1
""")

_COUNT = Script("""
local count = redis.call('HGET', KEYS[1], 'count')
if count and tonumber(count) < tonumber(ARGV[1]) then
    redis.call('HSET', KEYS[1], 'count', ARGV[1])
end
""")

_OFFER = Script("""
if redis.call('HEXISTS', KEYS[1], 'deleted') == 1 then return 0 end
local is_new = redis.call('EXISTS', KEYS[1]) == 0
redis.call('HSET', KEYS[1], 'device', ARGV[1], 'device_until', ARGV[2])
if is_new then redis.call('EXPIRE', KEYS[1], ARGV[3]) end
return 1
""")

_TAKE = Script("""
local found = redis.call('HMGET', KEYS[1], 'device', 'device_until', 'deleted')
if found[1] ~= ARGV[1] or found[3] then return 0 end
redis.call('HDEL', KEYS[1], 'device', 'device_until')
if tonumber(found[2]) <= tonumber(ARGV[2]) then return 0 end
return 1
""")

_SIGN_OUT = Script("""
local found = redis.call('ZRANGE', KEYS[2], 0, -1)
if redis.call('HEXISTS', KEYS[1], 'deleted') == 1 then return {ARGV[3], found} end
local epoch = redis.call('HINCRBY', KEYS[1], 'epoch', 1)
redis.call('HDEL', KEYS[1], 'device', 'device_until')
if redis.call('HEXISTS', KEYS[1], 'kept') == 0 then
    redis.call('EXPIRE', KEYS[1], ARGV[2])
end
for _, session in ipairs(found) do
    if session ~= ARGV[1] then redis.call('ZREM', KEYS[2], session) end
end
redis.call('DEL', KEYS[3])
return {epoch, found}
""")

_BURY = Script("""
redis.call('HSETNX', KEYS[1], 'deleted', ARGV[1])
redis.call('HDEL', KEYS[1], 'name')
redis.call('EXPIRE', KEYS[1], ARGV[2])
return redis.call('ZRANGE', KEYS[2], 0, -1)
""")

_FORGET = Script("""
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if field ~= 'deleted' then redis.call('HDEL', KEYS[1], field) end
end
""")


class Accounts:
    """The records of players, and what signs them in."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, player: PlayerId) -> Account:
        """Return a player's account, an empty one if nothing is stored.

        Raises:
            UnavailableError: Redis does not answer.
        """
        (found,) = await self._database.ask(
            lambda redis, key: redis.hgetall(key), keys.player(player)
        )
        return _account(player, found)

    async def is_deleted(self, player: PlayerId) -> bool:
        """Return whether a player has been deleted.

        Raises:
            UnavailableError: Redis does not answer.
        """
        key = keys.player(player)
        return await self._database.read(key, "HGET", key, "deleted") is not None

    # Recovery codes and passkeys. Writing one again changes nothing.

    async def keep_code(self, player: PlayerId, digest: str, at: int) -> None:
        """Store the SHA-256 of a player's recovery code, in place of that of an earlier one.

        It does nothing if the player has been deleted, or has a code of a later time.

        Args:
            player: the player.
            digest: the SHA-256, in hexadecimal.
            at: Unix milliseconds.

        Raises:
            UnavailableError: it may or may not have been stored.
        """
        key = keys.recovery(digest)
        await self._database.write(key, "SET", key, player)
        void = await self._database.run(_KEEP_CODE, [keys.player(player)], at, digest)
        if void:
            await self._drop(keys.recovery(void))

    async def code_owner(self, digest: str) -> PlayerId | None:
        """Return whose recovery code has a SHA-256, if anybody's.

        Raises:
            UnavailableError: Redis does not answer.
        """
        player = await self._owner(keys.recovery(digest))
        if player is None or (await self.find(player)).recovery != digest:
            return None
        return player

    async def keep_passkey(self, passkey: Passkey, at: int) -> bool:
        """Store a player's passkey; return whether it stands.

        It does not if the player has been deleted or has `MAX_PASSKEYS` others, or if it is another
        player's.

        Raises:
            UnavailableError: it may or may not have been stored.
        """
        key, owner = keys.passkey(passkey.id), passkey.player
        public = b64encode(passkey.key).decode()
        if not await self._database.run(_PUT_PASSKEY, [key], owner, public, passkey.count):
            return False
        field = _PASSKEY + passkey.id
        stands = await self._database.run(
            _KEEP_PASSKEY, [keys.player(owner)], at, field, MAX_PASSKEYS
        )
        if not stands:
            await self._drop(key)
        return bool(stands)

    async def passkey(self, credential: str) -> Passkey | None:
        """Return the passkey with a credential id (base64url), if it signs anybody in.

        Raises:
            UnavailableError: Redis does not answer.
        """
        (found,) = await self._database.ask(
            lambda redis, key: redis.hgetall(key), keys.passkey(credential)
        )
        if not found:
            return None
        player = PlayerId(found["player"])
        if credential not in (await self.find(player)).passkeys:
            return None
        return Passkey(credential, player, b64decode(found["key"]), int(found["count"]))

    async def count_passkey(self, credential: str, count: int) -> None:
        """Store the counter that a passkey has signed with, if it is the greatest.

        Raises:
            UnavailableError: it may or may not have been stored.
        """
        await self._database.run(_COUNT, [keys.passkey(credential)], count)

    # Device codes

    async def offer_device(self, player: PlayerId, digest: str, now: int) -> bool:
        """Store the SHA-256 of a player's only device code; an earlier one is void.

        Returns:
            Whether it is stored: not if the player has been deleted.

        Raises:
            UnavailableError: it may or may not have been stored.
        """
        key = keys.device(digest)
        await self._database.write(key, "SET", key, player, "EX", keys.DEVICE_LIFE)
        until = now + keys.DEVICE_LIFE * 1000
        record, life = keys.player(player), keys.DEVICE_LIFE
        return bool(await self._database.run(_OFFER, [record], digest, until, life))

    async def take_device(self, digest: str, now: int) -> PlayerId | None:
        """Return whose device code has a SHA-256, once; `None` if nobody's, used or too old.

        Raises:
            UnavailableError: the code may or may not have been used up.
        """
        key = keys.device(digest)
        player = await self._owner(key)
        if player is None:
            return None
        taken = await self._database.run(_TAKE, [keys.player(player)], digest, now)
        await self._drop(key)
        return player if taken else None

    # The end of sessions, and of a player

    async def sign_out(self, player: PlayerId, asking: str) -> tuple[int, list[str]]:
        """Begin a player's next epoch, in which no token of an earlier one counts.

        Args:
            player: the player.
            asking: the session (`node/session`) that stays.

        Returns:
            The epoch, and all sessions that there were.

        Raises:
            UnavailableError: it may or may not have begun.
        """
        names = [keys.player(player), keys.sessions(player), keys.session(player)]
        epoch, found = await self._database.run(_SIGN_OUT, names, asking, keys.PLAYER_LIFE, DELETED)
        return int(epoch), found

    async def bury(self, player: PlayerId, at: int) -> list[str]:
        """Note that a player is deleted: from now on, nothing signs in as that player.

        Args:
            player: the player.
            at: Unix milliseconds.

        Returns:
            The sessions that there are (`node/session`).

        Raises:
            UnavailableError: it may or may not have been noted.
        """
        names = [keys.player(player), keys.sessions(player)]
        return list(await self._database.run(_BURY, names, at, keys.PLAYER_LIFE))

    async def forget(self, player: PlayerId) -> None:
        """Delete what is left of a player who is noted as deleted, but for that note.

        Raises:
            UnavailableError: all, some or nothing may have been deleted.
        """
        account = await self.find(player)
        if account.recovery is not None:
            await self._drop(keys.recovery(account.recovery))
        if account.device is not None:
            await self._drop(keys.device(account.device))
        for credential in account.passkeys:
            await self._drop(keys.passkey(credential))
        for key in (keys.sessions, keys.session, keys.renames, keys.met):
            await self._drop(key(player))
        # Only now, since the record names the keys that are to be deleted.
        await self._database.run(_FORGET, [keys.player(player)])

    async def _owner(self, key: str) -> PlayerId | None:
        (found,) = await self._database.ask(lambda redis, key: redis.get(key), key)
        return None if found is None else PlayerId(found)

    async def _drop(self, key: str) -> None:
        await self._database.write(key, "DEL", key)


def _account(player: PlayerId, found: dict[str, str]) -> Account:
    def number(name: str) -> int | None:
        return int(found[name]) if name in found else None

    return Account(
        player,
        found.get("name"),
        number("epoch") or 0,
        number("created"),
        number("kept"),
        found.get("recovery"),
        found.get("device"),
        {
            field.removeprefix(_PASSKEY): int(added)
            for field, added in found.items()
            if field.startswith(_PASSKEY)
        },
        number("deleted"),
    )
