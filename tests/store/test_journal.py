"""Journals: what stands, what is refused, and what is known to be lost."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from server.store import keys
from server.store.connection import Client
from server.store.database import Database
from server.store.journal import (
    CLOCK_TOLERANCE,
    Append,
    ConflictError,
    GapError,
    Journals,
    MistimedError,
)
from tests.store.entries import DUE, EFFECT, FAR, FORMS, KEY, NAME, PARTITION, append, now
from tests.store.servers import PATIENCE


@pytest.fixture
def journals(database: Database) -> Journals:
    return Journals(database)


async def beside(redis: Client) -> tuple[object, object, object]:
    """Return what stands beside the journal: outbox, due times, and whether it expires."""
    return (
        await redis.hgetall(keys.outbox(PARTITION)),
        await redis.zrange(keys.due(PARTITION), 0, -1, withscores=True),
        await redis.pttl(KEY) > 0,
    )


async def put(redis: Client, *texts: str) -> None:
    """Let the journal be these entries, whatever it was."""
    await redis.delete(KEY)
    for number, text in enumerate(texts, start=1):
        await redis.xadd(KEY, {"e": text}, id=f"0-{number}")


async def test_what_is_appended_is_read_in_its_order(journals: Journals) -> None:
    for number in range(1, 4):
        await append(journals, number)
    assert await journals.read(KEY) == ["entry 1", "entry 2", "entry 3"]


async def test_a_journal_that_does_not_exist_has_no_entries(journals: Journals) -> None:
    assert await journals.read(KEY) == []


async def test_texts_come_back_as_they_were(journals: Journals) -> None:
    texts = ["Ω \r\n \0 🂡", "[^%]*", ""]
    for number, text in enumerate(texts, start=1):
        before = texts[number - 2] if number > 1 else ""
        await journals.append(Append(KEY, PARTITION, number, text), before, now())
    assert await journals.read(KEY) == texts


@pytest.mark.parametrize("count", [999, 1000, 1001, 2500])
async def test_a_long_journal_is_read_whole(redis: Client, journals: Journals, count: int) -> None:
    texts = [str(number) for number in range(1, count + 1)]
    async with redis.pipeline(transaction=False) as pipeline:
        for text in texts:
            pipeline.xadd(KEY, {"e": text}, id=f"0-{text}")
        await pipeline.execute()
    assert await journals.read(KEY) == texts
    assert await journals.read_on(KEY, 1, "1") == texts[1:]
    assert await journals.read_on(KEY, count - 1, texts[-2]) == texts[-1:]


async def test_reading_on_tells_what_is_new(journals: Journals) -> None:
    for number in range(1, 4):
        await append(journals, number)
    assert await journals.read_on(KEY, 1, "entry 1") == ["entry 2", "entry 3"]
    assert await journals.read_on(KEY, 3, "entry 3") == []


@pytest.mark.parametrize(
    "left",
    [
        pytest.param((), id="all"),
        pytest.param(("entry 1", "entry 2"), id="tail"),
        pytest.param(("entry 1", "entry 2", "other"), id="another end"),
        pytest.param(("entry 1", "entry 2", "other", "entry 4"), id="another end and more"),
    ],
)
async def test_reading_on_tells_that_what_is_known_was_lost(
    redis: Client, journals: Journals, left: tuple[str, ...]
) -> None:
    await put(redis, *left)
    assert await journals.read_on(KEY, 3, "entry 3") is None
    assert await journals.read(KEY) == list(left)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("number", [1, 2, 4, 5])
async def test_what_does_not_come_next_is_refused_and_nothing_is_written(
    redis: Client, journals: Journals, number: int, form: dict[str, Any]
) -> None:
    await put(redis, "entry 1", "entry 2")
    with pytest.raises(ConflictError, match=KEY):
        await append(journals, number, "other", **form)
    assert await journals.read(KEY) == ["entry 1", "entry 2"]
    assert await beside(redis) == ({}, [], False)


@pytest.mark.parametrize("form", FORMS)
async def test_what_follows_another_text_is_refused_and_nothing_is_written(
    redis: Client, journals: Journals, form: dict[str, Any]
) -> None:
    await put(redis, "entry 1", "other")
    for previous in ("entry 2", "", "othe", "other "):
        with pytest.raises(ConflictError, match=KEY):
            await append(journals, 3, previous=previous, **form)
    assert await journals.read(KEY) == ["entry 1", "other"]
    assert await beside(redis) == ({}, [], False)
    await append(journals, 3, previous="other")


@pytest.mark.parametrize("form", FORMS)
async def test_a_journal_that_is_gone_is_not_begun_in_the_middle(
    redis: Client, journals: Journals, form: dict[str, Any]
) -> None:
    with pytest.raises(ConflictError):
        await append(journals, 2, **form)
    assert await journals.read(KEY) == []
    assert await beside(redis) == ({}, [], False)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("off", [-CLOCK_TOLERANCE - 100, CLOCK_TOLERANCE + 1_000])
async def test_what_was_not_decided_now_is_refused_and_nothing_is_written(
    redis: Client, journals: Journals, off: int, form: dict[str, Any]
) -> None:
    await append(journals, 1)
    with pytest.raises(MistimedError, match=KEY):
        await append(journals, 2, at=now() + off, **form)
    assert await journals.read(KEY) == ["entry 1"]
    assert await beside(redis) == ({}, [], False)


@pytest.mark.parametrize("off", [-CLOCK_TOLERANCE // 2, CLOCK_TOLERANCE // 2])
async def test_clocks_may_differ_a_little(journals: Journals, off: int) -> None:
    await append(journals, 1, at=now() + off)
    assert await journals.read(KEY) == ["entry 1"]


async def test_who_is_late_twice_over_hears_what_stands_first(journals: Journals) -> None:
    await append(journals, 1)
    with pytest.raises(ConflictError):
        await append(journals, 1, "other", at=0)


async def test_what_belongs_to_an_entry_is_written_with_it(
    redis: Client, journals: Journals
) -> None:
    await append(journals, 1, expires=FAR, effect=EFFECT, due=DUE)
    assert await beside(redis) == ({NAME: "finish"}, [[DUE[0], FAR]], True)
    await append(journals, 2, due=(DUE[0], None))
    assert await beside(redis) == ({NAME: "finish"}, [], True)
    await append(journals, 3)
    assert await beside(redis) == ({NAME: "finish"}, [], True)


async def test_of_two_nodes_one_appends_an_entry(journals: Journals, other: Database) -> None:
    nodes = {"one": journals, "other": Journals(other)}
    last = ""
    for number in range(1, 30):
        async with asyncio.timeout(PATIENCE):
            outcomes = await asyncio.gather(
                *(append(node, number, name, previous=last) for name, node in nodes.items()),
                return_exceptions=True,
            )
        assert sorted(type(outcome).__name__ for outcome in outcomes) == [
            "ConflictError", "NoneType",
        ]  # fmt: skip
        last = (await journals.read(KEY))[-1]
        assert last == list(nodes)[outcomes.index(None)]
    assert len(await journals.read(KEY)) == 29


@pytest.mark.parametrize("ids", [["0-2"], ["0-1", "0-3"], ["0-1", "1-2"]])
async def test_a_gap_is_an_error(redis: Client, journals: Journals, ids: list[str]) -> None:
    for id_ in ids:
        await redis.xadd(KEY, {"e": "text"}, id=id_)
    with pytest.raises(GapError, match=KEY):
        await journals.read(KEY)
