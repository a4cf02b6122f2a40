"""Records of races: the first decision, and voided results."""

from __future__ import annotations

import asyncio

import pytest

from server.base.core.ids import DealId
from server.base.redis.connection import Client
from server.base.redis.database import Database
from server.rooms.core import keys
from server.rooms.race_records_store import RaceRecord, RaceRecordStore
from tests.builders import ADA, BOB, DEAL


@pytest.fixture
def records(database: Database) -> RaceRecordStore:
    return RaceRecordStore(database)


async def test_first_decisions_stand(records: RaceRecordStore, other_database: Database) -> None:
    assert await records.find(DEAL) is None
    nodes = [records, RaceRecordStore(other_database)]
    found = await asyncio.gather(*(nodes[nth % 2].decide(DEAL, f"{nth}") for nth in range(6)))
    assert len(set(found)) == 1
    assert await records.find(DEAL) == found[0]
    assert await records.find(DealId("dea2000000000000")) is None


async def test_voiding_keeps_the_decision(records: RaceRecordStore, redis: Client) -> None:
    assert await records.void(DEAL, ADA, "too early") is None
    assert await redis.exists(keys.race(DEAL)) == 0
    await records.decide(DEAL, "{}")
    assert await records.void(DEAL, ADA, "a bot") == RaceRecord("{}", frozenset({ADA}))
    await records.void(DEAL, BOB, "another bot")
    assert await records.decide(DEAL, "other") == RaceRecord("{}", frozenset({ADA, BOB}))
    assert 0 < await redis.ttl(keys.race(DEAL)) <= keys.RACE_LIFE_S
