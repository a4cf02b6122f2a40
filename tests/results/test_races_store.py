"""What is kept of races: the first decision, and what was taken back."""

from __future__ import annotations

import asyncio

import pytest

from server.base.core.ids import DealId
from server.base.redis.connection import Client
from server.base.redis.database import Database
from server.rooms.core import keys
from server.rooms.races_store import RaceStore, Record
from tests.builders import ADA, BOB, DEAL


@pytest.fixture
def races(database: Database) -> RaceStore:
    return RaceStore(database)


async def test_the_first_decision_stands(races: RaceStore, other_database: Database) -> None:
    assert await races.find(DEAL) is None
    nodes = [races, RaceStore(other_database)]
    found = await asyncio.gather(*(nodes[nth % 2].decide(DEAL, f"{nth}") for nth in range(6)))
    assert len(set(found)) == 1
    assert await races.find(DEAL) == found[0]
    assert await races.find(DealId("dea2000000000000")) is None


async def test_results_are_taken_back_beside_the_decision(races: RaceStore, redis: Client) -> None:
    assert await races.void(DEAL, ADA, "too early") is None
    assert await redis.exists(keys.race(DEAL)) == 0
    await races.decide(DEAL, "{}")
    assert await races.void(DEAL, ADA, "a bot") == Record("{}", frozenset({ADA}))
    await races.void(DEAL, BOB, "another bot")
    assert await races.decide(DEAL, "other") == Record("{}", frozenset({ADA, BOB}))
    assert 0 < await redis.ttl(keys.race(DEAL)) <= keys.RACE_LIFE
