"""The store of quotas, compared with a model."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.base.core import keys
from server.base.core.quota import Charge
from server.base.quotas.store import QuotaStore
from server.base.redis.connection import Client
from server.base.redis.database import Database
from tests.builders import START
from tests.conftest import ALONE
from tests.sizes import cases

A, B = "place of one", "place of two"


@pytest.fixture
def quotas(database: Database) -> QuotaStore:
    return QuotaStore(database)


async def test_a_charge_counts_until_it_expires(quotas: QuotaStore, redis: Client) -> None:
    assert await quotas.charge(A, START, {START + 10: 5, START + 20: 7}) == (True, 12, 0)
    assert await quotas.charge(B, START, {}) == (True, 0, 0), "each address has its own quota"
    assert await quotas.charge(A, START + 9, {}) == (True, 12, START + 10)
    assert await quotas.charge(A, START + 10, {}) == (True, 7, START + 20)
    assert await redis.hgetall(keys.quota(A)) == {str(START + 20): "7"}
    assert await quotas.charge(A, START + 20, {}) == (True, 0, 0)
    assert not await redis.exists(keys.quota(A), keys.quota(B))


async def test_a_refused_charge_is_not_counted(quotas: QuotaStore) -> None:
    assert await quotas.charge(A, START, {START + 10: 6}, most=10) == (True, 6, 0)
    assert await quotas.charge(A, START, {START + 20: 5}, most=10) == (False, 6, START + 10)
    assert await quotas.charge(A, START, {START + 20: 4}, most=10) == (True, 10, START + 10)
    assert await quotas.charge(A, START, {START + 20: 9}) == (True, 19, START + 10)
    assert await quotas.charge(A, START, {}, most=10) == (False, 19, START + 10)
    assert await quotas.charge(A, START, {START + 20: -13}) == (True, 6, START + 10)
    assert await quotas.charge(A, START + 10, {START + 20: 9}, most=10) == (True, 9, START + 20)


async def test_the_count_expires_with_the_last_charge(quotas: QuotaStore, redis: Client) -> None:
    await quotas.charge(A, START, {START + 90_000_000: 5, START + 50_000: 1})
    await quotas.charge(A, START, {START + 20_000: 1})
    seconds, micros = await redis.time()
    expires = seconds * 1000 + micros // 1000 + await redis.pttl(keys.quota(A))
    assert abs(expires - START - 90_000_000) < 5_000


async def test_concurrent_charges_are_accepted_only_within_the_quota(
    quotas: QuotaStore, other_database: Database
) -> None:
    nodes = [quotas, QuotaStore(other_database)]
    found = await asyncio.gather(
        *(nodes[nth % 2].charge(A, START, {START + 10: 3}, most=30) for nth in range(40))
    )
    assert sum(each.accepted for each in found) == 10


charges = st.tuples(
    st.integers(0, 40), st.integers(1, 60), st.integers(1, 50), st.none() | st.integers(0, 200)
)


@ALONE
@settings(deadline=None, max_examples=cases(10, 40), suppress_health_check=list(HealthCheck))
@given(steps=st.lists(charges, max_size=20))
async def test_the_store_counts_as_the_model_does(
    quotas: QuotaStore, redis: Client, steps: list[tuple[int, int, int, int | None]]
) -> None:
    await redis.delete(keys.quota(A))
    now, stored = START, list[tuple[int, int]]()
    for passed, life, size, most in steps:
        now += passed
        stored = [(until, each) for until, each in stored if until > now]
        used = sum(each for _, each in stored)
        first = min((until for until, _ in stored), default=0)
        fits = most is None or used + size <= most
        if fits:
            stored.append((now + life, size))
        found = await quotas.charge(A, now, {now + life: size}, most)
        assert found == Charge(fits, used + size * fits, first)
