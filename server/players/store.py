"""Players: profiles, sessions, and the check of a token's epoch."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence

from server.base.core import keys as base_keys
from server.base.core.ids import PlayerId
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.redis.database import Database
from server.base.redis.scans import ScanStore
from server.base.redis.scripts import Argument, Script
from server.players.core import keys
from server.players.core.account import BOT_FIELD, DELETED_NAME
from server.players.core.names import (
    RENAME_EVERY_MS,
    RENAMES_AT_ONCE,
    Profile,
    Recorded,
    guest_name,
)
from server.players.core.restrictions import is_barred, refusal_of

# Lua function: whether a history has results.
PLAYED = """
local function played(history)
  local fields = redis.call('HLEN', history) - redis.call('HEXISTS', history, 'v')
  return fields > redis.call('HEXISTS', history, 'kept')
end
"""

# Lua function: set the expiry of the record of a player without results, longer if the record holds
# facts needed while tokens are valid.
UNUSED = """
local function expire_unused(record, life, long)
  local vital = redis.call('HMGET', record, 'epoch', 'barred', 'hidden')
  redis.call('EXPIRE', record, (vital[1] or vital[2] or vital[3]) and long or life)
end
"""

# Lua function, for a player's record and history. Nothing is stored for a guest without a name,
# epoch or restriction. While an operator hides a name, a new one is ignored.
_KEEP = (
    PLAYED
    + UNUSED
    + """
local function keep(record, history, name, token, created, life, guest, account)
  local found = redis.call('HMGET', record,
      'name', 'epoch', 'deleted', 'kept', 'hidden', 'barred', 'bot_of')
  local epoch, given = tonumber(found[2] or 0), tonumber(token) or 0
  if found[3] or (token ~= '' and given < epoch) then return {false, '', 0} end
  local is_new = redis.call('EXISTS', record) == 0
  if given > epoch then redis.call('HSET', record, 'epoch', given) end
  if name ~= '' and not found[5] then redis.call('HSET', record, 'name', name) end
  if redis.call('EXISTS', record) == 0 then return {'', '', 0} end
  if is_new and created ~= '' then redis.call('HSET', record, 'created', created) end
  local matters = found[5] or found[6] or found[7] or epoch + given > 0
      or redis.call('EXISTS', history) == 1
  local unused = found[4] and not played(history)
  if unused then
    expire_unused(record, account, life)
    redis.call('EXPIRE', history, account)
  elseif found[4] then redis.call('PERSIST', record)
  else redis.call('EXPIRE', record, matters and life or guest) end
  return {redis.call('HGET', record, 'name') or '', found[1] or '', unused and 1 or 0}
end
"""
)
_KEEP_NAME = Script(_KEEP + "return keep(KEYS[1], KEYS[2], unpack(ARGV))")

# Generic cell rate algorithm: the key holds the time until which recent renames count.
_TAKE_RENAME = Script("""
local record = redis.call('HMGET', KEYS[1], 'name', 'deleted')
if record[1] == ARGV[1] or record[2] then return 0 end
local now, each = tonumber(ARGV[2]), tonumber(ARGV[3])
local counts = math.max(now, tonumber(redis.call('GET', KEYS[2]) or 0)) + each
local wait = counts - now - each * tonumber(ARGV[4])
if wait > 0 then return wait end
redis.call('SET', KEYS[2], counts, 'PX', counts - now)
return 0
""")

# Lua function, for a player's sessions and record.
_ADD = """
local function add(sessions, player, session, now, life, most, epoch, nodes)
  local record = redis.call('HMGET', player, 'epoch', 'deleted', 'barred')
  if record[2] or tonumber(epoch) < tonumber(record[1] or 0) then return {} end
  local barred = tonumber(record[3])
  if barred and (barred == 0 or barred > tonumber(now)) then return record[3] end
  -- Several sessions may be added in one millisecond, or by nodes whose clocks differ. The added
  -- one is always the latest.
  local last = tonumber(redis.call('ZRANGE', sessions, -1, -1, 'WITHSCORES')[2] or 0)
  local used = math.max(tonumber(now), last + 0.001)
  redis.call('ZADD', sessions, string.format('%.3f', used), session)
  redis.call('EXPIRE', sessions, life)
  local beyond = redis.call('ZCARD', sessions) - most
  local dropped, alive = {}, {}
  for node in string.gmatch(nodes, '%S+') do alive[node] = true end
  if beyond > 0 and nodes ~= '' then
    for _, each in ipairs(redis.call('ZRANGE', sessions, 0, -1)) do
      if not alive[string.match(each, '^[^/]*')] then
        redis.call('ZREM', sessions, each)
        beyond = beyond - 1
      end
    end
  end
  if beyond > 0 then
    dropped = redis.call('ZRANGE', sessions, 0, beyond - 1)
    redis.call('ZREM', sessions, unpack(dropped))
  end
  return {redis.call('ZRANGE', sessions, 0, -1), dropped}
end
"""
_ADD_SESSION = Script(_ADD + "return add(KEYS[1], KEYS[2], unpack(ARGV))")

# Keys: a player's sessions, record and history. The first six arguments are those of `add`.
_ENTER = Script(
    _KEEP
    + _ADD
    + """
local session, now, life, most, epoch, nodes = unpack(ARGV)
local kept = keep(KEYS[2], KEYS[3], ARGV[7], epoch, now, ARGV[8], ARGV[9], ARGV[10])
-- It refuses the same tokens as `add`.
if not kept[1] then return {} end
return {add(KEYS[1], KEYS[2], session, now, life, most, epoch, nodes), kept}
"""
)


class PlayerStore:
    """Players' records, by id."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._scans = ScanStore(database)

    async def update(
        self,
        player: PlayerId,
        name: str | None = None,
        epoch: int | None = None,
        now: int | None = None,
    ) -> Recorded:
        """Store a player's name and epoch, if given, and extend the record's expiry.

        `epoch` is the token's, or `None` if a session vouches for the player; `now` (Unix
        milliseconds) is the creation time of a new record. The returned profile has a default name
        if none is stored or an operator hides it. Refused as `bad_token`, if the player has been
        deleted or is in a later epoch.
        """
        kept, before, unused = await self._database.run(
            _KEEP_NAME,
            [keys.player(player), keys.history(player)],
            name or "",
            "" if epoch is None else epoch,
            "" if now is None else now,
            keys.PLAYER_LIFE_S,
            keys.GUEST_LIFE_S,
            keys.UNUSED_ACCOUNT_LIFE_S,
        )
        if kept is None:
            raise Refusal(BaseRefusals.bad_token)
        return _recorded(player, kept, before, unused)

    async def take_rename(self, player: PlayerId, name: str, now: int) -> int:
        """Count a rename towards the rate limit, unless the name is unchanged.

        Return 0, or the milliseconds to wait if the limit is exceeded; then it is not counted, nor
        for deleted players, whom `update` refuses. `now` is in Unix milliseconds.
        """
        found = await self._database.run(
            _TAKE_RENAME,
            [keys.player(player), keys.renames(player)],
            name,
            now,
            RENAME_EVERY_MS,
            RENAMES_AT_ONCE,
        )
        return int(found)

    async def profiles(self, players: Iterable[PlayerId]) -> dict[PlayerId, Profile]:
        """Return profiles by player, with default names for players without a stored one."""
        wanted = list(players)
        found = await self._database.ask(
            lambda redis, key: redis.hmget(key, ["name", "deleted"]), *map(keys.player, wanted)
        )
        return {
            player: Profile(player, DELETED_NAME if deleted else name or guest_name(player))
            for player, (name, deleted) in zip(wanted, found, strict=True)
        }

    async def owner(self, bot: PlayerId) -> PlayerId | None:
        """Return a bot's owner, or `None` if it has none or was deleted."""
        key = keys.player(bot)
        found = await self._database.read_batched(key, "HGET", key, "bot_of")
        return None if found is None else PlayerId(found)

    async def check_owner(self, bot: PlayerId, now: int) -> None:
        """Check that a bot's owner still lists it and is not barred at `now` (Unix ms).

        Refused as `bad_token` or `barred`.
        """
        owner = await self.owner(bot)
        if owner is None:
            raise Refusal(BaseRefusals.bad_token)
        key = keys.player(owner)
        listed, barred = await self._database.read_batched(
            key, "HMGET", key, BOT_FIELD + bot, "barred"
        )
        if listed is None:
            raise Refusal(BaseRefusals.bad_token)
        if barred is not None and is_barred(int(barred), now):
            raise refusal_of(int(barred), now)

    async def is_deleted(self, player: PlayerId) -> bool:
        """Return whether a player has been deleted."""
        key = keys.player(player)
        return await self._database.read_batched(key, "HGET", key, "deleted") is not None

    async def unknown(self, players: Sequence[PlayerId]) -> set[PlayerId]:
        """Return the deleted players, and those without anything stored, in two round trips."""
        deleted = await self._database.ask(
            lambda redis, key: redis.hget(key, "deleted"), *map(keys.player, players)
        )
        # A guest without a name has no record, but may have sessions or results.
        of_each = [(keys.player(p), keys.history(p), base_keys.sessions(p)) for p in players]
        found = await self._database.ask(
            lambda redis, key: redis.exists(key), *(key for three in of_each for key in three)
        )
        return {
            player
            for at, player in enumerate(players)
            if deleted[at] is not None or not any(found[3 * at : 3 * at + 3])
        }

    async def epoch(self, player: PlayerId) -> int:
        """Return a player's current epoch."""
        key = keys.player(player)
        return int(await self._database.read_batched(key, "HGET", key, "epoch") or 0)

    async def all(self) -> AsyncIterator[list[Profile]]:
        """Yield all players by scanning all keys, in possibly empty batches, some players twice."""
        # A guest with results but no chosen name has only a history.
        # The pattern also matches a few other kinds, which `_is_player` filters out.
        async for found in self._scans.all_keys("[ph]*:{*}"):
            named = {key.partition("{")[2].removesuffix("}") for key in found if _is_player(key)}
            ids = list(map(PlayerId, named))
            names = await self._database.ask(
                lambda redis, key: redis.hget(key, "name"), *map(keys.player, ids)
            )
            yield [Profile(p, n or guest_name(p)) for p, n in zip(ids, names, strict=True)]

    async def add_session(
        self,
        player: PlayerId,
        session: str,
        now: int,
        epoch: int = 0,
        alive: Iterable[str] = (),
    ) -> tuple[list[str], list[str]]:
        """Store a session (`node/session`) of a player in one round trip; `now` is in Unix ms.

        Return the player's sessions, and those dropped because `keys.MAX_SESSIONS` others were used
        later. If there are too many, sessions of nodes not in `alive`, if known, are removed first,
        and do not count as dropped. Storing a session again counts as using it. Refused as
        `bad_token`, if the player has been deleted or is in a later epoch, or as `barred`.
        """
        names = [base_keys.sessions(player), keys.player(player)]
        given = _session_arguments(session, now, epoch, alive)
        return _added(await self._database.run(_ADD_SESSION, names, *given), now)

    async def enter(
        self,
        player: PlayerId,
        session: str,
        now: int,
        epoch: int,
        *,
        alive: Iterable[str] = (),
        name: str = "",
    ) -> tuple[Recorded, list[str], list[str]]:
        """Store a session like `add_session`, and a record like `update`, in one round trip.

        `name` is a new name, if any. Return the record, and the results of `add_session`.
        """
        found = await self._database.run(
            _ENTER,
            [base_keys.sessions(player), keys.player(player), keys.history(player)],
            *_session_arguments(session, now, epoch, alive),
            name,
            keys.PLAYER_LIFE_S,
            keys.GUEST_LIFE_S,
            keys.UNUSED_ACCOUNT_LIFE_S,
        )
        if not found:
            raise Refusal(BaseRefusals.bad_token)
        added, kept = found
        return _recorded(player, *kept), *_added(added, now)

    async def barred(self, players: Iterable[PlayerId], now: int) -> list[bool]:
        """Return whether each player is barred at `now` (Unix milliseconds)."""
        found = await self._database.ask(
            lambda redis, key: redis.hget(key, "barred"), *map(keys.player, players)
        )
        return [is_barred(None if until is None else int(until), now) for until in found]

    def use_session(self, player: PlayerId, session: str, now: int) -> None:
        """Record a stored session's last use (Unix milliseconds), without waiting for the write."""
        key = base_keys.sessions(player)
        self._database.send(key, "ZADD", key, "XX", now, session)

    def remove_session(
        self, player: PlayerId, session: str, failed: Callable[[], None] | None = None
    ) -> None:
        """Delete an ended session without waiting; `failed` is called if that may have failed."""
        key = base_keys.sessions(player)
        self._database.send(key, "ZREM", key, session, failed=failed)

    async def end_session(self, player: PlayerId, session: str) -> None:
        """Delete an ended session."""
        key = base_keys.sessions(player)
        await self._database.write(key, "ZREM", key, session)

    async def sessions(self, players: Iterable[PlayerId]) -> list[list[str]]:
        """Return each player's sessions, including any left behind by dead nodes."""
        return await self._database.ask(
            lambda redis, key: redis.zrange(key, 0, -1), *map(base_keys.sessions, players)
        )


def _recorded(player: PlayerId, kept: str, before: str, unused: int) -> Recorded:
    """Return the outcome of storing a record, given the names after and before it."""
    profile = Profile(player, kept or guest_name(player))
    return Recorded(profile, profile.name != (before or guest_name(player)), bool(unused))


def _session_arguments(
    session: str, now: int, epoch: int, alive: Iterable[str]
) -> tuple[Argument, ...]:
    return session, now, base_keys.SESSION_LIFE_S, keys.MAX_SESSIONS, epoch, " ".join(alive)


def _added(stored: str | list[list[str]], now: int) -> tuple[list[str], list[str]]:
    """Return the sessions and the dropped ones, as in `PlayerStore.add_session`.

    Refused as there.
    """
    if isinstance(stored, str):
        raise refusal_of(int(stored), now)
    if not stored:
        raise Refusal(BaseRefusals.bad_token)
    found, dropped = stored
    return found, dropped


def _is_player(key: str) -> bool:
    return key.partition("{")[0] in {"player:", "history:"}
