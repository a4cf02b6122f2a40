"""Appends on a broken connection, and appends that require the previous entry's text."""

from __future__ import annotations

import asyncio

import pytest

from server.base.core.refusal import UnavailableError
from server.base.journals.core.entry import ConflictError
from server.base.journals.store import JournalStore
from server.base.redis.connection import Client
from server.base.redis.database import Database
from tests.base.journals.entries import KEY, append, names
from tests.base.redis.servers import in_flight, servers_of, until, writes_held_up
from tests.conftest import ALONE
from tests.processes import PATIENCE


@pytest.fixture
def journals(database: Database) -> JournalStore:
    return JournalStore(database)


@ALONE
async def test_pending_appends_fail_when_the_connection_breaks_and_the_next_succeeds(
    redis: Client, journals: JournalStore
) -> None:
    await journals.read(KEY)
    async with writes_held_up(redis):
        first = append(journals, 1)
        await until(lambda: in_flight(redis, "evalsha"))
        second = append(journals, 1, name=names(1)[0])
        async with servers_of(redis) as servers:
            for server in servers:
                await server.client_kill_filter(_type="normal", skipme=True)
        async with asyncio.timeout(PATIENCE):
            answers = await asyncio.gather(first, second, return_exceptions=True)
    assert [type(answer) for answer in answers] == [UnavailableError, UnavailableError]
    count = len((await journals.read(KEY)).texts)
    async with asyncio.timeout(PATIENCE):
        await append(journals, count + 1)


async def test_an_append_can_require_the_previous_entrys_text(journals: JournalStore) -> None:
    await append(journals, 1, "other")
    for previous in ("entry 1", "othe", "other "):
        with pytest.raises(ConflictError, match=KEY):
            await append(journals, 2, generation=0, previous=previous)
    assert (await journals.read(KEY)).texts == ["other"]
    await append(journals, 2, generation=0, previous="other")
    assert (await journals.read(KEY)).texts == ["other", "entry 2"]
