"""Storage of deals and their secret seeds. A seed is drawn once and used for one deal.

Seeds and lines are stored sealed (`server/base/seals/core/secret_keys.py`), under the deal's name.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from sys import intern
from typing import cast

import structlog

from engine.catalog import daily_variant, ruleset
from engine.deal import SEED_BYTES, commitment
from engine.known import known_deck
from server.base.core import keys as base_keys
from server.base.core.days import DRAWN_AHEAD, LEVELS, DailyId, Level, level_of
from server.base.core.ids import (
    DealId,
    Occasion,
    RoomCode,
)
from server.base.core.refusal import BaseRefusals, UnreadableError
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.base.seals.core.secret_keys import SealError, SecretKeys, sealed_by
from server.base.work.random_text import random_id
from server.deals.core import keys
from server.deals.core.certificate import Certificate, packed, unpacked
from server.deals.pool_store import PooledDeal, PoolStore

MAX_CACHED = 20_000  # deals of 0.6 KB each; the least recently used one is evicted first

# Stores a new deal, unless its id exists.
_KEEP = Script("""
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 2))
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1
""")

# Replaces the sealed fields, unless the deal has expired.
_SEAL = Script("""
if redis.call('HEXISTS', KEYS[1], 'commitment') == 0 then return end
redis.call('HSET', KEYS[1], unpack(ARGV))
""")

# Returns the reservation, or records the showing. This is atomic, so that a deal cannot be reserved
# while it is being shown.
_SHOW = Script("""
if redis.call('HEXISTS', KEYS[1], 'commitment') == 0 then return '' end
local reserved = redis.call('HGET', KEYS[1], 'reserved')
if reserved then return reserved end
redis.call('HSETNX', KEYS[1], 'shown', '')
return ''
""")

# A deal is reserved for one occasion, and only if it was shown to none but its players.
_RESERVE = Script("""
local reserved = redis.call('HGET', KEYS[1], 'reserved')
if redis.call('HEXISTS', KEYS[1], 'commitment') == 0 then return 0 end
if redis.call('HEXISTS', KEYS[1], 'shown') == 1 then return 0 end
if reserved and reserved ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'reserved', ARGV[1], 'until', ARGV[3])
if redis.call('TTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('EXPIRE', KEYS[1], ARGV[2]) end
return 1
""")

# Marks a deal as no longer played on its reserved occasion.
_SETTLE = Script("""
if redis.call('HGET', KEYS[1], 'reserved') == ARGV[1] then
  redis.call('HSET', KEYS[1], 'until', 0)
end
""")

# A reserved deal lives longer than the runs on it in its room, so never shorten its lifetime.
_EXTEND = Script("""
local left = redis.call('TTL', KEYS[1])
if left >= 0 and left < tonumber(ARGV[1]) then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
""")

_FORMAT = "1"  # of a stored deal

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Deal:
    """A deal. Seed and line are secret until the deal is closed, so `repr` omits them."""

    id: DealId
    game: str
    variant: str
    # `SEED_BYTES` random bytes that determine the order of the cards; for a known deal, its deck.
    seed: bytes
    commitment: str  # the public hash of id and seed, in hex
    rules: str
    room: RoomCode | None = None
    day: int | None = None  # the UTC day of its daily, or `None`
    # The proof about it; `None` for deals that were not taken from a pool.
    certificate: Certificate | None = None
    # The moves that prove it (`server.deals.core.certificate.line_of`); `None` without a
    # certificate, or if the stored line cannot be read.
    line: str | None = None
    # Its purpose if it was drawn neither for a room nor for a daily.
    occasion: Occasion | None = None

    @property
    def is_known(self) -> bool:
        """Whether it is a known deal, with given cards."""
        return len(self.seed) != SEED_BYTES

    def __repr__(self) -> str:
        return f"<Deal {self.id}>"


def new_deal(game: str, variant: str, known: str = "") -> Deal:
    """Return a new deal with the current rules, and a seed from the operating system.

    `known` is the known deal to use (`engine.known`), if any.

    Raises:
        EngineError: there is no such game, variant or known deal.
    """
    deal_id = DealId(random_id())
    rules = ruleset(game, variant)
    seed = known_deck(rules, known) if known else secrets.token_bytes(SEED_BYTES)
    return Deal(deal_id, game, variant, seed, commitment(deal_id, seed), rules.digest)


class DealStore:
    """Stores all deals by id, and the deals of dailies. Recently used ones are cached.

    Attributes:
        for_dailies: returns how many deals of a game's pool are reserved for coming dailies.
    """

    def __init__(self, database: Database, secret_keys: SecretKeys) -> None:
        self.for_dailies: Callable[[str], int] = lambda _: DRAWN_AHEAD
        self._database = database
        self._secret_keys = secret_keys
        self._pools = PoolStore(database, secret_keys)
        self._known: OrderedDict[DealId, Deal] = OrderedDict()

    async def draw(
        self, game: str, variant: str, room: RoomCode, known: str = "", *, winnable: bool = False
    ) -> Deal:
        """Draw and store a new deal for a room, as `new_deal` does.

        With `winnable`, it is one of the pool's deals that can be won, of any level, if the variant
        is that of the game's dailies, and the pool has more deals than are reserved.
        """
        if winnable and not known and variant == daily_variant(game):
            pooled = (await self._pools.sizes([game]))[game]
            level = secrets.choice(LEVELS)
            if pooled > self.for_dailies(game) and (
                taken := await self._take_pooled(game, level, room=room, winnable=True)
            ):
                self._remember(taken[1])
                return taken[1]
        # Kept for a day unless it is played.
        return await self._store(replace(new_deal(game, variant, known), room=room))

    async def draw_for(
        self, occasion: Occasion, game: str, variant: str, life: int, level: Level | None
    ) -> Deal:
        """Draw and store a new deal for an occasion; concurrent calls return the same deal.

        `life` is in seconds, and `level` the one to take from the game's pool, if that has one
        and the variant is that of the game's dailies; with `None` the deal has no certificate.

        Raises:
            EngineError: there is no such game or variant.
            UnavailableError: a deal that was taken from the pool is lost.
        """
        key = keys.of_occasion(occasion)
        (known,) = await self._database.ask(lambda redis, key: redis.get(key), key)
        if known is not None and (found := await self.find(DealId(known))) is not None:
            return found
        pooled = None
        if level is not None and variant == daily_variant(game):
            pooled = await self._take_pooled(game, level, life, occasion=occasion)
        if pooled is not None:
            deal = pooled[1]
        else:
            deal = replace(new_deal(game, variant), occasion=occasion)
            await self._keep(deal, life)
        first = DealId(await self._database.keep_first(key, deal.id, keys.OCCASION_LIFE_S))
        if first == deal.id or (found := await self.find(first)) is None:
            self._remember(deal)
            return deal
        await self._discard(deal, None if pooled is None else pooled[0])
        return found

    async def _take_pooled(
        self,
        game: str,
        level: Level,
        life: int | None = None,
        *,
        day: int | None = None,
        occasion: Occasion | None = None,
        room: RoomCode | None = None,
        winnable: bool = False,
    ) -> tuple[PooledDeal, Deal] | None:
        """Take a deal out of a game's pool and store it; `None` if the pool has none left."""
        while (taken := await self._pools.take(game, level, winnable=winnable)) is not None:
            deal = replace(_from_pool(taken, level), day=day, occasion=occasion, room=room)
            if await self._keep(deal, life):
                return taken, deal
            # The deal is in use already: this Redis has lost the removal from the pool.
            log.warning("pooled_deal_dropped", deal=deal.id)
        return None

    async def _discard(self, deal: Deal, taken: PooledDeal | None) -> None:
        """Delete a deal that no player has seen, and return it to the pool it was taken from."""
        key = keys.deal(deal.id)
        # Before it returns to the pool, since its next taker must not find these fields.
        await self._database.write(key, "DEL", key)
        if taken is not None:
            await self._pools.put(taken)

    async def show(self, deal: DealId) -> Occasion | None:
        """Record that a room's deal is shown to a viewer who has not finished an attempt at it.

        If it is reserved, return its occasion instead, whose wing decides which players may see it.
        """
        reserved = await self._database.run(_SHOW, [keys.deal(deal)])
        return Occasion(reserved) if reserved else None

    async def reserve(self, deal: DealId, occasion: Occasion, life: int, until: int) -> bool:
        """Reserve a room's deal for others to play it on an occasion. This is idempotent.

        `life` is the minimum lifetime from now on, in seconds, and `until` the latest end of play
        on the occasion, in Unix milliseconds. Return whether it is now reserved for it: it must
        exist, be shown to none but its players, and not be reserved for another occasion.
        """
        key = keys.deal(deal)
        return bool(await self._database.run(_RESERVE, [key], occasion, life, until))

    async def settle(self, deal: DealId, occasion: Occasion) -> None:
        """Record that a room's deal can no longer be played on its reserved occasion."""
        await self._database.run(_SETTLE, [keys.deal(deal)], occasion)

    async def reserved(self, deals: Sequence[DealId], now: int) -> dict[DealId, Occasion]:
        """Return the occasions on which some rooms' deals can be played now, in one round trip.

        `now` is in Unix milliseconds.
        """
        found = await self._database.ask(
            lambda redis, key: redis.hmget(key, "reserved", "until"), *map(keys.deal, deals)
        )
        return {
            deal: Occasion(occasion)
            for deal, (occasion, until) in zip(deals, found, strict=True)
            if occasion is not None and now < int(until or 0)
        }

    async def occasion_of(self, deal_id: DealId) -> Occasion | None:
        """Return the occasion that a deal was drawn or reserved for, or `None`."""
        deal = await self.find(deal_id)
        if deal is None or deal.occasion is not None or deal.room is None:
            return deal.occasion if deal is not None else None
        (reserved,) = await self._database.ask(
            lambda redis, key: redis.hget(key, "reserved"), keys.deal(deal_id)
        )
        return None if reserved is None else Occasion(reserved)

    async def extend(self, deal: DealId, days: int, journal: str) -> None:
        """Extend the lifetime of a round's deal when a player starts playing it.

        Runs on it are kept for `days` days. `journal` is the key of another run to keep as well, if
        it exists.
        """
        life = (days + keys.PLAYED_DEAL_DAYS) * base_keys.DAY_SECONDS
        await asyncio.gather(
            self._database.run(_EXTEND, [keys.deal(deal)], life),
            self._database.write(journal, "EXPIRE", journal, life),
        )

    async def find(self, deal_id: DealId) -> Deal | None:
        """Return a deal, or `None` if there is no deal with this id.

        Raises:
            UnreadableError: a newer release drew it in an unknown format, or its seed cannot be
                opened.
        """
        known = self._known.get(deal_id)
        if known is not None:
            self._known.move_to_end(deal_id)
            return known
        fields = await self._read(deal_id)
        if not fields:
            return None
        deal = self._deal(deal_id, fields)
        if not self._is_sealed(fields):
            key = keys.deal(deal_id)
            # Without waiting: if the write is lost, the next read reseals the deal.
            self._database.send(key, *_SEAL.call([key], *_pairs(self._sealed(deal))))
        self._remember(deal)
        return deal

    async def read(self, deal_id: DealId) -> Deal | None:
        """Read a deal from the store, without caching or resealing it."""
        fields = await self._read(deal_id)
        return self._deal(deal_id, fields) if fields else None

    async def seal(self, deal_id: DealId) -> bool:
        """Reseal a deal's seed with the current key; return whether that was necessary."""
        fields = await self._read(deal_id)
        if not fields or self._is_sealed(fields):
            return False
        sealed = self._sealed(self._deal(deal_id, fields))
        await self._database.run(_SEAL, [keys.deal(deal_id)], *_pairs(sealed))
        return True

    def forget(self) -> None:
        """Empty the cache, so that deals are read again, and resealed if necessary."""
        self._known.clear()

    async def _read(self, deal_id: DealId) -> dict[str, str]:
        (fields,) = await self._database.ask(
            lambda redis, key: redis.hgetall(key), keys.deal(deal_id)
        )
        return dict(fields)

    def _deal(self, deal_id: DealId, fields: dict[str, str]) -> Deal:
        """Decode a deal's stored fields. Raises as `_seed` does."""
        return Deal(
            deal_id,
            intern(fields["game"]),
            intern(fields["variant"]),
            self._seed(deal_id, fields),
            fields["commitment"],
            intern(fields["rules"]),
            RoomCode(fields["room"]) if "room" in fields else None,
            int(fields["day"]) if "day" in fields else None,
            _certificate(fields),
            self._line(deal_id, fields),
            Occasion(fields["occasion"]) if "occasion" in fields else None,
        )

    def _seed(self, deal_id: DealId, fields: dict[str, str]) -> bytes:
        """Unseal the seed in a deal's stored fields, and verify its commitment.

        Raises:
            UnreadableError: the format is unknown, or the seed cannot be opened or does not match.
        """
        if fields["format"] != _FORMAT:
            log.warning("unknown_format", deal=deal_id, form=fields["format"])
            raise UnreadableError(BaseRefusals.unknown_format)
        try:
            seed = self._secret_keys.open(_name(deal_id), fields["sealed"])
        except SealError as error:
            raise _seed_error(deal_id, str(error)) from error
        if commitment(deal_id, seed) != fields["commitment"]:
            raise _seed_error(deal_id, "It does not match its commitment.")
        return seed

    def _line(self, deal_id: DealId, fields: dict[str, str]) -> str | None:
        """Unseal the line in a deal's stored fields; `None` if it is missing or unreadable."""
        if "line" not in fields:
            return None
        try:
            return unpacked(self._secret_keys.open(_line_name(deal_id), fields["line"]))
        except (SealError, ValueError) as error:
            # The deal can be played without it.
            log.error("line_not_opened", deal=deal_id, error=str(error))  # noqa: TRY400
            return None

    def _is_sealed(self, fields: dict[str, str]) -> bool:
        """Return whether a deal's stored seed and line are sealed with the current key."""
        sealed = fields["sealed"]
        by = {sealed_by(sealed), sealed_by(fields.get("line", sealed))}
        return by == {self._secret_keys.sealing}

    def _sealed(self, deal: Deal) -> dict[str, str]:
        sealed = self._secret_keys.seal(_name(deal.id), deal.seed)
        return {"sealed": sealed, **self._sealed_line(deal)}

    def _sealed_line(self, deal: Deal) -> dict[str, str]:
        if deal.line is None:
            return {}
        return {"line": self._secret_keys.seal(_line_name(deal.id), packed(deal.line))}

    async def daily(self, daily: DailyId) -> Deal:
        """Return the deal of a daily, drawing it first if no node has.

        It is taken from the game's pool, or drawn without a certificate if the pool is empty.
        """
        found = (await self.daily_ids([daily])).get(daily) or await self.draw_certified(daily)
        if found is None:
            new = new_deal(daily.game, daily_variant(daily.game))
            drawn = await self._store(replace(new, day=daily.day))
            found = await self._keep_first(daily, drawn.id)
        deal = await self.find(found)
        assert deal is not None, "a deal is stored before its id is set as the daily's"
        return deal

    async def draw_certified(self, daily: DailyId) -> DealId | None:
        """Draw a daily from the pool, with the day's level, unless another node has.

        Return the id of the daily's deal, which may be another node's, or `None` if the pool is
        empty.

        Raises:
            UnavailableError: the daily may have been drawn or not. If not, the deal taken from the
                pool is
            lost, since that is unknown.
        """
        pooled = await self._take_pooled(daily.game, level_of(daily.day), day=daily.day)
        if pooled is None:
            return None
        taken, deal = pooled
        found = await self._keep_first(daily, deal.id)
        if found != deal.id:
            await self._discard(deal, taken)
        return found

    async def _keep_first(self, daily: DailyId, deal_id: DealId) -> DealId:
        """Set the id of a daily's deal unless another node has, and return the stored id."""
        key = keys.daily(daily)
        return DealId(await self._database.keep_first(key, deal_id, keys.DEAL_LIFE_S))

    async def dailies(self, dailies: Sequence[DailyId]) -> list[Deal]:
        """Return the deals of some dailies, drawing the missing ones first."""
        # Read on every call, since Redis may lose recent writes; the deals are cached.
        ids = await self.daily_ids(dailies)
        known = [self._known.get(ids[daily]) if daily in ids else None for daily in dailies]
        if None not in known:
            # All deals are cached, so no further round trip is necessary.
            return [deal for deal in known if deal is not None]
        return await asyncio.gather(*map(self.daily, dailies))

    async def daily_ids(self, dailies: Sequence[DailyId]) -> dict[DailyId, DealId]:
        """Return the ids of the deals of some dailies, as far as they have been drawn."""
        found = await self._database.ask(
            lambda redis, key: redis.get(key), *map(keys.daily, dailies)
        )
        return {daily: DealId(id_) for daily, id_ in zip(dailies, found, strict=True) if id_}

    async def _store(self, deal: Deal, life: int | None = None) -> Deal:
        await self._keep(deal, life)
        self._remember(deal)
        return deal

    async def _keep(self, deal: Deal, life: int | None = None) -> bool:
        """Store a deal unless its id exists, and return whether it was stored.

        `life` is in seconds; `None` means the default of a daily or a room.
        """
        fields = {
            "format": _FORMAT,
            "game": deal.game,
            "variant": deal.variant,
            "commitment": deal.commitment,
            "rules": deal.rules,
            **self._sealed(deal),
        }
        if deal.room is not None:
            fields["room"] = deal.room
        if deal.day is not None:
            fields["day"] = str(deal.day)
        if deal.certificate is not None:
            fields["winnable"] = str(int(deal.certificate.winnable))
            fields["par"] = str(deal.certificate.par)
            fields["level"] = str(deal.certificate.level)
        if deal.occasion is not None:
            fields["occasion"] = deal.occasion
        if deal.is_known:
            # Its cards are public, so it cannot be reserved.
            fields["shown"] = ""
        if life is None:
            life = keys.DEAL_LIFE_S if deal.room is None else keys.UNPLAYED_DEAL_LIFE_S
        return bool(await self._database.run(_KEEP, [keys.deal(deal.id)], life, *_pairs(fields)))

    def _remember(self, deal: Deal) -> None:
        self._known[deal.id] = deal
        if len(self._known) > MAX_CACHED:
            self._known.popitem(last=False)


def _from_pool(taken: PooledDeal, level: Level) -> Deal:
    return Deal(
        taken.id,
        taken.game,
        daily_variant(taken.game),
        taken.seed,
        commitment(taken.id, taken.seed),
        taken.rules,
        certificate=Certificate(taken.winnable, taken.par, level),
        line=taken.line,
    )


def _certificate(fields: dict[str, str]) -> Certificate | None:
    if "par" not in fields:
        return None
    level = cast("Level", int(fields["level"]))
    return Certificate(fields["winnable"] == "1", int(fields["par"]), level)


def _pairs(fields: dict[str, str]) -> list[str]:
    """Return alternating names and values, as Redis commands take them."""
    return [text for pair in fields.items() for text in pair]


def _seed_error(deal_id: DealId, error: str) -> UnreadableError:
    """Log that a deal's seed cannot be opened, with advice, and return the error to raise."""
    log.error(
        "seed_not_opened",
        deal=deal_id,
        error=error,
        set_aside="This deal and its runs are refused, but kept unchanged.",
        advice="Give the node the file of secret keys that has the key, from your copy, and "
        "restart it. If it has the key, the deal was changed in the store: restore a backup.",
    )
    return UnreadableError(BaseRefusals.seed_not_opened)


def _name(deal_id: DealId) -> str:
    return f"seed {deal_id}"


def _line_name(deal_id: DealId) -> str:
    return f"line {deal_id}"
