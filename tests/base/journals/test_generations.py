"""Appends when the connection breaks, and appends that require the text of the last entry."""

from __future__ import annotations

import asyncio

import pytest

from server.base.core.refusal import UnavailableError
from server.base.journals.store import Append, ConflictError, JournalStore
from server.base.redis.connection import Client
from server.base.redis.database import Database
from tests.base.journals.entries import KEY, PARTITION, now
from tests.base.redis.servers import in_flight, servers_of, until, writes_held_up
from tests.conftest import ALONE
from tests.processes import PATIENCE


@pytest.fixture
def journals(database: Database) -> JournalStore:
    return JournalStore(database)


def append_soon(journals: JournalStore, key: str, number: int) -> asyncio.Future[Exception | None]:
    """Append an entry in the next batch, and return the future of its error or `None`."""
    answer: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()
    generation = journals.generation(key)
    entry = Append(key, number, f"entry {number}")
    assert journals.append_soon(
        entry, now(), generation, lambda error, _: answer.set_result(error), None
    )
    return answer


@ALONE
async def test_pending_appends_fail_when_the_connection_breaks_and_the_next_succeeds(
    redis: Client, journals: JournalStore
) -> None:
    await journals.read(KEY)
    async with writes_held_up(redis):
        first = append_soon(journals, KEY, 1)
        await until(lambda: in_flight(redis, "evalsha"))
        second = append_soon(journals, f"{KEY}2", 1)
        async with servers_of(redis) as servers:
            for server in servers:
                await server.client_kill_filter(_type="normal", skipme=True)
        async with asyncio.timeout(PATIENCE):
            answers = await asyncio.gather(first, second)
    assert [type(answer) for answer in answers] == [UnavailableError, UnavailableError]
    count = len((await journals.read(KEY)).texts)
    async with asyncio.timeout(PATIENCE):
        assert await append_soon(journals, KEY, count + 1) is None


async def test_an_append_can_require_the_text_of_the_entry_before(
    journals: JournalStore,
) -> None:
    await journals.append(Append(KEY, 1, "other", PARTITION), now(), previous="")
    for previous in ("entry 1", "", "othe", "other "):
        with pytest.raises(ConflictError, match=KEY):
            await journals.append(Append(KEY, 2, "entry 2", PARTITION), now(), previous=previous)
    assert (await journals.read(KEY)).texts == ["other"]
    await journals.append(Append(KEY, 2, "entry 2", PARTITION), now(), previous="other")
    assert (await journals.read(KEY)).texts == ["other", "entry 2"]
