"""Replicas: commands decided immediately, or after a read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from server.base.core.refusal import UnavailableError
from server.base.redis.connection import Client
from tests.base.journals.entries import FAR, replace_journal
from tests.base.journals.test_replica import (
    KEY,
    SOON,
    WordJournal,
    Words,
    journal,
    one,
    two,
    unacknowledged,
)
from tests.base.redis.servers import calls, in_flight, until, writes_held_up

__all__ = ["one", "two", "unacknowledged"]


@pytest.fixture
async def current(one: WordJournal) -> WordJournal:
    """Return an up-to-date replica of the journal `a`."""
    await one.add("a")
    one.definition.reported.clear()
    return one


async def test_a_command_is_decided_immediately_on_a_current_state(
    redis: Client, current: WordJournal
) -> None:
    before = {name: await calls(redis, name) for name in ("evalsha", "eval", "xrange")}
    pending = current.add_soon("b")
    assert pending.seen == [("a",)]
    assert await pending.outcome() == ("a", "b")
    second = current.add_soon("c")
    assert second.seen == [("a", "b")]
    assert await second.outcome() == ("a", "b", "c")
    assert current.definition.reported == [(("a",), ("a", "b")), (("a", "b"), ("a", "b", "c"))]
    assert await journal(redis) == ("a", "b", "c")
    made = {name: await calls(redis, name) - count for name, count in before.items()}
    # The only read is from the assertion above.
    assert made == {"evalsha": 2, "eval": 0, "xrange": 1}


async def test_an_unread_journal_is_read_first(
    redis: Client, current: WordJournal, two: WordJournal
) -> None:
    pending = two.add_soon("b")
    assert await pending.outcome() == ("a", "b")
    assert pending.seen[-1] == ("a",)
    assert await journal(redis) == ("a", "b")


async def test_after_an_append_in_doubt_the_journal_is_read_before_the_next_append(
    redis: Client, current: WordJournal
) -> None:
    async with writes_held_up(redis):
        lost = current.add_soon("b")
        await until(lambda: in_flight(redis, "evalsha"))
        connection = current.lose_connection()
        with pytest.raises(UnavailableError):
            await lost.outcome()
    # The connection is down, and Redis has other entries than the replica knew.
    await replace_journal(redis, KEY, "x")
    assert connection.generation == 0
    assert await current.add_soon("c").outcome() == ("x", "c")
    assert await journal(redis) == ("x", "c")
    assert current.definition.reported == [(("x",), ("x", "c"))]


async def test_concurrent_commands_are_decided_in_turn(redis: Client, current: WordJournal) -> None:
    pending_words = [current.add_soon(str(number)) for number in range(20)]
    assert [len(pending.seen) for pending in pending_words] == [1, *[0] * 19]
    words = ("a", *map(str, range(20)))
    for count, pending in enumerate(pending_words, start=2):
        assert await pending.outcome() == words[:count]
        assert pending.seen == [words[: count - 1]]
    assert await journal(redis) == words


async def test_an_exception_in_a_decision_is_reported_and_affects_no_other_command(
    redis: Client, current: WordJournal
) -> None:
    def broken(_: Words) -> bool:
        raise RuntimeError("broken on purpose")

    pending = current.add_soon("b", unless=broken)
    with pytest.raises(RuntimeError, match="on purpose"):
        await pending.outcome()
    assert await current.add_soon("c").outcome() == ("a", "c")
    assert await journal(redis) == ("a", "c")


async def test_a_flushed_script_is_loaded_again(redis: Client, current: WordJournal) -> None:
    await redis.script_flush()
    pending = current.add_soon("b")
    assert await pending.outcome() == ("a", "b")
    assert pending.seen == [("a",)] * 2
    assert current.definition.reported == [(("a",), ("a", "b"))]
    assert await journal(redis) == ("a", "b")


async def test_an_append_that_cannot_be_batched_is_still_written(
    redis: Client, current: WordJournal
) -> None:
    current.definition.expires = FAR
    assert await current.add_soon("b").outcome() == ("a", "b")
    assert current.definition.reported == [(("a",), ("a", "b"))]
    assert await redis.pttl(current.definition.key()) > 0


async def test_an_append_without_an_answer_is_resolved_by_the_next_read(
    redis: Client, current: WordJournal, unacknowledged: Callable[[], None]
) -> None:
    with pytest.raises(UnavailableError):
        await current.add_soon("b").outcome()
    assert current.definition.reported == []
    unacknowledged()
    assert await current.replica.refresh() == ("a", "b")
    assert current.definition.reported == [(("a",), ("a", "b"))]
    pending = current.add_soon("c")
    assert pending.seen == [("a", "b")]
    await pending.outcome()
    await current.replica.refresh()
    assert current.definition.reported == [(("a",), ("a", "b")), (("a", "b"), ("a", "b", "c"))]


@pytest.mark.usefixtures("quick_redis")
async def test_an_unwritten_append_in_doubt_is_dropped(
    redis: Client, current: WordJournal, two: WordJournal
) -> None:
    async with writes_held_up(redis):
        first = asyncio.create_task(current.node.database.write(KEY, "SET", "{p0}:x", ""))
        await until(lambda: in_flight(redis, "set"))
        pending = current.add_soon("b")
        current.lose_connection()
        with pytest.raises(UnavailableError):
            await pending.outcome()
        await asyncio.gather(first, return_exceptions=True)
    assert pending.seen == [("a",)]
    await two.add("c")
    assert await current.add_soon("d").outcome() == ("a", "c", "d")
    assert current.definition.reported == [(("a", "c"), ("a", "c", "d"))]


@pytest.mark.parametrize("count", [1, 3])
async def test_a_waiting_refresh_precedes_a_later_command(current: WordJournal, count: int) -> None:
    """A client whose commands follow each other without a pause does not starve others."""
    order: list[str | Words | None] = []
    later = iter("cdefgh")

    def send_next() -> None:
        if (word := next(later, None)) is not None:
            pending = current.add_soon(word)
            pending.then = send_next
        order.append(word)

    async def refresh() -> None:
        order.append(await current.replica.refresh())

    current.add_soon("b").then = send_next
    async with asyncio.TaskGroup() as group:
        for _ in range(count):
            group.create_task(refresh())
        await asyncio.sleep(0)
    # The first command is answered, and sends the next one, before the refreshes' turn.
    assert order[: count + 1] == ["c", *[("a", "b")] * count]


async def test_a_cancelled_refresh_passes_its_turn_to_the_next(current: WordJournal) -> None:
    first = current.add_soon("b")
    refreshes = [asyncio.create_task(current.replica.refresh()) for _ in range(3)]
    await asyncio.sleep(0)
    refreshes[0].cancel()
    first.then = refreshes[1].cancel
    assert await refreshes[2] == ("a", "b")
    for cancelled in refreshes[:2]:
        with pytest.raises(asyncio.CancelledError):
            await cancelled
    assert await current.add_soon("c").outcome() == ("a", "b", "c")


@SOON
async def test_a_stored_entry_is_answered_even_if_its_subscriber_fails(
    redis: Client,
    current: WordJournal,
    monkeypatch: pytest.MonkeyPatch,
    loop_faults: list[str],
    *,
    soon: bool,
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("broken on purpose")

    with monkeypatch.context() as patched:
        patched.setattr(current.definition, "appended", broken)
        assert await current.add("b", soon=soon) == ("a", "b")
    assert loop_faults == ["broken on purpose"]
    assert await current.add_soon("c").outcome() == ("a", "b", "c")
    assert await journal(redis) == ("a", "b", "c")
    assert current.definition.reported == [(("a", "b"), ("a", "b", "c"))]


async def test_a_published_entry_is_compared_with_the_known_one(
    redis: Client, current: WordJournal
) -> None:
    assert current.replica.receive(1, "a")
    assert current.replica.receive(2, "b")
    assert current.replica.receive(2, "b")
    assert current.replica.receive(1, "a"), "it came late"
    assert not current.replica.receive(2, "x")
    assert current.replica.state == ("a", "b")
    # Any notified node reads the journal.
    await replace_journal(redis, KEY, "a", "x")
    assert await current.replica.refresh() == ("a", "x")
    assert not current.replica.receive(4, "z")
