"""The database: writes are sent in batches, and answered when they are stored."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from typing import Any

import pytest
from redis.asyncio import Redis

from server.base.core.refusal import UnavailableError, UnsuitableError
from server.base.journals import store as journals_store
from server.base.journals.store import JournalStore
from server.base.redis import database as module
from server.base.redis import pipeline
from server.base.redis.connection import Client, connect
from server.base.redis.database import Database
from server.base.work.pacing import PER_PASS
from server.play.core import keys
from tests.base.journals.entries import FORMS, PARTITION, append, names, names_in, texts
from tests.base.redis.servers import (
    database_alone,
    database_at,
    in_flight,
    most_resumed,
    reads,
    until,
    until_equal,
    writes_held_up,
)
from tests.base.redis.test_pipeline import replicated
from tests.conftest import ALONE, client_of
from tests.processes import PATIENCE
from tests.redis_servers import Server

__all__ = ["replicated"]


@pytest.fixture
def journals(database: Database) -> JournalStore:
    return JournalStore(database)


APPENDED = int
"""The result type of a stored append."""


async def outcomes(appends: Iterable[Awaitable[int]]) -> list[type]:
    """Await appends, and return the types of their errors or results."""
    async with asyncio.timeout(PATIENCE):
        done = await asyncio.gather(*appends, return_exceptions=True)
    return [type(outcome) for outcome in done]


async def test_appends_of_one_loop_turn_are_sent_in_one_batch(
    redis: Client, journals: JournalStore
) -> None:
    await append(journals, 1)
    before = await reads(redis)
    await asyncio.gather(*(append(journals, 1, name=name) for name in names(100)))
    assert await reads(redis) - before < 40
    for name in names(100):
        assert await texts(journals, keys.attempt(name)) == ["entry 1"]


async def test_an_unencodable_append_fails_without_affecting_the_next(
    journals: JournalStore,
) -> None:
    await append(journals, 1)
    assert await outcomes([append(journals, 2, "\ud800")]) == [UnavailableError]
    assert await outcomes([append(journals, 2)]) == [APPENDED]
    assert await texts(journals) == ["entry 1", "entry 2"]


async def test_tasks_waiting_for_one_batch_are_resumed_a_few_per_pass_of_the_loop(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "resumed"
    # More are resumed after a long pass, as on a busy machine.
    monkeypatch.setattr(database.pacer, "_clock", lambda: 1.0)
    # The first read opens the connection.
    await database.ask(lambda redis, name: redis.exists(name), key)
    commands: list[Callable[[], Awaitable[object]]] = [
        lambda: database.read_batched(key, "EXISTS", key),
        lambda: database.ask(lambda redis, name: redis.exists(name), key),
    ]
    assert await most_resumed(commands[n % 2]() for n in range(20 * PER_PASS)) == PER_PASS


async def test_a_write_to_a_full_queue_is_refused_immediately(
    redis: Client, journals: JournalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals_store, "_MAX_BATCH", 1)
    monkeypatch.setattr(pipeline, "MAX_WAITING", 3)
    async with writes_held_up(redis):
        tasks = [append(journals, 1)]
        await until(lambda: in_flight(redis, "evalsha"))
        tasks += [append(journals, 1, name=name) for name in names_in(PARTITION, 2)]
        await redis.ping()
        with pytest.raises(UnavailableError, match="too many"):
            await append(journals, 2)
    assert await outcomes(tasks) == [APPENDED] * 3
    await append(journals, 2)


async def test_closing_waits_for_pending_writes(
    redis: Client, other_database: Database, journals: JournalStore
) -> None:
    closed = JournalStore(other_database)
    async with writes_held_up(redis):
        task = append(closed, 1)
        await until(lambda: in_flight(redis, "evalsha"))
        closing = asyncio.create_task(other_database.close())
        await redis.ping()
        assert not closing.done()
    await closing
    await task
    assert await texts(journals) == ["entry 1"]


async def test_two_nodes_storing_a_first_value_get_the_same_one(
    redis: Client, database: Database, other_database: Database
) -> None:
    for number in range(20):
        key = f"first:{{{number}}}"
        kept = await asyncio.gather(
            *(
                each.keep_first(key, name, 60)
                for each, name in ((database, "a"), (other_database, "b")) * 3
            )
        )
        assert len(set(kept)) == 1
        assert kept[0] == await redis.get(key)
        assert 0 < await redis.ttl(key) <= 60
        assert await database.keep_first(key, "c") == kept[0]


async def test_acknowledged_appends_survive_a_kill_of_redis() -> None:
    async with database_alone() as (server, database):
        journals = JournalStore(database)
        await append(journals, 1)
        async with client_of(server.admin_url) as operator, writes_held_up(operator):
            lost = append(journals, 2, "in flight")
            await until(lambda: in_flight(operator, "evalsha"))
            late = append(journals, 2, "waiting")
            server.kill()
            assert await outcomes([lost, late]) == [UnavailableError] * 2
            with pytest.raises(UnavailableError):
                await append(journals, 2)
            with pytest.raises(UnavailableError):
                await texts(journals)
        server.start()
        assert await texts(journals) == ["entry 1"]
        await append(journals, 2)
        assert await texts(journals) == ["entry 1", "entry 2"]


@ALONE
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("setting", "message"),
    [("maxmemory", "OutOfMemory|OOM"), ("min-replicas-to-write", "NOREPLICAS")],
)
async def test_a_redis_refusing_writes_is_unavailable_until_it_accepts_them(
    redis: Redis, journals: JournalStore, form: dict[str, Any], setting: str, message: str
) -> None:
    await append(journals, 1)
    await redis.config_set(setting, 1)
    try:
        with pytest.raises(UnavailableError, match=message):
            await append(journals, 2, **form)
        assert await texts(journals) == ["entry 1"]
    finally:
        await redis.config_set(setting, 0)
    await append(journals, 2, **form)
    assert await texts(journals) == ["entry 1", "entry 2"]


async def test_a_redis_unable_to_save_is_unavailable_until_it_can() -> None:
    async with database_alone() as (server, database), client_of(server.admin_url) as redis:
        journals = JournalStore(database)

        async def status() -> object:
            return (await redis.info("persistence"))["rdb_last_bgsave_status"]

        await append(journals, 1)
        # A file cannot take the place of a folder.
        (server.data / "dump.rdb").mkdir()
        await redis.config_set("save", "3600 1")
        await redis.bgsave()
        await until_equal(status, "err")
        with pytest.raises(UnavailableError, match="MISCONF"):
            await append(journals, 2)
        (server.data / "dump.rdb").rmdir()
        await redis.bgsave()
        await until_equal(status, "ok")
        await append(journals, 2)
        assert await texts(journals) == ["entry 1", "entry 2"]


async def test_a_loading_redis_is_unavailable_until_it_is_done() -> None:
    # While it loads, it serves clients after each 1,024 commands of the file, and a client needs
    # several such turns to connect and send its command.
    async with database_alone(**{"key-load-delay": "20"}) as (server, database):
        journals = JournalStore(database)
        await append(journals, 1)
        with server.client() as operator, operator.pipeline(transaction=False) as batch:
            for number in range(30_000):
                batch.set(f"filler {number}", "")
            batch.execute()
        server.kill()
        starting = asyncio.create_task(asyncio.to_thread(server.start))
        reasons = await reasons_until_appended(journals, 2)
        await starting
        assert await texts(journals) == ["entry 1", "entry 2"]
    assert any("loading" in reason.lower() for reason in reasons), set(reasons)


async def reasons_until_appended(journals: JournalStore, number: int) -> list[str]:
    """Retry an append until it is stored, and return the messages of the failures before."""
    reasons: list[str] = []
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                await append(journals, number)
            except UnavailableError as error:
                reasons.append(str(error))
                await asyncio.sleep(0.002)
            else:
                return reasons


@pytest.mark.usefixtures("quick_redis")
async def test_a_hung_redis_is_unavailable_until_it_resumes() -> None:
    async with database_alone() as (server, database):
        journals = JournalStore(database)
        await append(journals, 1)
        server.signal(SIGSTOP)
        try:
            tasks = [append(journals, 1, name=name) for name in names(50)]
            assert await outcomes(tasks) == [UnavailableError] * 50
            with pytest.raises(UnavailableError):
                await texts(journals)
        finally:
            server.signal(SIGCONT)
        await append(journals, 2)
        assert await texts(journals) == ["entry 1", "entry 2"]


@pytest.mark.parametrize("acks", [1, 0])
async def test_an_acknowledged_append_is_on_the_required_number_of_replicas(
    replicated: tuple[Server, Server], acks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    master, replica = replicated
    name, another = names_in(acks, 2)
    key = keys.attempt(name)
    database, other = (Database(connect(master.url), acks) for _ in range(2))
    journals, elsewhere = JournalStore(database), JournalStore(other)
    await until(lambda: replica.ask("ROLE")[3] == "connected")
    await append(journals, 1, name=name)
    if acks:
        assert replica.ask("XLEN", key) == 1
    # Redis promises to wait only for a connection's own writes: here, only before entry 2.
    assert await texts(elsewhere, key) == ["entry 1"]
    monkeypatch.setattr(pipeline, "ACKNOWLEDGED_WITHIN", 0.2)
    replica.signal(SIGSTOP)
    try:
        tasks = [append(journals, 2, name=name), append(journals, 1, name=another)]
        expected = UnavailableError if acks else APPENDED
        assert await outcomes(tasks) == [expected] * 2
        if acks:
            # The entry may be stored or not, but no reader may get it.
            for node in (journals, elsewhere):
                for read in (node.read(key), node.read_on(key, 1, "entry 1")):
                    with pytest.raises(UnavailableError, match="0 replicas"):
                        await read
            with pytest.raises(UnavailableError):
                await database.keep_first(f"first:{name}", "value")
    finally:
        replica.signal(SIGCONT)
    monkeypatch.setattr(pipeline, "ACKNOWLEDGED_WITHIN", PATIENCE)
    assert await texts(journals, key) == ["entry 1", "entry 2"]
    await append(journals, 3, name=name)
    if acks:
        assert replica.ask("XLEN", key) == 3
    await database.close()
    await other.close()


async def test_an_outdated_redis_is_refused(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    await database.check()
    monkeypatch.setattr(module, "MIN_VERSION", (99, 1))
    with pytest.raises(UnsuitableError, match=r"This is Redis \d.*; 99\.1 or newer is needed\."):
        await database.check()


async def test_an_unreachable_redis_is_unavailable_and_not_unsuitable(tmp_path: Path) -> None:
    async with database_at(f"unix://{tmp_path}/none.sock") as database:
        with pytest.raises(UnavailableError):
            await database.check()


async def test_a_write_after_close_opens_no_connection(database: Database) -> None:
    """It would prevent the event loop from closing."""
    await database.write("a", "SET", "a", "1")
    await database.close()
    failed: list[str] = []
    database.send("a", "PUBLISH", "a", "", failed=lambda: failed.append("a"))
    with pytest.raises(UnavailableError):
        await database.write("a", "SET", "a", "2")
    assert failed == ["a"]
    assert not database._refresh_tasks
    assert not database._send_tasks


async def test_an_evicting_redis_is_refused() -> None:
    options = {"maxmemory": "100mb", "maxmemory-policy": "volatile-lru"}
    async with database_alone(**options) as (_, database):
        with pytest.raises(UnsuitableError, match="Set it to noeviction"):
            await database.check()
