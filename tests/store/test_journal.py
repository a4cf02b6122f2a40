"""Journals: what stands, what is refused, and how appends travel together."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from signal import SIGKILL
from typing import Any

import pytest
from redis.asyncio import Redis

from server.core.refusal import UnavailableError
from server.store import journal, keys
from server.store.connection import connect
from server.store.embedded import embedded_redis
from server.store.journal import Append, ConflictError, GapError, Journals, MissingError
from tests.store.servers import PATIENCE, in_flight, reads, signal_to, until, writes_held_up

NAME = "dea1000000000000.ada0000000000000"
KEY = keys.attempt(NAME)
PARTITION = keys.partition(NAME)
FAR = 4_000_000_000_000
EFFECT = (NAME, "finish")
DUE = (f"a:{NAME}", FAR)

FORMS: list[dict[str, Any]] = [{}, {"expires": FAR}, {"effect": EFFECT}, {"due": DUE}]
"""An append by itself, and with each thing that is written together with it."""


def entry(number: int, payload: str = "", name: str = NAME, **more: Any) -> Append:
    """Return an append with a text of its own."""
    text = payload or f"entry {number}"
    return Append(keys.attempt(name), keys.partition(name), number, text, **more)


@pytest.fixture
def journals(redis: Redis) -> Journals:
    return Journals(redis)


async def beside(redis: Redis) -> tuple[object, object, object]:
    """Return what stands beside the journal: outbox, due times, and whether it expires."""
    return (
        await redis.hgetall(keys.outbox(PARTITION)),
        await redis.zrange(keys.due(PARTITION), 0, -1, withscores=True),
        await redis.pttl(KEY) > 0,
    )


async def outcomes(appends: Iterable[asyncio.Task[None]]) -> list[type]:
    """Return what became of appends: the types of their errors, or of `None`."""
    async with asyncio.timeout(PATIENCE):
        done = await asyncio.gather(*appends, return_exceptions=True)
    return [type(outcome) for outcome in done]


async def test_what_is_appended_is_read_in_its_order(journals: Journals) -> None:
    for number in range(1, 4):
        await journals.append(entry(number))
    assert await journals.read(KEY) == ["entry 1", "entry 2", "entry 3"]
    assert await journals.read(KEY, after=2) == ["entry 3"]
    assert await journals.read(KEY, after=3) == []


async def test_a_journal_that_does_not_exist_has_no_entries(journals: Journals) -> None:
    assert await journals.read(KEY) == []


async def test_texts_come_back_as_they_were(journals: Journals) -> None:
    await journals.append(entry(1, "Ω \r\n \0 🂡"))
    assert await journals.read(KEY) == ["Ω \r\n \0 🂡"]


@pytest.mark.parametrize("count", [999, 1000, 1001, 2500])
async def test_a_long_journal_is_read_whole(redis: Redis, journals: Journals, count: int) -> None:
    async with redis.pipeline(transaction=False) as pipeline:
        for number in range(1, count + 1):
            pipeline.xadd(KEY, {"e": str(number)}, id=f"0-{number}")
        await pipeline.execute()
    assert await journals.read(KEY) == [str(number) for number in range(1, count + 1)]
    assert await journals.read(KEY, after=count - 1) == [str(count)]


@pytest.mark.parametrize("form", FORMS)
async def test_a_number_that_stands_is_refused_and_nothing_is_written(
    redis: Redis, journals: Journals, form: dict[str, Any]
) -> None:
    for number in (1, 2):
        await journals.append(entry(number))
    before = await beside(redis)
    for number in (1, 2):
        with pytest.raises(ConflictError):
            await journals.append(entry(number, "other", **form))
    assert await journals.read(KEY) == ["entry 1", "entry 2"]
    assert await beside(redis) == before == ({}, [], False)


@pytest.mark.parametrize("form", FORMS)
async def test_a_journal_that_is_gone_is_not_begun_in_the_middle(
    redis: Redis, journals: Journals, form: dict[str, Any]
) -> None:
    with pytest.raises(MissingError):
        await journals.append(entry(2, **form))
    assert await redis.keys() == []


async def test_what_belongs_to_an_entry_is_written_with_it(
    redis: Redis, journals: Journals
) -> None:
    await journals.append(entry(1, expires=FAR, effect=EFFECT, due=DUE))
    assert await beside(redis) == ({NAME: "finish"}, [[DUE[0], FAR]], True)
    await journals.append(entry(2, due=(DUE[0], None)))
    assert await beside(redis) == ({NAME: "finish"}, [], True)
    await journals.append(entry(3))
    assert await beside(redis) == ({NAME: "finish"}, [], True)


async def test_of_two_nodes_one_appends_an_entry(journals: Journals, other_redis: Redis) -> None:
    other = Journals(other_redis)
    for number in range(1, 30):
        tasks = [
            asyncio.create_task(node.append(entry(number, name)))
            for node, name in ((journals, "one"), (other, "other"))
        ]
        assert sorted(kind.__name__ for kind in await outcomes(tasks)) == [
            "ConflictError", "NoneType",
        ]  # fmt: skip
    assert len(await journals.read(KEY)) == 29


@pytest.mark.parametrize("ids", [["0-2"], ["0-1", "0-3"], ["0-1", "1-2"]])
async def test_a_gap_is_an_error(redis: Redis, journals: Journals, ids: list[str]) -> None:
    for id_ in ids:
        await redis.xadd(KEY, {"e": "text"}, id=id_)
    with pytest.raises(GapError, match=KEY):
        await journals.read(KEY)


def names(count: int) -> list[str]:
    """Return the names of so many attempts."""
    return [f"{number:016}.ada0000000000000" for number in range(count)]


async def test_appends_of_one_turn_travel_together(redis: Redis, journals: Journals) -> None:
    await journals.append(entry(1))
    before = await reads(redis)
    await asyncio.gather(*(journals.append(entry(1, name=name)) for name in names(100)))
    assert await reads(redis) - before < 10
    for name in names(100):
        assert await journals.read(keys.attempt(name)) == ["entry 1"]


async def test_appends_that_gather_during_a_flight_travel_together(
    redis: Redis, journals: Journals
) -> None:
    async with writes_held_up(redis):
        first = asyncio.create_task(journals.append(entry(1)))
        await until(lambda: in_flight(redis, "eval", "xadd"))
        waiting = [asyncio.create_task(journals.append(entry(1, name=name))) for name in names(100)]
        # Each task comes to its append, and none gets further.
        await redis.ping()
        assert not any(task.done() for task in (first, *waiting))
        before = await reads(redis)
    await asyncio.gather(first, *waiting)
    assert await reads(redis) - before < 10


async def test_each_append_of_a_batch_has_its_own_answer(journals: Journals) -> None:
    await journals.append(entry(1))
    tasks = [
        asyncio.create_task(journals.append(append))
        for append in (
            entry(1, expires=FAR), entry(2), entry(2), entry(2, name=names(1)[0]),
            entry(3, effect=EFFECT), entry(3, due=DUE),
        )
    ]  # fmt: skip
    none = type(None)
    assert await outcomes(tasks) == [
        ConflictError, none, ConflictError, MissingError, none, ConflictError,
    ]  # fmt: skip
    assert await journals.read(KEY) == ["entry 1", "entry 2", "entry 3"]


async def test_a_waiter_that_gives_up_harms_no_other(redis: Redis, journals: Journals) -> None:
    tasks = []
    async with writes_held_up(redis):
        for name in names(6):
            tasks.append(asyncio.create_task(journals.append(entry(1, name, name=name))))
            await until(lambda: in_flight(redis, "eval", "xadd"))
        # One that is in flight, and one that waits for the next pipeline.
        for given_up in (tasks[0], tasks[3]):
            given_up.cancel()
    assert await outcomes(tasks) == [
        asyncio.CancelledError, *[type(None)] * 2, asyncio.CancelledError, *[type(None)] * 2,
    ]  # fmt: skip
    for name in names(6):
        assert await journals.read(keys.attempt(name)) == [name]


async def test_what_cannot_even_be_sent_keeps_nobody_waiting(journals: Journals) -> None:
    tasks = [
        asyncio.create_task(journals.append(append)) for append in (entry(1), entry(2, "\ud800"))
    ]
    assert await outcomes(tasks) == [UnavailableError] * 2
    await journals.append(entry(1))
    assert await journals.read(KEY) == ["entry 1"]


async def test_one_append_too_many_is_refused_at_once(
    redis: Redis, journals: Journals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "MOST_WAITING", 3)
    async with writes_held_up(redis):
        tasks = [asyncio.create_task(journals.append(entry(1)))]
        await until(lambda: in_flight(redis, "eval", "xadd"))
        tasks += [asyncio.create_task(journals.append(entry(1, name=name))) for name in names(3)]
        await redis.ping()
        with pytest.raises(UnavailableError, match="too many"):
            await journals.append(entry(2))
    assert await outcomes(tasks) == [type(None)] * 4
    await journals.append(entry(2))


async def test_closing_waits_for_what_is_to_be_appended(redis: Redis, journals: Journals) -> None:
    async with writes_held_up(redis):
        task = asyncio.create_task(journals.append(entry(1)))
        await until(lambda: in_flight(redis, "eval", "xadd"))
        closing = asyncio.create_task(journals.close())
        await redis.ping()
        assert not closing.done()
    await closing
    await task
    assert await journals.read(KEY) == ["entry 1"]
    await journals.close()


async def test_what_was_acknowledged_outlives_a_killed_redis(data: Path) -> None:
    async with embedded_redis(data) as url:
        redis = connect(url)
        journals = Journals(redis)
        await journals.append(entry(1))
        async with writes_held_up(redis):
            lost = asyncio.create_task(journals.append(entry(2, "in flight")))
            await until(lambda: in_flight(redis, "xadd"))
            late = asyncio.create_task(journals.append(entry(2, "waiting")))
            await signal_to(redis, SIGKILL)
            assert await outcomes([lost, late]) == [UnavailableError] * 2
            with pytest.raises(UnavailableError):
                await journals.append(entry(2))
            with pytest.raises(UnavailableError):
                await journals.read(KEY)
    async with embedded_redis(data) as again:
        assert again == url
        assert await journals.read(KEY) == ["entry 1"]
        await journals.append(entry(2))
        assert await journals.read(KEY) == ["entry 1", "entry 2"]
        await redis.aclose()


@pytest.mark.parametrize("form", FORMS)
async def test_a_redis_that_takes_no_writes_is_unavailable(
    redis: Redis, journals: Journals, form: dict[str, Any]
) -> None:
    await journals.append(entry(1))
    await redis.replicaof("127.0.0.1", "1")
    try:
        with pytest.raises(UnavailableError):
            await journals.append(entry(2, **form))
    finally:
        await redis.replicaof("NO", "ONE")
    assert await journals.read(KEY) == ["entry 1"]
