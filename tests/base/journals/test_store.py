"""JournalStore: accepted and refused appends, and the detection of lost entries."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest
from structlog.testing import capture_logs

from server.base.core import keys
from server.base.journals import store as module
from server.base.journals.core.entry import (
    CHECKPOINT,
    Append,
    Beside,
    ConflictError,
    GapError,
    MistimedError,
)
from server.base.journals.store import CLOCK_TOLERANCE_MS, JournalStore
from server.base.redis.connection import Client
from server.base.redis.database import Database
from server.play.core import keys as play_keys
from tests.base.journals.entries import (
    DUE,
    EFFECT,
    FAR,
    FORMS,
    KEY,
    NAME,
    PARTITION,
    append,
    append_entry,
    names,
    names_in,
    now,
    replace_journal,
    texts,
    texts_on,
)
from tests.base.redis.servers import calls, lose_connection
from tests.processes import PATIENCE


@pytest.fixture
def journals(database: Database) -> JournalStore:
    return JournalStore(database)


async def stored_with_journal(redis: Client) -> tuple[object, object, object]:
    """Return the data stored with the journal: outbox, due items, and whether it expires."""
    return (
        await redis.hgetall(keys.outbox(PARTITION)),
        await redis.zrange(keys.due(PARTITION), 0, -1, withscores=True),
        await redis.pttl(KEY) > 0,
    )


async def append_all(journals: JournalStore, last: int, first: int = 1) -> None:
    """Append the entries with these numbers."""
    for number in range(first, last + 1):
        await append(journals, number)


async def test_entries_are_read_in_the_order_of_their_appends(journals: JournalStore) -> None:
    assert await texts(journals) == []
    await append_all(journals, 3)
    assert await texts(journals) == ["entry 1", "entry 2", "entry 3"]


async def test_several_entries_are_appended_together_or_not_at_all(
    journals: JournalStore,
) -> None:
    def three(last: int) -> Append:
        earlier = tuple(f"entry {number}" for number in (last - 2, last - 1))
        return Append(KEY, last, f"entry {last}", earlier=earlier)

    await append_entry(journals, three(3), now())
    with pytest.raises(ConflictError):
        await append_entry(journals, three(3), now())
    with pytest.raises(ConflictError):
        await append_entry(journals, three(7), now(), previous="entry 4")
    await append_entry(journals, three(6), now(), previous="entry 3")
    assert await texts(journals) == [f"entry {number}" for number in range(1, 7)]


@pytest.mark.parametrize("is_read", [True, False])
async def test_texts_are_returned_unchanged(journals: JournalStore, *, is_read: bool) -> None:
    given = ["Ω \r\n \0 🂡", "[^%]*", "", *map(str, range(10)), "x" * 255, "y" * 256]
    read = await journals.read(KEY)
    for number, text in enumerate(given, start=1):
        generation = read.generation if is_read else 0
        previous = given[number - 2] if number > 1 else ""
        await append_entry(journals, Append(KEY, number, text), now(), generation, previous)
    assert await texts(journals) == given


@pytest.mark.parametrize("count", [999, 1000, 1001, 2500])
async def test_a_long_journal_is_read_whole(
    redis: Client, journals: JournalStore, count: int
) -> None:
    given = [str(number) for number in range(1, count + 1)]
    async with redis.pipeline(transaction=False) as pipeline:
        for text in given:
            pipeline.xadd(KEY, {"e": text}, id=f"0-{text}")
        await pipeline.execute()
    assert await texts(journals) == given
    assert await texts_on(journals, 1, "1") == given[1:]
    assert await texts_on(journals, count - 1, given[-2]) == given[-1:]
    assert await journals.read_from(KEY, 1) == given
    assert await journals.read_from(KEY, count - 10) == given[-11:]


async def test_reading_on_returns_the_new_entries(journals: JournalStore) -> None:
    await append_all(journals, 3)
    assert await texts_on(journals, 1, "entry 1") == ["entry 2", "entry 3"]
    assert await texts_on(journals, 3, "entry 3") == []


@pytest.mark.parametrize(
    "left",
    [
        pytest.param((), id="all"),
        pytest.param(("entry 1", "entry 2"), id="tail"),
        pytest.param(("entry 1", "entry 2", "other"), id="another end"),
        pytest.param(("entry 1", "entry 2", "other", "entry 4"), id="another end and more"),
    ],
)
async def test_reading_on_returns_none_if_the_last_known_entry_was_lost(
    redis: Client, journals: JournalStore, left: tuple[str, ...]
) -> None:
    await replace_journal(redis, KEY, *left)
    assert await texts_on(journals, 3, "entry 3") is None
    assert await texts(journals) == list(left)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("last", "number"), [(2, 1), (2, 2), (2, 4), (2, 5), (0, 2)])
async def test_an_entry_out_of_order_is_refused_and_nothing_is_written(
    redis: Client, journals: JournalStore, last: int, number: int, form: dict[str, Any]
) -> None:
    before = ["entry 1", "entry 2"][:last]
    await replace_journal(redis, KEY, *before)
    with pytest.raises(ConflictError, match=KEY):
        await append(journals, number, "other", **form)
    assert await texts(journals) == before
    assert await stored_with_journal(redis) == ({}, [], False)


@pytest.mark.parametrize("form", FORMS)
async def test_an_append_of_an_older_generation_is_not_sent_and_nothing_is_written(
    redis: Client, journals: JournalStore, database: Database, form: dict[str, Any]
) -> None:
    known = await append(journals, 1)
    assert known == journals.generation(KEY)
    lose_connection(database, KEY)
    assert journals.generation(KEY) == 0
    before = await calls(redis, "evalsha")
    for _ in range(2):
        with pytest.raises(ConflictError, match=f"{re.escape(KEY)}.*replaced"):
            await append(journals, 2, generation=known, **form)
        read = await journals.read(KEY)
        assert read.texts == ["entry 1"]
    assert await calls(redis, "evalsha") == before
    assert await stored_with_journal(redis) == ({}, [], False)
    assert read.generation == journals.generation(KEY) > known
    assert await append(journals, 2, generation=read.generation, **form) == read.generation
    assert await texts(journals) == ["entry 1", "entry 2"]


async def test_each_entry_of_a_batch_has_its_own_answer(journals: JournalStore) -> None:
    one, two = names_in(PARTITION, 2)
    await append(journals, 1)
    await append(journals, 1, name=two)
    answers = [
        (append(journals, 1, expires=FAR), False),
        (append(journals, 2), True),
        (append(journals, 2), False),
        (append(journals, 3, effect=EFFECT), True),
        (append(journals, 3, due=DUE), False),
        (append(journals, 5), False),
        (append(journals, 2, name=one), False),
        (append(journals, 1, name=two), False),
        (append(journals, 2, name=two), True),
    ]
    async with asyncio.timeout(PATIENCE):
        found = await asyncio.gather(*(each for each, _ in answers), return_exceptions=True)
    generation = journals.generation(KEY)
    for outcome, (_, is_next) in zip(found, answers, strict=True):
        assert outcome == generation if is_next else isinstance(outcome, ConflictError)
    assert await texts(journals) == ["entry 1", "entry 2", "entry 3"]
    assert await texts(journals, play_keys.attempt(one)) == []
    assert await texts(journals, play_keys.attempt(two)) == ["entry 1", "entry 2"]


async def test_entries_of_many_partitions_are_appended_together(journals: JournalStore) -> None:
    """In a cluster, a server has several partitions, and no script may write to two slots."""
    chosen = names(12)
    assert len({keys.partition(name) for name in chosen}) > 6
    await asyncio.gather(*(append(journals, 1, name=name) for name in chosen))
    await asyncio.gather(*(append(journals, 2, name=name) for name in chosen))
    for name in chosen:
        assert await texts(journals, play_keys.attempt(name)) == ["entry 1", "entry 2"]


@pytest.mark.parametrize("off", [-CLOCK_TOLERANCE_MS - 100, CLOCK_TOLERANCE_MS + 1_000])
async def test_a_batch_with_one_mistimed_entry_is_refused_as_a_whole(
    journals: JournalStore, off: int
) -> None:
    one, two = names_in(PARTITION, 2)
    await append(journals, 1, name=one)
    await append(journals, 1, name=two)
    for answer in [append(journals, 2, name=one), append(journals, 2, name=two, at=now() + off)]:
        with pytest.raises(MistimedError):
            await answer
    for name in (one, two):
        assert await texts(journals, play_keys.attempt(name)) == ["entry 1"]
    await asyncio.gather(
        *(append(journals, 2, name=name, at=now() + off // 3) for name in (one, two))
    )


async def test_no_call_of_the_script_exceeds_its_batch_bound(
    redis: Client, journals: JournalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MAX_BATCH", 3)
    chosen = names_in(PARTITION, 10)
    await append(journals, 1)
    before = await calls(redis, "evalsha")
    await asyncio.gather(*(append(journals, 1, name=name) for name in chosen))
    assert await calls(redis, "evalsha") - before == 4
    for name in chosen:
        assert await texts(journals, play_keys.attempt(name)) == ["entry 1"]


async def test_only_under_little_load_is_an_entry_sent_without_waiting_for_others(
    redis: Client, database: Database, journals: JournalStore
) -> None:
    chosen = names_in(PARTITION, 12)
    sent: list[int] = []

    async def append_together(number: int) -> None:
        before = await calls(redis, "evalsha")
        await asyncio.gather(*(append(journals, number, name=name) for name in chosen))
        sent.append(await calls(redis, "evalsha") - before)

    await append(journals, 1)
    await append_together(1)
    for name in chosen:
        for number in range(2, 6):
            await append(journals, number, name=name)
    await append_together(6)
    await append_together(7)
    # After batches of one entry, the first one does not wait for the others of its pass. A cluster
    # has too many batches for that.
    assert sent == [1, 2 if database.is_standalone else 1, 1]
    for name in chosen:
        entries = await texts(journals, play_keys.attempt(name))
        assert entries == [f"entry {number}" for number in range(1, 8)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("off", [-CLOCK_TOLERANCE_MS - 100, CLOCK_TOLERANCE_MS + 1_000])
async def test_a_mistimed_entry_is_refused_and_nothing_is_written(
    redis: Client, journals: JournalStore, off: int, form: dict[str, Any]
) -> None:
    await append(journals, 1)
    with pytest.raises(MistimedError, match=KEY):
        await append(journals, 2, at=now() + off, **form)
    assert await texts(journals) == ["entry 1"]
    assert await stored_with_journal(redis) == ({}, [], False)


@pytest.mark.parametrize("off", [-CLOCK_TOLERANCE_MS // 2, CLOCK_TOLERANCE_MS // 2])
async def test_an_entry_within_the_tolerance_of_clocks_is_appended(
    journals: JournalStore, off: int
) -> None:
    await append(journals, 1, at=now() + off)
    assert await texts(journals) == ["entry 1"]


async def test_effect_due_time_and_expiry_are_written_with_their_entry(
    redis: Client, journals: JournalStore
) -> None:
    await append(journals, 1, expires=FAR, effect=EFFECT, due=DUE)
    assert await stored_with_journal(redis) == ({NAME: "finish"}, [[DUE[0].member, FAR]], True)
    await append(journals, 2, due=(DUE[0], None))
    assert await stored_with_journal(redis) == ({NAME: "finish"}, [], True)
    await append(journals, 3)
    assert await stored_with_journal(redis) == ({NAME: "finish"}, [], True)


async def test_only_one_of_two_nodes_appends_an_entry(
    journals: JournalStore, other_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A cluster that stalls for a while does not matter here.
    monkeypatch.setattr(module, "CLOCK_TOLERANCE_MS", 60_000)
    nodes = {"one": journals, "other": JournalStore(other_database)}
    for number in range(1, 30):
        async with asyncio.timeout(PATIENCE):
            outcomes = await asyncio.gather(
                *(append(node, number, name) for name, node in nodes.items()),
                return_exceptions=True,
            )
        assert sorted(type(outcome).__name__ for outcome in outcomes) == ["ConflictError", "int"]
        appended = [isinstance(outcome, int) for outcome in outcomes]
        assert (await texts(journals))[-1] == list(nodes)[appended.index(True)]
    assert len(await texts(journals)) == 29


async def test_an_append_can_require_the_previous_entrys_text(journals: JournalStore) -> None:
    await append(journals, 1, "other")
    for previous in ("entry 1", "othe", "other "):
        with pytest.raises(ConflictError, match=KEY):
            await append(journals, 2, generation=0, previous=previous)
    assert await texts(journals) == ["other"]
    await append(journals, 2, generation=0, previous="other")
    assert await texts(journals) == ["other", "entry 2"]


@pytest.mark.parametrize("ids", [["0-2"], ["0-1", "0-3"], ["0-1", "1-2"]])
async def test_a_gap_is_an_error(redis: Client, journals: JournalStore, ids: list[str]) -> None:
    for id_ in ids:
        await redis.xadd(KEY, {"e": "text"}, id=id_)
    with pytest.raises(GapError, match="entries_lost"), capture_logs() as logs:
        await texts(journals)
    told = {"event": "journal_gap", "log_level": "error", "key": KEY}
    assert logs == [{**told, "missing": len(ids), "found": ids[-1]}]


WHOLE = f"{CHECKPOINT}x}}"


async def test_a_checkpoint_drops_the_entries_before_it_and_numbers_go_on(
    redis: Client, journals: JournalStore
) -> None:
    await append_all(journals, 5)
    await append(journals, 6, WHOLE, expires=FAR)
    await append(journals, 7)
    found = await journals.read(KEY)
    assert (found.first, found.texts, found.last) == (6, [WHOLE, "entry 7"], 7)
    assert await journals.read_from(KEY, 1) == [WHOLE, "entry 7"]
    assert await redis.pttl(KEY) > 0
    for wrong in (1, 3, 7, 9):
        with pytest.raises(ConflictError):
            await append(journals, wrong)
    await append(journals, 8, WHOLE)
    assert (await journals.read(KEY)).texts == [WHOLE]


async def test_a_checkpoint_out_of_order_drops_nothing(journals: JournalStore) -> None:
    await append_all(journals, 3)
    for wrong in (3, 5):
        with pytest.raises(ConflictError):
            await append(journals, wrong, WHOLE)
    assert await texts(journals) == ["entry 1", "entry 2", "entry 3"]


async def test_reading_on_from_before_a_checkpoint_requires_a_full_read(
    journals: JournalStore,
) -> None:
    await append_all(journals, 3)
    await append(journals, 4, WHOLE)
    await append(journals, 5)
    assert await texts_on(journals, 3, "entry 3") is None
    found = await journals.read_on(KEY, 4, WHOLE, 4)
    assert found is not None
    assert (found.texts, found.first) == (["entry 5"], 5)


async def test_entries_missing_after_a_checkpoint_are_detected(
    redis: Client, journals: JournalStore
) -> None:
    await append(journals, 1, WHOLE)
    await append_all(journals, 5, 2)
    await redis.xdel(KEY, "0-3")
    with pytest.raises(ConflictError):
        await append(journals, 6)
    with pytest.raises(GapError):
        await journals.read_on(KEY, 5, "entry 5", 1)
    with pytest.raises(GapError):
        await journals.read(KEY)
    await redis.xdel(KEY, "0-1", "0-2")
    with pytest.raises(GapError):
        await journals.read(KEY)


async def test_a_text_is_stored_with_an_accepted_entry(
    redis: Client, journals: JournalStore
) -> None:
    key = f"{{p{PARTITION}}}:round:deal"
    await append(journals, 1, beside=Beside(key, "text", FAR))
    with pytest.raises(ConflictError):
        await append(journals, 1, beside=Beside(key, "other", FAR))
    assert await redis.get(key) == "text"
    assert await redis.pttl(key) > 0
