"""Credentials: recovery codes, device codes and passkeys; deletion of players.

The player's record is authoritative. The keys that map a code or a passkey to its player are in
other slots, where no script can write both, so such a key alone does not sign anyone in. Digests
are SHA-256 in hexadecimal, `now` and `at` Unix milliseconds, and `epoch` the requesting session's.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterable
from typing import Final

from server.accounts.core import keys
from server.accounts.core.refusals import AccountRefusals
from server.base.core import keys as base_keys
from server.base.core.ids import PlayerId
from server.base.core.refusal import BaseRefusals, Refusal, RefusalCode
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.players.core import keys as players_keys
from server.players.core.account import BOT_FIELD, MAX_BOTS, MAX_PASSKEYS, Account, Passkey
from server.players.store import PLAYED, UNUSED
from server.results.core import keys as results_keys

_PASSKEY = "passkey:"  # prefix of the record's fields that name passkeys
_PLAYED = 2  # reply of `_KEEP_PASSKEY` if the passkey is stored and the player has results

# Reply of `_SIGN_OUT` if no credential would be left; -2 if the requesting session is void.
_NONE_LEFT = -1

_OFFER_CODE = Script("""
if redis.call('HEXISTS', KEYS[1], 'deleted') == 1 then return 'bad_token' end
if tonumber(redis.call('HGET', KEYS[1], 'epoch') or 0) > tonumber(ARGV[2]) then
    return 'bad_token'
end
if ARGV[3] == '' and redis.call('HEXISTS', KEYS[1], 'kept') == 1 then
    return 'confirm_first'
end
local is_new = redis.call('EXISTS', KEYS[1]) == 0
redis.call('HSET', KEYS[1], 'offer', ARGV[1], 'offer_until', ARGV[4])
if is_new then redis.call('EXPIRE', KEYS[1], ARGV[5]) end
return ''
""")

# By the reply of `_OFFER_CODE`.
_OFFER_REFUSALS: Final[dict[str, RefusalCode]] = {
    "bad_token": BaseRefusals.bad_token,
    "confirm_first": AccountRefusals.confirm_first,
}

# Keys: a player's record and history.
_KEEP_CODE = Script(
    PLAYED
    + UNUSED
    + """
if redis.call('HEXISTS', KEYS[1], 'deleted') == 1 then return {ARGV[2], 0} end
local before = redis.call('HMGET', KEYS[1], 'recovery', 'offer', 'offer_until')
local lasts = played(KEYS[2]) and 1 or 0
if before[1] == ARGV[2] then return {'', lasts} end
if before[2] ~= ARGV[2] or tonumber(before[3]) <= tonumber(ARGV[1]) then
    return {ARGV[2], 0}
end
redis.call('HSETNX', KEYS[1], 'kept', ARGV[1])
redis.call('HSET', KEYS[1], 'recovery', ARGV[2], 'recovery_at', ARGV[1])
redis.call('HDEL', KEYS[1], 'recovery_used', 'offer', 'offer_until')
if lasts == 1 then redis.call('PERSIST', KEYS[1])
else expire_unused(KEYS[1], ARGV[3], ARGV[4]) end
return {before[1] or '', lasts}
"""
)

_USE_CODE = Script("""
local found = redis.call('HMGET', KEYS[1], 'recovery', 'deleted', 'epoch')
if found[1] ~= ARGV[1] or found[2] then return -1 end
redis.call('HSET', KEYS[1], 'recovery_used', ARGV[2])
return tonumber(found[3] or 0)
""")

# Keys: a player's record and history.
_KEEP_PASSKEY = Script(
    PLAYED
    + UNUSED
    + """
if redis.call('HEXISTS', KEYS[1], 'deleted') == 1 then return 0 end
local count = 0
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if field == ARGV[2] then return played(KEYS[2]) and 2 or 1 end
    if string.sub(field, 1, 8) == 'passkey:' then count = count + 1 end
end
if tonumber(redis.call('HGET', KEYS[1], 'epoch') or 0) > tonumber(ARGV[4]) then return 0 end
if ARGV[5] == '' and redis.call('HEXISTS', KEYS[1], 'kept') == 1 then return 0 end
if count >= tonumber(ARGV[3]) then return 0 end
redis.call('HSETNX', KEYS[1], 'kept', ARGV[1])
redis.call('HSET', KEYS[1], ARGV[2], ARGV[1])
redis.call('HDEL', KEYS[1], 'offer', 'offer_until')
if played(KEYS[2]) then redis.call('PERSIST', KEYS[1]) return 2 end
expire_unused(KEYS[1], ARGV[6], ARGV[7])
return 1
"""
)

_PUT_PASSKEY = Script("""
local owner = redis.call('HGET', KEYS[1], 'player')
if owner and owner ~= ARGV[1] then return 0 end
if not owner then
    redis.call('HSET', KEYS[1], 'player', ARGV[1], 'key', ARGV[2], 'count', ARGV[3])
    redis.call('HSET', KEYS[1], 'aaguid', ARGV[4])
    redis.call('EXPIRE', KEYS[1], ARGV[5])
end
return 1
""")

_USE_PASSKEY = Script("""
local found = redis.call('HMGET', KEYS[1], 'player', 'count')
if found[1] ~= ARGV[1] then return 0 end
local count, before = tonumber(ARGV[2]), tonumber(found[2])
if (count > 0 or before > 0) and count <= before then return 0 end
redis.call('HSET', KEYS[1], 'count', ARGV[2], 'used', ARGV[3])
return 1
""")

_DROP_PASSKEY = Script("""
if redis.call('HGET', KEYS[1], 'player') == ARGV[1] then redis.call('DEL', KEYS[1]) end
""")

_OFFER = Script("""
if redis.call('HEXISTS', KEYS[1], 'deleted') == 1 then return 0 end
if tonumber(redis.call('HGET', KEYS[1], 'epoch') or 0) > tonumber(ARGV[4]) then return 0 end
local is_new = redis.call('EXISTS', KEYS[1]) == 0
redis.call('HSET', KEYS[1], 'device', ARGV[1], 'device_until', ARGV[2])
if is_new then redis.call('EXPIRE', KEYS[1], ARGV[3]) end
return 1
""")

_TAKE = Script("""
local found = redis.call('HMGET', KEYS[1], 'device', 'device_until', 'deleted', 'epoch')
if found[1] ~= ARGV[1] or found[3] then return -1 end
redis.call('HDEL', KEYS[1], 'device', 'device_until')
if tonumber(found[2]) <= tonumber(ARGV[2]) then return -1 end
return tonumber(found[4] or 0)
""")

_SIGN_OUT = Script("""
local found = redis.call('ZRANGE', KEYS[2], 0, -1)
if redis.call('HEXISTS', KEYS[1], 'deleted') == 1 then return {-2, found, ''} end
if tonumber(redis.call('HGET', KEYS[1], 'epoch') or 0) > tonumber(ARGV[3]) then
    return {-2, found, ''}
end
local removed, left = {}, 0
for at = 4, #ARGV do removed[ARGV[at]] = true end
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    local is_one = field == 'recovery' or string.sub(field, 1, 8) == 'passkey:'
    if is_one and not removed[field] then left = left + 1 end
end
if #ARGV > 3 and left == 0 then return {-1, found, ''} end
local void = ''
for field in pairs(removed) do
    if field == 'recovery' then
        void = redis.call('HGET', KEYS[1], 'recovery') or ''
        redis.call('HDEL', KEYS[1], 'recovery_at', 'recovery_used')
    end
    redis.call('HDEL', KEYS[1], field)
end
local epoch = redis.call('HINCRBY', KEYS[1], 'epoch', 1)
redis.call('HDEL', KEYS[1], 'device', 'device_until', 'offer', 'offer_until')
if redis.call('TTL', KEYS[1]) >= 0 or redis.call('HEXISTS', KEYS[1], 'kept') == 0 then
    redis.call('EXPIRE', KEYS[1], ARGV[2])
end
for _, session in ipairs(found) do
    if session ~= ARGV[1] then redis.call('ZREM', KEYS[2], session) end
end
return {epoch, found, void}
""")

_MARK_DELETED = Script("""
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


_MAKE_BOT = Script("""
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'name', ARGV[1], 'bot_of', ARGV[2], 'created', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[4])
return 1
""")

_OWN_BOT = Script("""
local found = redis.call('HMGET', KEYS[1], 'deleted', 'epoch', 'kept')
if found[1] or tonumber(found[2] or 0) > tonumber(ARGV[4]) then return 1 end
if not found[3] then return 2 end
local count = 0
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.sub(field, 1, 4) == 'bot:' then count = count + 1 end
end
if count >= tonumber(ARGV[3]) then return 3 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 0
""")

# By the reply of `_OWN_BOT`.
_BOT_REFUSALS: Final[dict[int, RefusalCode]] = {
    1: BaseRefusals.bad_token,
    2: AccountRefusals.not_kept,
    3: AccountRefusals.too_many_bots,
}


class AccountStore:
    """Players' records and credentials."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def load(self, player: PlayerId) -> Account:
        """Return a player's account, empty if nothing is stored."""
        (found,) = await self._database.ask(
            lambda redis, key: redis.hgetall(key), players_keys.player(player)
        )
        return _account(player, found)

    # Recovery codes and passkeys. These writes are idempotent.

    async def offer_code(
        self, player: PlayerId, digest: str, now: int, epoch: int, *, confirmed: bool
    ) -> None:
        """Store an offered recovery code's digest; it voids an earlier offer.

        Refused as `bad_token`, if the player has been deleted or is in a later epoch, or as
        `confirm_first`, if a credential exists and was not shown.
        """
        until = now + keys.CODE_OFFER_LIFE_S * 1000
        given = (digest, epoch, _flag(confirmed), until, keys.CODE_OFFER_LIFE_S)
        refused = await self._database.run(_OFFER_CODE, [players_keys.player(player)], *given)
        if refused:
            raise Refusal(_OFFER_REFUSALS[refused])

    async def was_offered(self, player: PlayerId, digest: str) -> bool:
        """Return whether a recovery code's digest was offered to the player or is kept."""
        key = players_keys.player(player)
        offer, kept = await self._database.read_batched(key, "HMGET", key, "offer", "recovery")
        return digest in {offer, kept}

    async def keep_code(self, player: PlayerId, digest: str, at: int) -> None:
        """Store an offered recovery code's digest, replacing an earlier one.

        It does nothing if the player has been deleted, was not offered this code within
        `CODE_OFFER_LIFE_S`, or has kept or removed a credential since.
        """
        key, life = keys.recovery(digest), players_keys.UNUSED_ACCOUNT_LIFE_S
        # Written before the record, with an expiry: an unreferenced key is harmless and expires.
        await self._database.write(key, "SET", key, player, "EX", life)
        names = [players_keys.player(player), players_keys.history(player)]
        given = (at, digest, life, players_keys.PLAYER_LIFE_S)
        void, lasts = await self._database.run(_KEEP_CODE, names, *given)
        if void:
            await self._drop(keys.recovery(void))
        if lasts:
            await self._database.write(key, "PERSIST", key)

    async def code_owner(self, digest: str) -> PlayerId | None:
        """Return the possible owner of a recovery code's digest; the owner's record decides."""
        return await self._owner(keys.recovery(digest))

    async def use_code(self, player: PlayerId, digest: str, now: int) -> int | None:
        """Record the use of a recovery code; return the player's epoch at that moment.

        Return `None` if it is not the player's code.
        """
        return _epoch(
            await self._database.run(_USE_CODE, [players_keys.player(player)], digest, now)
        )

    async def keep_passkey(self, passkey: Passkey, at: int, epoch: int, *, confirmed: bool) -> bool:
        """Store a player's passkey; return whether it is stored now.

        It is not if the player has been deleted, is in a later epoch, has a credential that was not
        shown, or has `MAX_PASSKEYS` others, or if another player has the passkey.
        """
        key, owner = keys.passkey(passkey.id), passkey.player
        public = b64encode(passkey.key).decode()
        life = players_keys.UNUSED_ACCOUNT_LIFE_S
        put = (owner, public, passkey.count, passkey.aaguid, life)
        if not await self._database.run(_PUT_PASSKEY, [key], *put):
            return False
        names, lives = (
            [players_keys.player(owner), players_keys.history(owner)],
            (life, players_keys.PLAYER_LIFE_S),
        )
        given = (at, _PASSKEY + passkey.id, MAX_PASSKEYS, epoch, _flag(confirmed), *lives)
        stands = await self._database.run(_KEEP_PASSKEY, names, *given)
        # A passkey is stored with an expiry, which a player with results does not have.
        if stands == _PLAYED:
            await self._database.write(key, "PERSIST", key)
        if not stands:
            await self._drop(key)
        return bool(stands)

    async def extend(self, player: PlayerId) -> None:
        """Extend the expiry of a player's code and passkeys to `UNUSED_ACCOUNT_LIFE_S` from now."""
        for key in await self._credentials(player):
            await self._database.write(key, "EXPIRE", key, players_keys.UNUSED_ACCOUNT_LIFE_S)

    async def keep_for_good(self, player: PlayerId) -> None:
        """Remove the expiry of a player's code and passkeys.

        Raises:
            UnavailableError: some of them may still expire.
        """
        for key in await self._credentials(player):
            await self._database.write(key, "PERSIST", key)

    async def _credentials(self, player: PlayerId) -> list[str]:
        """Return the keys of a player's code and passkeys."""
        account = await self.load(player)
        names = [keys.passkey(credential) for credential in account.passkeys]
        if account.recovery is not None:
            names.append(keys.recovery(account.recovery))
        return names

    async def passkey(self, credential: str) -> tuple[Passkey, Account] | None:
        """Return a valid passkey by credential id (base64url), and its owner's account."""
        (passkey,) = await self._passkeys([credential])
        if passkey is None:
            return None
        account = await self.load(passkey.player)
        return (passkey, account) if credential in account.passkeys else None

    async def passkeys(self, account: Account) -> list[Passkey]:
        """Return a player's passkeys, oldest first."""
        names = sorted(account.passkeys, key=lambda each: account.passkeys[each])
        found = await self._passkeys(names) if names else []
        return [
            each or Passkey(name, account.player, b"", 0)
            for name, each in zip(names, found, strict=True)
        ]

    async def _passkeys(self, names: list[str]) -> list[Passkey | None]:
        found = await self._database.ask(
            lambda redis, key: redis.hgetall(key), *map(keys.passkey, names)
        )
        return [
            _passkey(name, each) if each else None for name, each in zip(names, found, strict=True)
        ]

    async def use_passkey(self, passkey: Passkey, count: int, now: int) -> bool:
        """Record a passkey's use and new counter at `now`; return whether it is accepted."""
        given = (passkey.player, count, now)
        # A removed passkey is rejected, and a counter that has not grown, unless it is always 0:
        # the passkey was copied or the answer replayed.
        return bool(await self._database.run(_USE_PASSKEY, [keys.passkey(passkey.id)], *given))

    # Device codes

    async def offer_device(self, player: PlayerId, digest: str, now: int, epoch: int) -> bool:
        """Store the digest of a player's only device code; it voids an earlier one.

        Return whether it is stored; not if the player has been deleted or is in a later epoch.
        """
        key = keys.device(digest)
        await self._database.write(key, "SET", key, player, "EX", keys.DEVICE_LIFE_S)
        until = now + keys.DEVICE_LIFE_S * 1000
        record, life = players_keys.player(player), keys.DEVICE_LIFE_S
        return bool(await self._database.run(_OFFER, [record], digest, until, life, epoch))

    async def take_device(self, digest: str, now: int) -> tuple[PlayerId, int] | None:
        """Use up a device code by its digest; return its player and the player's epoch.

        Return `None` if the code is unknown, used or expired.
        """
        key = keys.device(digest)
        player = await self._owner(key)
        if player is None:
            return None
        epoch = _epoch(await self._database.run(_TAKE, [players_keys.player(player)], digest, now))
        await self._drop(key)
        return None if epoch is None else (player, epoch)

    # Bots. The owner's record is authoritative; a bot's own record alone does not authorize it.

    async def add_bot(
        self, bot: PlayerId, name: str, owner: PlayerId, now: int, epoch: int
    ) -> None:
        """Store a player's bot, with a new id.

        Refused as `bad_token`, if the owner has been deleted or is in a later epoch; as `not_kept`,
        if the owner is a guest; or as `too_many_bots`.
        """
        record = players_keys.player(bot)
        given = (name, owner, now, players_keys.PLAYER_LIFE_S)
        if not await self._database.run(_MAKE_BOT, [record], *given):
            raise Refusal(BaseRefusals.unavailable)
        own = (BOT_FIELD + bot, now, MAX_BOTS, epoch)
        refused = await self._database.run(_OWN_BOT, [players_keys.player(owner)], *own)
        if refused:
            await self._drop(record)
            raise Refusal(_BOT_REFUSALS[refused])

    async def disown(self, owner: PlayerId, bot: PlayerId) -> None:
        """Remove a bot from its owner's record."""
        key = players_keys.player(owner)
        await self._database.write(key, "HDEL", key, BOT_FIELD + bot)

    # The end of sessions, and of a player

    async def sign_out(
        self,
        player: PlayerId,
        asking: str,
        epoch: int,
        passkeys: Iterable[str] = (),
        *,
        recovery: bool = False,
    ) -> tuple[int, list[str]]:
        """Start a player's next epoch, which voids all earlier tokens.

        `asking` is the session (`node/session`) that stays open, and `passkeys` are credential ids
        to remove in the same step; other players' are ignored. Return the new epoch, and all
        sessions before it. Refused as `bad_token`, if the player has been deleted or is in a later
        epoch, or as `last_credential`, if no credential would be left; nothing has changed then.

        Raises:
            UnavailableError: the epoch may or may not have started; a retry completes the rest.
        """
        removed = list(passkeys)
        names = [players_keys.player(player), base_keys.sessions(player)]
        fields = [*(_PASSKEY + each for each in removed), *(["recovery"] if recovery else [])]
        begun, found, void = await self._database.run(
            _SIGN_OUT, names, asking, players_keys.PLAYER_LIFE_S, epoch, *fields
        )
        if begun < 0:
            raise Refusal(
                AccountRefusals.last_credential if begun == _NONE_LEFT else BaseRefusals.bad_token
            )
        # The record no longer names them, so they are already invalid.
        for each in removed:
            await self._database.run(_DROP_PASSKEY, [keys.passkey(each)], player)
        if void:
            await self._drop(keys.recovery(void))
        return int(begun), found

    async def mark_deleted(self, player: PlayerId, at: int) -> list[str]:
        """Mark a player as deleted, and return the player's sessions (`node/session`).

        From now on no credential or token is valid.
        """
        names = [players_keys.player(player), base_keys.sessions(player)]
        return list(await self._database.run(_MARK_DELETED, names, at, players_keys.PLAYER_LIFE_S))

    async def forget(self, player: PlayerId) -> None:
        """Delete everything left of a deleted player except the mark."""
        account = await self.load(player)
        if account.recovery is not None:
            await self._drop(keys.recovery(account.recovery))
        if account.device is not None:
            await self._drop(keys.device(account.device))
        for credential in account.passkeys:
            await self._drop(keys.passkey(credential))
        for key in (base_keys.sessions, players_keys.renames, results_keys.met):
            await self._drop(key(player))
        # Last, since the record names the keys to delete.
        await self._database.run(_FORGET, [players_keys.player(player)])

    async def _owner(self, key: str) -> PlayerId | None:
        (found,) = await self._database.ask(lambda redis, key: redis.get(key), key)
        return None if found is None else PlayerId(found)

    async def _drop(self, key: str) -> None:
        await self._database.write(key, "DEL", key)


def _flag(value: bool) -> str:
    return "1" if value else ""


def _epoch(reply: int) -> int | None:
    return None if reply < 0 else reply


def _passkey(name: str, found: dict[str, str]) -> Passkey:
    key, used = b64decode(found["key"]), found.get("used")
    return Passkey(
        name,
        PlayerId(found["player"]),
        key,
        int(found["count"]),
        found.get("aaguid", ""),
        None if used is None else int(used),
    )


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
        number("recovery_at"),
        number("recovery_used"),
        found.get("device"),
        {
            field.removeprefix(_PASSKEY): int(added)
            for field, added in found.items()
            if field.startswith(_PASSKEY)
        },
        number("deleted"),
        {
            PlayerId(field.removeprefix(BOT_FIELD)): int(made)
            for field, made in found.items()
            if field.startswith(BOT_FIELD)
        },
        PlayerId(found["bot_of"]) if "bot_of" in found else None,
    )
