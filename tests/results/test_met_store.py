"""Storage of players' opponents in races."""

from __future__ import annotations

import pytest

from server.base.core.ids import PlayerId
from server.base.redis.connection import Client
from server.base.redis.database import Database
from server.players.core import keys as players_keys
from server.results.core import keys as results_keys
from server.results.met_store import MetStore
from tests.builders import ADA, BOB, CYD, START


@pytest.fixture
def met(database: Database) -> MetStore:
    return MetStore(database)


async def test_the_latest_opponents_are_kept(met: MetStore, redis: Client) -> None:
    await met.add(ADA, [BOB], START + 1)
    await met.add(ADA, [CYD], START)
    assert await met.read(ADA) == [BOB, CYD]
    # A race recorded late does not move an opponent back.
    await met.add(ADA, [BOB, CYD], START - 1)
    assert await met.read(ADA) == [BOB, CYD]
    others = [PlayerId(f"{number:016}") for number in range(results_keys.MAX_MET)]
    for number, each in enumerate(others):
        await met.add(ADA, [each], START + 2 + number)
    assert (await met.read(ADA), await met.read(BOB)) == (others[::-1], [])
    assert 0 < await redis.ttl(results_keys.met(ADA)) <= players_keys.PLAYER_LIFE_S
