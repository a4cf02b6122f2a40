"""Deals: drawn once, stored, and cached."""

from __future__ import annotations

import asyncio

import pytest

from engine.catalog import ruleset
from engine.deal import SEED_BYTES, commitment
from server.base.core.days import DailyId
from server.base.core.ids import CODE_ALPHABET, DealId, RoomCode, is_id
from server.base.redis.connection import Client
from server.base.redis.database import Database
from server.base.work.random_text import random_id
from server.deals import store as module
from server.deals.core import keys
from server.deals.store import DealStore
from tests.conftest import client_of, secret_keys
from tests.redis_servers import running_server

CODE = RoomCode(CODE_ALPHABET[:5])
ROBERT = DailyId("robert", 20_778)


@pytest.fixture
def deals(database: Database) -> DealStore:
    return DealStore(database, secret_keys())


async def test_every_node_finds_a_deal_as_drawn(deals: DealStore, other_database: Database) -> None:
    of_room = await deals.draw("deuces", "strict", CODE)
    of_day = await deals.daily(DailyId("deuces", 20_778))
    assert (of_room.game, of_room.variant) == ("deuces", "strict")
    assert (of_room.room, of_room.day) == (CODE, None)
    assert (of_day.game, of_day.variant) == ("deuces", "standard")
    assert (of_day.room, of_day.day) == (None, 20_778)
    for drawn in (of_room, of_day):
        assert is_id(drawn.id)
        assert len(drawn.seed) == SEED_BYTES
        assert drawn.commitment == commitment(drawn.id, drawn.seed)
        assert drawn.rules == ruleset(drawn.game, drawn.variant).digest
        for node in (deals, DealStore(other_database, secret_keys())):
            assert (await node.find(drawn.id), await node.find(drawn.id)) == (drawn, drawn)


async def test_every_deal_has_its_own_id_and_seed(deals: DealStore) -> None:
    drawn = [await deals.draw("robert", "standard", CODE) for _ in range(20)]
    assert len({deal.id for deal in drawn}) == len({deal.seed for deal in drawn}) == 20


async def test_a_missing_deal_is_not_found(deals: DealStore) -> None:
    assert await deals.find(DealId(random_id())) is None


async def test_the_repr_of_a_deal_does_not_contain_its_seed(deals: DealStore) -> None:
    deal = await deals.draw("robert", "standard", CODE)
    for text in (repr(deal), str(deal), f"{deal}", repr([deal])):
        assert deal.id in text
        assert deal.seed.hex() not in text
        assert repr(deal.seed)[2:-1] not in text


async def test_a_daily_and_its_deal_expire(redis: Client, deals: DealStore) -> None:
    deal = await deals.daily(ROBERT)
    for key in (keys.daily(ROBERT), keys.deal(deal.id)):
        assert 0 < await redis.ttl(key) <= keys.DEAL_LIFE_S


async def test_two_racing_nodes_draw_one_daily(deals: DealStore, other_database: Database) -> None:
    nodes = (
        deals,
        DealStore(other_database, secret_keys()),
        DealStore(other_database, secret_keys()),
    )
    for day in range(10):
        found = await asyncio.gather(
            *(node.daily(DailyId("robert", day)) for node in nodes for _ in range(3))
        )
        assert (len({deal.seed for deal in found}), found[0].day) == (1, day)
        assert await nodes[1].daily(DailyId("robert", day)) == found[0]


async def test_each_game_and_day_has_its_own_deal(deals: DealStore) -> None:
    dailies = [DailyId(game, day) for game in ("robert", "deuces") for day in (7, 8)]
    found = {daily: (await deals.daily(daily)).id for daily in dailies}
    assert len(set(found.values())) == 4
    assert await deals.daily_ids([DailyId("roosevelt", 7), *dailies]) == found
    assert await deals.daily_ids([DailyId("robert", 9)]) == {}


async def test_a_daily_survives_a_kill_of_redis() -> None:
    with running_server() as server:
        async with client_of(server.url) as redis:
            drawn = await DealStore(Database(redis), secret_keys()).daily(ROBERT)
        server.kill()
        server.start()
        async with client_of(server.url) as redis:
            assert await DealStore(Database(redis), secret_keys()).daily(ROBERT) == drawn


async def test_the_cache_evicts_the_least_recently_used_deal(
    deals: DealStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_CACHED", 3)
    drawn = [await deals.draw("robert", "standard", CODE) for _ in range(8)]
    for deal in drawn * 2:
        assert await deals.find(deal.id) == deal
        assert len(deals._known) <= 3
    first, *others = drawn[5:]
    for deal in (*others, first):
        await deals.find(deal.id)
    await deals.draw("robert", "standard", CODE)
    assert first.id in deals._known, "it was used last"


async def test_a_cached_deal_is_not_read_again(redis: Client, deals: DealStore) -> None:
    drawn = await deals.draw("robert", "standard", CODE)
    await redis.delete(keys.deal(drawn.id))
    assert await deals.find(drawn.id) == drawn


async def test_a_daily_lost_by_the_store_is_drawn_again(
    redis: Client, deals: DealStore, other_database: Database
) -> None:
    dailies = [ROBERT, DailyId("deuces", ROBERT.day)]
    found = await deals.dailies(dailies)
    assert [(deal.game, deal.day) for deal in found] == dailies
    assert await DealStore(other_database, secret_keys()).dailies(dailies) == found
    assert await deals.dailies(dailies) == found
    # A store that has lost its last writes has lost the deal and its id.
    await redis.delete(keys.deal(found[0].id))
    await redis.delete(keys.daily(ROBERT))
    anew = await deals.dailies(dailies)
    assert anew[0] != found[0]
    assert anew[1] == found[1]
