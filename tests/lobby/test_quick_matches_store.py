"""Storage of quick-match offers, and pairing."""

from __future__ import annotations

import asyncio

import pytest

from server.base.core.ids import RoomCode
from server.base.redis.connection import Client
from server.base.redis.database import Database
from server.lobby.core import keys
from server.lobby.quick_matches_store import QuickMatchStore
from tests.builders import START

A, B, C = RoomCode("AAAAAAAA"), RoomCode("AAAAAAAB"), RoomCode("AAAAA")
LIFE = keys.OFFER_LIFE_S * 1000


@pytest.fixture
def matches(database: Database) -> QuickMatchStore:
    return QuickMatchStore(database)


async def test_the_second_player_gets_the_first_ones_offer(matches: QuickMatchStore) -> None:
    assert await matches.pair("robert", A, START) == A
    assert await matches.pair("deuces", B, START) == B, "another game is another offer"
    assert await matches.pair("robert", C, START) == A
    assert await matches.pair("robert", C, START) == C, "an offer is taken once"


@pytest.mark.parametrize("count", [2, 3, 10])
async def test_at_most_one_of_simultaneous_players_waits(
    matches: QuickMatchStore, other_database: Database, count: int
) -> None:
    nodes = [matches, QuickMatchStore(other_database)]
    codes = [RoomCode(f"AAAAAAA{nth}") for nth in range(count)]
    asked = [nodes[nth % 2].pair("robert", code, START) for nth, code in enumerate(codes)]
    found = await asyncio.gather(*asked)
    sizes = sorted(found.count(code) for code in set(found))
    assert sizes == [1] * (count % 2) + [2] * (count // 2)


async def test_offers_are_renewed_dropped_or_end(matches: QuickMatchStore, redis: Client) -> None:
    await matches.offer("robert", A, START)
    await matches.offer("robert", B, START)
    await matches.offer("robert", A, START + 1)
    assert await matches.pair("robert", C, START + LIFE) == A, "the other offer has expired"
    assert await redis.exists(keys.offers("robert")) == 0
    await matches.offer("robert", A, START)
    await matches.withdraw("robert", A)
    await matches.withdraw("robert", A)
    assert await matches.pair("robert", C, START) == C
    assert 0 < await redis.ttl(keys.offers("robert")) <= keys.OFFER_LIFE_S
