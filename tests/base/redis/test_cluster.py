"""A cluster with moving slots and killed or hanging servers, while nodes write to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from operator import methodcaller
from signal import SIGCONT, SIGSTOP
from typing import Any

import pytest
from redis.crc import key_slot

from server.base.core import keys, topics
from server.base.core.refusal import UnavailableError
from server.base.journals.core.entry import ConflictError, Entries
from server.base.journals.store import JournalStore
from server.base.redis import bus
from server.base.redis import database as module
from server.base.redis.database import Database
from server.base.work.stop import Stop
from server.play.core import keys as play_keys
from tests.base.journals.entries import DUE, FAR, KEY, append, names_in, texts
from tests.base.redis.listeners import Listener, listening
from tests.base.redis.servers import Act, database_at, running, until
from tests.base.redis.writers import Load
from tests.conftest import CLUSTER
from tests.redis_servers import Cluster, Server, running_cluster
from tests.redis_servers import until as until_on_thread

pytestmark = CLUSTER

FORMS = [
    pytest.param({}, id="one key"),
    pytest.param({"effect": ("field", "text"), "due": DUE}, id="three keys"),
]


@pytest.fixture(scope="module")
def running_servers() -> Iterator[Cluster]:
    """Run a cluster that the tests of this module break and repair."""
    # A second is enough to distinguish a lost server from a slow one.
    with running_cluster(node_timeout=1_000) as cluster:
        yield cluster


@pytest.fixture
def cluster(running_servers: Cluster) -> Iterator[Cluster]:
    """Return the cluster, complete and empty, and repair it afterwards."""
    for server in running_servers.masters():
        server.ask("FLUSHALL")
    yield running_servers
    for server in running_servers.servers:
        if server.runs:
            server.signal(SIGCONT)
        else:
            server.start()
    running_servers.until_whole()


@pytest.fixture
async def database(cluster: Cluster) -> AsyncIterator[Database]:
    async with database_at(cluster.url, 1) as database:
        yield database


def partitions_by_master(cluster: Cluster) -> dict[Server, list[int]]:
    found: dict[Server, list[int]] = {}
    for number in range(0, keys.PARTITIONS, 8):
        found.setdefault(cluster.master_of(keys.due(number)), []).append(number)
    return found


def loads(database: Database, by_master: dict[Server, list[int]]) -> list[Load]:
    """Return writers to the first master, and to the others."""
    first, *others = by_master.values()
    chosen = (first[:4], [partition for each in others for partition in each[:4]])
    return [Load(database, [names_in(each, 1)[0] for each in found]) for found in chosen]


def owners_of(cluster: Cluster, key: str) -> tuple[int, Server, Server]:
    """Return a key's slot, its master, and another master."""
    source = cluster.master_of(key)
    target = next(other for other in cluster.masters() if other is not source)
    return key_slot(key.encode()), source, target


async def move(cluster: Cluster, key: str) -> Server:
    """Move a key's slot to another master, and return that."""
    slot, source, target = owners_of(cluster, key)
    await asyncio.to_thread(cluster.move_slot, slot, source, target)
    return target


def begin_move(cluster: Cluster, key: str) -> tuple[int, Server, Server]:
    """Begin to move a key's slot, and return the arguments to finish it."""
    slot, source, target = owners_of(cluster, key)
    target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source.ask("CLUSTER", "MYID"))
    source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", target.ask("CLUSTER", "MYID"))
    return slot, source, target


async def taken_over(cluster: Cluster, key: str, lost: Server) -> Server:
    """Wait until all servers agree on a new owner of a lost server's key, and return it."""
    slot = key_slot(key.encode())
    left = {server.port: server for server in cluster.servers if server is not lost}

    def owners() -> set[int]:
        return {
            shard[1]
            for server in left.values()
            for first, last, shard, *_ in server.ask("CLUSTER", "SLOTS")
            if first <= slot <= last
        }

    await asyncio.to_thread(until_on_thread, lambda: len(owners()) == 1 and owners() <= set(left))
    (port,) = owners()
    return left[port]


@pytest.mark.parametrize("form", FORMS)
async def test_appends_follow_a_moving_slot(
    cluster: Cluster, database: Database, form: dict[str, Any]
) -> None:
    partition = 7
    load = Load(database, names_in(partition, 20), **form)
    journals = JournalStore(database)

    async def read(stop: Stop) -> None:
        while not stop.is_set:
            await asyncio.gather(*(journals.read(writer.key) for writer in load.writers))

    async with running(load.run), running(read):
        await load.progress()
        for _ in range(4):
            await move(cluster, keys.due(partition))
            await load.progress()
    assert load.reasons == []
    assert await load.lost_nothing()
    for writer in load.writers:
        assert await texts(journals, writer.key) == writer.acknowledged


async def test_a_half_moved_slot_is_written_and_read_where_its_keys_are(
    cluster: Cluster, database: Database
) -> None:
    partition = 11
    journals = JournalStore(database)
    chosen = names_in(partition, 12)
    old, new = chosen[:8], chosen[8:]
    await asyncio.gather(*(append(journals, 1, name=name) for name in old))
    moving = _, source, target = begin_move(cluster, keys.due(partition))
    moved = [play_keys.attempt(name) for name in old[:4]]
    source.ask("MIGRATE", "127.0.0.1", target.port, "", 0, 2_000, "KEYS", *moved)
    # The keys of this append are on two servers, so it waits, but no other does.
    split = append(journals, 2, name=old[5], effect=("field", "text"), due=DUE)
    for name in (*old[:5], *old[6:]):
        await append(journals, 2, name=name)
    for name in new:
        await append(journals, 1, name=name)
        await append(journals, 2, name=name)
    for name in (*old[:5], *old[6:], *new):
        assert await texts(journals, play_keys.attempt(name)) == ["entry 1", "entry 2"]
    assert not split.done()
    await asyncio.to_thread(cluster.move_slot, *moving)
    await split
    assert await texts(journals, play_keys.attempt(old[5])) == ["entry 1", "entry 2"]
    assert target.ask("HGETALL", keys.outbox(partition)) == {"field": "text"}


async def test_an_append_redirected_for_too_long_is_unavailable(
    cluster: Cluster, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "REDIRECT_TIMEOUT", 0.2)
    partition = 13
    journals = JournalStore(database)
    (name,) = names_in(partition, 1)
    await append(journals, 1, name=name)
    moving = begin_move(cluster, keys.due(partition))
    with pytest.raises(UnavailableError, match="TryAgain"):
        await append(journals, 2, name=name, effect=("field", "text"))
    await asyncio.to_thread(cluster.move_slot, *moving)
    await append(journals, 2, name=name, effect=("field", "text"))


def connections(cluster: Cluster) -> int:
    """Return the number of clients of all servers, excluding the servers themselves."""
    found = 0
    for server in cluster.servers:
        for line in server.ask("CLIENT", "LIST").splitlines():
            found += "flags=N" in line or "flags=P" in line
    return found


async def survive(cluster: Cluster, database: Database, lose: Act, mend: Act) -> None:
    """Lose a master while nodes write to all of them, and mend it when it has been replaced."""
    by_master = partitions_by_master(cluster)
    lost = next(iter(by_master))
    load, rest = loads(database, by_master)
    async with running(load.run), running(rest.run):
        await load.progress()
        await rest.progress()
        lose(lost)
        await rest.progress(20)
        await taken_over(cluster, keys.due(by_master[lost][0]), lost)
        # Its replica has become the master, and has no replica until this one is back.
        mend(lost)
        await load.progress()
        await rest.progress()
    assert rest.reasons == []
    assert await load.lost_nothing()
    assert await rest.lost_nothing()


async def test_killed_masters_lose_no_acknowledged_append(
    cluster: Cluster, database: Database
) -> None:
    before = connections(cluster)
    for _ in range(2):
        await survive(cluster, database, Server.kill, Server.start)
        await asyncio.to_thread(cluster.until_whole)
        for server in cluster.masters():
            server.ask("FLUSHALL")
    # A few for concurrent reads, and one to each server for writes.
    assert connections(cluster) <= before + 4 * len(cluster.servers)


@pytest.mark.usefixtures("quick_redis")
async def test_a_hanging_master_loses_no_acknowledged_append(cluster: Cluster) -> None:
    hangs, goes_on = methodcaller("signal", SIGSTOP), methodcaller("signal", SIGCONT)
    async with database_at(cluster.url, 1) as database:
        await survive(cluster, database, hangs, goes_on)


LOSSES = pytest.mark.parametrize(
    "lose",
    [
        pytest.param(methodcaller("signal", SIGSTOP), id="hangs"),
        pytest.param(Server.kill, id="killed"),
    ],
)


@pytest.mark.usefixtures("quick_redis")
@LOSSES
async def test_a_new_master_is_found_without_the_lost_one(cluster: Cluster, lose: Act) -> None:
    async with database_at(cluster.url) as database, database_at(cluster.url) as reader:
        partition = 19
        name, another = names_in(partition, 2)
        journals = JournalStore(database)
        await append(journals, 1, name=name)
        assert await texts(JournalStore(reader), play_keys.attempt(name)) == ["entry 1"]
        lost = cluster.master_of(keys.due(partition))
        assert lost.ask("WAIT", 1, 2_000) == 1
        lose(lost)
        await taken_over(cluster, keys.due(partition), lost)
        # The reader and the writer detect it independently.
        assert await texts(JournalStore(reader), play_keys.attempt(name)) == ["entry 1"]
        with pytest.raises(UnavailableError):
            await append(journals, 2, name=name)

        async def is_appended() -> bool:
            with suppress(UnavailableError):
                await append(journals, 2, name=name)
                return True
            return False

        await until(is_appended)
        await append(journals, 1, name=another)


@pytest.mark.usefixtures("quick_redis")
async def test_replies_of_a_stale_master_are_not_used(cluster: Cluster) -> None:
    async with database_at(cluster.url, 1) as database:
        partition = 17
        lost = cluster.master_of(keys.due(partition))
        journals = JournalStore(database)
        chosen = names_in(partition, 20)
        old, new = chosen[:10], chosen[10:]
        known = await asyncio.gather(*(append(journals, 1, name=name) for name in old))
        # Open enough connections for all requests below to wait when the master resumes.
        await asyncio.gather(
            *(journals.read_on(play_keys.attempt(name), 1, "") for name in chosen * 2)
        )
        lost.signal(SIGSTOP)
        new_master = await taken_over(cluster, keys.due(partition), lost)
        # Another node has appended there meanwhile.
        for name in old:
            new_master.ask("XADD", play_keys.attempt(name), "0-2", "e", "entry 2")
        for name in new:
            new_master.ask("XADD", play_keys.attempt(name), "0-1", "e", "entry 1")
        reads = [asyncio.create_task(journals.read(play_keys.attempt(name))) for name in chosen]
        reads_on = [
            asyncio.create_task(journals.read_on(play_keys.attempt(name), 1, "entry 1"))
            for name in new
        ]
        writes: list[asyncio.Future[int]] = [
            append(journals, 2, "stale", name=name, generation=generation)
            for name, generation in zip(old[:5], known[:5], strict=True)
        ]
        writes += [append(journals, 2, "stale", name=name) for name in old[5:]]
        for _ in range(50):
            await asyncio.sleep(0)
        lost.signal(SIGCONT)
        found = await asyncio.gather(*reads, return_exceptions=True)
        for answer in found[:10]:
            assert texts_in(answer) in {("entry 1", "entry 2"), None}
        for answer in found[10:]:
            assert texts_in(answer) in {("entry 1",), None}
        for more in await asyncio.gather(*reads_on, return_exceptions=True):
            assert more is None or texts_in(more) in {(), None}
        for write in await asyncio.gather(*writes, return_exceptions=True):
            assert isinstance(write, Exception)


def texts_in(answer: Entries | BaseException | None) -> tuple[str, ...] | None:
    """Return the texts of a read, or `None` if it failed as unavailable."""
    if isinstance(answer, Entries):
        return tuple(answer.texts)
    assert isinstance(answer, UnavailableError)
    return None


async def test_nothing_is_appended_to_an_entry_lost_with_a_moved_slot(
    cluster: Cluster, database: Database
) -> None:
    """Its old owner still answers on the old connection, with a redirection to the new one."""
    partition = 23
    journals = JournalStore(database)
    chosen = names_in(partition, 3)
    known = [await append(journals, 1, name=name) for name in chosen]
    target = await move(cluster, keys.due(partition))
    for name in chosen:
        target.ask("DEL", play_keys.attempt(name))
        target.ask("XADD", play_keys.attempt(name), "0-1", "e", "other")
    forms: list[dict[str, Any]] = [{}, {"expires": FAR}, {"effect": ("field", "text")}]
    for name, generation, form in zip(chosen, known, forms, strict=True):
        with pytest.raises(ConflictError):
            await append(journals, 2, name=name, generation=generation, previous="entry 1", **form)
    for name in chosen:
        found = await journals.read(play_keys.attempt(name))
        assert found.texts == ["other"]
        await append(journals, 2, name=name, generation=found.generation)
        assert await texts(journals, play_keys.attempt(name)) == ["other", "entry 2"]


@pytest.fixture
def quick(quick_redis: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the timeouts, so that a lost connection is detected and replaced soon."""
    monkeypatch.setattr(bus, "RECONNECT_DELAY", 0.01)
    monkeypatch.setattr(bus, "HEARTBEAT_INTERVAL", 0.1)


async def receive_published(publisher: Listener, listener: Listener, topic: str) -> None:
    """Take all pending messages, publish to a topic, and wait until that is received."""
    while not listener.is_empty():
        await listener.next_topic()
    publisher.bus.publish(topic)
    await listener.wait_for(topic)


TOPICS = [topics.node(str(number)) for number in range(12)]


@asynccontextmanager
async def subscribed(
    cluster: Cluster, database: Database
) -> AsyncIterator[tuple[Listener, Listener]]:
    """Yield a listener that receives all topics, and another node that publishes to it."""
    async with database_at(cluster.url, 1) as another, listening(database) as listener:
        publisher = Listener(another)
        for topic in TOPICS:
            listener.subscribe(topic)
        await listener.wait_for(*TOPICS)
        for topic in TOPICS:
            await receive_published(publisher, listener, topic)
        yield listener, publisher


@pytest.mark.usefixtures("quick")
async def test_messages_are_received_after_a_slot_has_moved(
    cluster: Cluster, database: Database
) -> None:
    async with subscribed(cluster, database) as (listener, publisher):
        for _ in range(2):
            await move(cluster, TOPICS[0])
            # Messages may have been lost meanwhile.
            await listener.wait_for(*TOPICS)
            await receive_published(publisher, listener, TOPICS[0])


@pytest.mark.usefixtures("quick")
@LOSSES
async def test_messages_are_received_after_losing_a_master(
    cluster: Cluster, database: Database, monkeypatch: pytest.MonkeyPatch, lose: Act
) -> None:
    async with subscribed(cluster, database) as (listener, publisher):
        lost = cluster.master_of(TOPICS[0])
        lose(lost)
        new_master = await taken_over(cluster, TOPICS[0], lost)
        with monkeypatch.context() as patch:
            patch.setattr(bus, "HEARTBEAT_TIMEOUT", 1.0)
            await until(lambda: new_master.ask("PUBSUB", "SHARDNUMSUB", TOPICS[0])[1])
            await listener.wait_for(*TOPICS)

        async def publish_again(stop: Stop) -> None:
            # Messages to the lost master are lost.
            while not stop.is_set:
                publisher.bus.publish(TOPICS[0])
                await asyncio.sleep(0.01)

        while not listener.is_empty():
            await listener.next_topic()
        async with running(publish_again):
            await listener.wait_for(TOPICS[0])
        for topic in TOPICS:
            await receive_published(publisher, listener, topic)


async def test_a_cluster_with_passwords_refuses_a_wrong_one(cluster: Cluster) -> None:
    for server in cluster.servers:
        server.ask("ACL", "SETUSER", "ada", "on", ">p@ss", "~*", "&*", "+@all")
    servers = cluster.url.rpartition("@")[2]
    async with database_at(f"redis+cluster://ada:p%40ss@{servers}") as database:
        await database.check()
        journals = JournalStore(database)
        await append(journals, 1)
        assert await texts(journals, KEY) == ["entry 1"]
    async with database_at(f"redis+cluster://ada:pass@{servers}") as stranger:
        with pytest.raises(UnavailableError):
            await stranger.check()
