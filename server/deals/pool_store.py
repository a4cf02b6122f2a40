"""Storage of the pools: one pool of certified deals per game, the source of dailies.

A pool is a sorted set by difficulty. A member is `<format>.<rules>.<deal>.<sealed>`: the digest of
the deal's certified rules, and its seed and line, sealed for the pool. Members that this release
cannot read, or that a newer release has certified by its own rules, are left alone. Deals with
superseded rules are removed when they are found.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import structlog

from engine.catalog import daily_ruleset, is_known
from server.base.core.days import Level, third
from server.base.core.ids import DealId
from server.base.core.refusal import BaseRefusals, UnreadableError
from server.base.redis.database import Database
from server.base.redis.scripts import Script
from server.base.seals.core.secret_keys import SealError, SecretKeys, sealed_by
from server.deals.core import keys
from server.deals.core.certificate import packed, unpacked

_FORMAT: Final = "1"  # of a member

# Replaces a member and keeps its score, unless it was taken meanwhile.
_REPLACE = Script("""
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not score then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZADD', KEYS[1], score, ARGV[2])
return 1
""")

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class PooledDeal:
    """A certified deal by the rules of a game's dailies that has not been played."""

    id: DealId
    game: str
    seed: bytes  # `SEED_BYTES` random bytes that determine the order of the cards
    rules: str
    winnable: bool  # see `server.deals.core.certificate.Certificate`, also for `par`
    par: int
    line: str  # the moves that prove it (`server.deals.core.certificate.line_of`)
    effort: int  # the solver's effort, comparable within a game

    # Seed and line are secret.
    def __repr__(self) -> str:
        return f"<PooledDeal {self.id}>"


class _Member(NamedTuple):
    """A member of a pool, with its parts and its score."""

    text: str
    form: str
    rules: str
    deal: DealId
    sealed: str
    effort: int


class PoolStore:
    """Stores the pools of all games."""

    def __init__(self, database: Database, secret_keys: SecretKeys) -> None:
        self._database = database
        self._secret_keys = secret_keys

    async def put(self, deal: PooledDeal) -> None:
        """Add a deal to its game's pool."""
        key = keys.pool(deal.game)
        await self._database.write(key, "ZADD", key, deal.effort, self._text(deal))

    async def sizes(self, games: Sequence[str]) -> dict[str, int]:
        """Return the number of deals in each game's pool, in one round trip."""
        found = await self._database.ask(
            lambda redis, key: redis.zcard(key), *map(keys.pool, games)
        )
        return dict(zip(games, found, strict=True))

    async def take(self, game: str, level: Level, *, winnable: bool = False) -> PooledDeal | None:
        """Take a random deal of a level out of a game's pool; `None` if it has none.

        With `winnable`, only deals that can be won are considered. This reads the whole pool, about
        1 KB per deal. If the caller then fails, the deal is lost.

        Raises:
            UnavailableError: a deal may have been taken or not.
        """
        key, unfit = keys.pool(game), set[str]()
        while True:
            members = [each for each in await self._usable(game) if each.text not in unfit]
            if not members:
                return None
            chosen = members[secrets.choice(third(level, len(members)))]
            try:
                deal = self._unseal(game, chosen)
            except SealError as error:
                log.error("pooled_deal_not_opened", deal=chosen.deal, error=str(error))  # noqa: TRY400
                unfit.add(chosen.text)
                continue
            if winnable and not deal.winnable:
                unfit.add(chosen.text)
                continue
            # Otherwise another node has taken it first: choose again.
            if await self._database.write(key, "ZREM", key, chosen.text):
                return deal

    async def count(self, game: str) -> int:
        """Return the number of usable deals in a game's pool."""
        return len(await self._usable(game))

    async def _usable(self, game: str) -> list[_Member]:
        """Return a pool's members for the current rules, easiest first; drop older ones."""
        current, found = daily_ruleset(game).digest, []
        key = keys.pool(game)
        for member in await self._members(game):
            if member.form != _FORMAT:
                log.warning("unknown_format", game=game, form=member.form)
            elif member.rules == current:
                found.append(member)
            # Rules unknown to this release belong to a newer one: leave such deals alone.
            elif is_known(game, member.rules):
                log.warning("pooled_deal_dropped", deal=member.deal, rules=member.rules)
                self._database.send(key, "ZREM", key, member.text)
        return found

    async def read(self, game: str) -> tuple[list[PooledDeal], list[DealId]]:
        """Return the deals of a pool, and the ids of deals that cannot be opened."""
        deals, closed = [], []
        for member in await self._members(game):
            # Members in newer formats are omitted.
            if member.form == _FORMAT:
                try:
                    deals.append(self._unseal(game, member))
                except SealError:
                    closed.append(member.deal)
        return deals, closed

    async def seal(self, game: str) -> tuple[int, int]:
        """Reseal a pool's deals with the current key; return counts of all and of resealed deals.

        Raises:
            UnreadableError: a deal cannot be opened; those before it are sealed.
            UnavailableError: the remaining deals are not sealed.
        """
        count = changed = 0
        wanted = self._secret_keys.sealing
        for member in await self._members(game):
            if member.form != _FORMAT:
                continue
            count += 1
            if sealed_by(member.sealed) != wanted:
                try:
                    text = self._text(self._unseal(game, member))
                except SealError as error:
                    log.error("pooled_deal_not_opened", deal=member.deal, error=str(error))  # noqa: TRY400
                    raise UnreadableError(BaseRefusals.seed_not_opened) from error
                changed += await self._database.run(_REPLACE, [keys.pool(game)], member.text, text)
        return count, changed

    async def _members(self, game: str) -> list[_Member]:
        (rows,) = await self._database.ask(
            lambda redis, key: redis.zrange(key, 0, -1, withscores=True), keys.pool(game)
        )
        return [_member(text, int(score)) for text, score in rows]

    def _text(self, deal: PooledDeal) -> str:
        secret = {
            "seed": deal.seed.hex(),
            "winnable": deal.winnable,
            "par": deal.par,
            "line": deal.line,
        }
        sealed = self._secret_keys.seal(_name(deal.id), packed(json.dumps(secret)))
        return ".".join((_FORMAT, deal.rules, deal.id, sealed))

    def _unseal(self, game: str, member: _Member) -> PooledDeal:
        """Decode and unseal a member, or raise a `SealError` if that is impossible."""
        secret = json.loads(unpacked(self._secret_keys.open(_name(member.deal), member.sealed)))
        return PooledDeal(
            member.deal,
            game,
            bytes.fromhex(secret["seed"]),
            member.rules,
            secret["winnable"],
            secret["par"],
            secret["line"],
            member.effort,
        )


def _member(text: str, effort: int) -> _Member:
    form, _, rest = text.partition(".")
    rules, deal, sealed = (*rest.split(".", 2), "", "", "")[:3]
    return _Member(text, form, rules, DealId(deal), sealed, effort)


def _name(deal_id: DealId) -> str:
    return f"pool {deal_id}"
