"""Pools: certified deals, each taken once, for one day."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.catalog import catalog, ruleset
from engine.deal import commitment
from engine.schema import STANDARD
from server.base.core.days import DRAWN_AHEAD, DailyId, level_of
from server.base.core.ids import CODE_ALPHABET, RoomCode
from server.base.core.refusal import UnreadableError
from server.base.redis.connection import Client
from server.base.redis.database import Database
from server.base.seals.key_file import add_key, read_keys
from server.deals.core import keys
from server.deals.core.certificate import Certificate
from server.deals.pool_store import PooledDeal, PoolStore
from server.deals.store import DealStore
from tests.conftest import secret_keys
from tests.deals.certified import pooled

GAME = "robert"
KEY = keys.pool(GAME)
DAY = 20_778


@pytest.fixture
def pools(database: Database) -> PoolStore:
    return PoolStore(database, secret_keys())


@pytest.fixture
def deals(database: Database) -> DealStore:
    return DealStore(database, secret_keys())


async def filled(pools: PoolStore, count: int, game: str = GAME) -> list[PooledDeal]:
    made = [pooled(game, effort) for effort in range(count)]
    for deal in reversed(made):
        await pools.put(deal)
    return made


async def members(redis: Client) -> list[str]:
    found: Any = await redis.zrange(KEY, 0, -1)
    return list(found)


async def test_a_deal_is_taken_once_unchanged(pools: PoolStore, other_database: Database) -> None:
    (deal,) = await filled(pools, 1)
    elsewhere = PoolStore(other_database, secret_keys())
    assert (await pools.sizes([GAME, "deuces"])) == {GAME: 1, "deuces": 0}
    taken = await asyncio.gather(*(each.take(GAME, 2) for each in (pools, elsewhere) * 3))
    assert Counter(taken) == {deal: 1, None: 5}
    assert await pools.count(GAME) == 0


async def test_a_level_is_taken_from_its_third(pools: PoolStore) -> None:
    made = await filled(pools, 9)
    for level, efforts in ((1, {0, 1, 2}), (2, {3, 4, 5}), (3, {6, 7, 8})):
        seen: set[int] = set()
        while seen < efforts:
            taken = await pools.take(GAME, level)  # type: ignore[arg-type]
            assert taken is not None
            assert taken == made[taken.effort]
            seen.add(taken.effort)
            await pools.put(taken)
            assert seen <= efforts


async def test_only_deals_that_can_be_won_are_taken_on_request(pools: PoolStore) -> None:
    lost, *_ = await filled(pools, 1)
    assert await pools.take(GAME, 1, winnable=True) is None
    won = replace(pooled(GAME, 9), winnable=True)
    await pools.put(won)
    assert await pools.take(GAME, 1, winnable=True) == won
    assert await pools.take(GAME, 1) == lost


async def test_a_rooms_winnable_deal_leaves_the_deals_of_coming_dailies(
    pools: PoolStore, deals: DealStore, other_database: Database
) -> None:
    for effort in range(DRAWN_AHEAD + 2):
        await pools.put(replace(pooled(GAME, effort), winnable=effort != 0))
    code = RoomCode(CODE_ALPHABET[:5])
    certified = [await deals.draw(GAME, STANDARD, code, winnable=True) for _ in range(3)]
    assert [deal.certificate is not None for deal in certified] == [True, True, False]
    assert await pools.count(GAME) == DRAWN_AHEAD
    for deal in certified:
        stored = await DealStore(other_database, secret_keys()).find(deal.id)
        assert stored == deal
        assert stored.room == code
        assert stored.certificate is None or stored.certificate.winnable


async def test_a_rooms_other_deals_come_from_no_pool(pools: PoolStore, deals: DealStore) -> None:
    await filled(pools, DRAWN_AHEAD + 1)
    code = RoomCode(CODE_ALPHABET[:5])
    await deals.draw(GAME, STANDARD, code)
    await deals.draw("freecell", STANDARD, code, "11982", winnable=True)
    await deals.draw("klondike", "vegas", code, winnable=True)
    assert await pools.count(GAME) == DRAWN_AHEAD + 1


async def test_stored_and_printed_texts_hide_seed_and_line(pools: PoolStore, redis: Client) -> None:
    (deal,) = await filled(pools, 1)
    for text in [repr(deal), f"{deal}", str(await members(redis))]:
        assert deal.id in text
        assert deal.seed.hex() not in text
        assert deal.line not in text
        assert repr(deal.seed)[2:-1] not in text


async def test_deals_of_a_newer_release_are_left_alone(pools: PoolStore, redis: Client) -> None:
    (good,) = await filled(pools, 1)
    await pools.put(replace(pooled(), rules="f" * 16, effort=-1))
    await redis.zadd(KEY, {"2.of a later form": -3})
    assert (await pools.count(GAME), await pools.take(GAME, 1)) == (1, good)
    assert await pools.take(GAME, 1) is None
    later, unknown = await members(redis)
    assert later.startswith("2.")
    assert unknown.startswith(f"1.{'f' * 16}.")


async def test_deals_with_superseded_rules_are_dropped(
    pools: PoolStore, redis: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(pools, 2)
    changed = ruleset("deuces").digest
    monkeypatch.setitem(catalog()._current, (GAME, STANDARD), changed)
    good = replace(pooled("deuces"), game=GAME, rules=changed)
    await pools.put(good)
    assert (await pools.count(GAME), await pools.take(GAME, 3)) == (1, good)
    assert await members(redis) == []


async def test_a_pool_is_resealed_with_a_new_key(
    database: Database, redis: Client, tmp_path: Path
) -> None:
    path = tmp_path / "keys"
    old = add_key(path)
    made = await filled(PoolStore(database, old), 3)
    pools = PoolStore(database, add_key(path))
    await redis.zadd(KEY, {"2.of a later form": -3})
    assert (await pools.seal(GAME), await pools.seal(GAME)) == ((3, 3), (3, 0))
    # Without its line, the pool does not need the old key.
    path.write_text(path.read_text(encoding="ascii").split()[0], encoding="ascii")
    alone = PoolStore(database, read_keys(path))
    assert await alone.read(GAME) == (made, [])
    without = PoolStore(database, old)
    assert await without.read(GAME) == ([], [deal.id for deal in made])
    assert await without.take(GAME, 1) is None
    with pytest.raises(UnreadableError):
        await without.seal(GAME)
    assert await alone.count(GAME) == 3


async def test_lines_are_resealed_alone(database: Database, redis: Client, tmp_path: Path) -> None:
    path = tmp_path / "keys"
    old = add_key(path)
    await filled(PoolStore(database, old), 1)
    deal = await DealStore(database, old).daily(DailyId(GAME, DAY))
    line = (await redis.hgetall(keys.deal(deal.id)))["line"]
    deals = DealStore(database, add_key(path))
    assert await deals.seal(deal.id)
    assert not await deals.seal(deal.id)
    await redis.hset(keys.deal(deal.id), "line", line)
    assert await deals.seal(deal.id)
    assert (await redis.hgetall(keys.deal(deal.id)))["line"] != line
    assert await deals.read(deal.id) == deal


async def test_a_daily_is_taken_from_the_pool_with_its_certificate(
    pools: PoolStore, deals: DealStore, other_database: Database, redis: Client
) -> None:
    (made,) = await filled(pools, 1)
    daily = DailyId(GAME, DAY)
    deal = await deals.daily(daily)
    assert (deal.id, deal.seed, deal.line, deal.day) == (made.id, made.seed, made.line, DAY)
    assert deal.certificate == Certificate(winnable=False, par=made.par, level=level_of(DAY))
    assert deal.commitment == commitment(deal.id, deal.seed)
    assert await DealStore(other_database, secret_keys()).daily(daily) == deal
    fields = str(await redis.hgetall(keys.deal(deal.id)))
    assert made.line not in fields
    assert made.seed.hex() not in fields
    assert 0 < await redis.ttl(keys.deal(deal.id)) <= keys.DEAL_LIFE_S
    later = await deals.daily(DailyId(GAME, DAY + 1))
    assert (later.certificate, later.line) == (None, None), "the pool is empty"
    assert await deals.draw_certified(DailyId(GAME, DAY + 2)) is None


async def test_two_nodes_never_give_two_days_one_seed(
    pools: PoolStore, deals: DealStore, other_database: Database
) -> None:
    """They race for the same days; the loser of a day returns the deal to the pool."""
    days, nodes = (
        [DailyId(GAME, DAY + number) for number in range(8)],
        (deals, DealStore(other_database, secret_keys()), DealStore(other_database, secret_keys())),
    )
    # Enough for all concurrent draws: with an empty pool, a node would draw a deal without a proof.
    made = await filled(pools, len(days) * len(nodes))
    found = await asyncio.gather(*(node.daily(day) for day in days for node in nodes))
    by_day = {deal.day: deal for deal in found}
    assert [deal.id for deal in found] == [by_day[day.day].id for day in days for _ in nodes], (
        "all nodes have the same deal for a day"
    )
    assert len({deal.seed for deal in by_day.values()}) == len(days)
    left, closed = await pools.read(GAME)
    assert closed == []
    taken = {deal.id for deal in by_day.values()}
    assert {deal.id for deal in made} == taken | {deal.id for deal in left}
    assert not taken & {deal.id for deal in left}


async def test_a_losers_deal_is_returned(pools: PoolStore, deals: DealStore, redis: Client) -> None:
    (made,) = await filled(pools, 1)
    first = await deals.daily(DailyId("deuces", DAY))
    # Another node was first.
    await redis.set(keys.daily(DailyId(GAME, DAY)), first.id)
    assert await deals.draw_certified(DailyId(GAME, DAY)) == first.id
    assert (await deals.find(made.id), await pools.read(GAME)) == (None, ([made], []))
    again = await deals.daily(DailyId(GAME, DAY + 1))
    assert (again.id, again.day) == (made.id, DAY + 1)


async def test_a_deal_used_on_a_day_is_not_used_again(pools: PoolStore, deals: DealStore) -> None:
    """A cluster node that has lost its last writes has it in the pool again."""
    (made,) = await filled(pools, 1)
    first = await deals.daily(DailyId(GAME, DAY))
    await pools.put(made)
    other = await deals.daily(DailyId(GAME, DAY + 1))
    assert other.seed != first.seed
    assert other.certificate is None
    assert (await deals.daily(DailyId(GAME, DAY)), await pools.count(GAME)) == (first, 0)


async def test_a_certified_deal_with_a_broken_line_is_read_without_it(
    pools: PoolStore, deals: DealStore, other_database: Database, redis: Client
) -> None:
    await filled(pools, 1)
    deal = await deals.daily(DailyId(GAME, DAY))
    await redis.hset(keys.deal(deal.id), "line", "00000000.broken")
    assert await DealStore(other_database, secret_keys()).find(deal.id) == replace(deal, line=None)
