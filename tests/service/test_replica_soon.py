"""Journals in memory: commands that are decided at once, and what happens when they cannot be."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest

from server.core.refusal import Refusal, UnavailableError
from server.store import journal as journals
from server.store import pipeline
from server.store.clock import Clock
from server.store.connection import Client
from tests.service.nodes import Node, SetClock
from tests.service.test_replica import LATE, Holder, Words, journal, one, put, two, unsure
from tests.store.entries import FAR
from tests.store.servers import calls, in_flight, until, writes_held_up

__all__ = ["one", "two", "unsure"]


@pytest.fixture
async def said(one: Holder) -> Holder:
    """Return a holder that has said `a`, and is up to date."""
    await one.say("a")
    one.definition.told.clear()
    return one


async def test_a_command_is_decided_at_once_on_a_current_state(redis: Client, said: Holder) -> None:
    before = {name: await calls(redis, name) for name in ("evalsha", "eval", "xrange")}
    saying = said.say_soon("b")
    assert saying.seen == [("a",)]
    assert await saying.outcome() == ("a", "b")
    again = said.say_soon("c")
    assert again.seen == [("a", "b")]
    assert await again.outcome() == ("a", "b", "c")
    assert said.definition.told == [(("a",), ("a", "b")), (("a", "b"), ("a", "b", "c"))]
    assert await journal(redis) == ("a", "b", "c")
    after = {name: await calls(redis, name) for name in before}
    # Looking at the journal above has read it once.
    assert {name: after[name] - before[name] for name in before} == {
        "evalsha": 2, "eval": 0, "xrange": 1,
    }  # fmt: skip


async def test_an_unread_journal_is_read_first(redis: Client, said: Holder, two: Holder) -> None:
    saying = two.say_soon("b")
    assert await saying.outcome() == ("a", "b")
    assert saying.seen[-1] == ("a",)
    assert await journal(redis) == ("a", "b")


async def test_a_state_read_on_an_older_connection_is_read_again_first(
    redis: Client, said: Holder
) -> None:
    await said.say("b")
    await put(redis, "a", "x")
    said.lose_connection()
    saying = said.say_soon("c")
    assert await saying.outcome() == ("a", "x", "c")
    assert saying.seen[-1] == ("a", "x")
    assert await journal(redis) == ("a", "x", "c")
    assert said.say_soon("d").seen == [("a", "x", "c")]


async def test_after_an_append_in_doubt_the_journal_is_read_before_the_next_append(
    redis: Client, said: Holder
) -> None:
    async with writes_held_up(redis):
        lost = said.say_soon("b")
        await until(lambda: in_flight(redis, "evalsha"))
        said.lose_connection()
        with pytest.raises(UnavailableError):
            await lost.outcome()
    # There is no connection now, and what Redis has is not what was known.
    await put(redis, "x")
    assert said.pipeline.generation == 0
    assert await said.say_soon("c").outcome() == ("x", "c")
    assert await journal(redis) == ("x", "c")
    assert said.definition.told == [(("x",), ("x", "c"))]


async def test_concurrent_commands_are_decided_one_after_the_other(
    redis: Client, said: Holder
) -> None:
    sayings = [said.say_soon(str(number)) for number in range(20)]
    assert [len(saying.seen) for saying in sayings] == [1, *[0] * 19]
    words = ("a", *map(str, range(20)))
    for count, saying in enumerate(sayings, start=2):
        assert await saying.outcome() == words[:count]
        assert saying.seen == [words[: count - 1]]
    assert await journal(redis) == words


async def test_a_refusal_on_a_stale_state_is_decided_again(said: Holder, two: Holder) -> None:
    await two.say("b")
    saying = said.say_soon("c", unless=lambda state: "b" not in state)
    assert await saying.outcome() == ("a", "b", "c")
    assert (saying.seen[0], saying.seen[-1]) == (("a",), ("a", "b"))
    refused = said.say_soon("d", unless=lambda state: "c" in state)
    with pytest.raises(Refusal, match="internal"):
        await refused.outcome()
    assert set(refused.seen) == {("a", "b", "c")}
    assert said.say_soon("e").seen == [("a", "b", "c")]


async def test_an_exception_in_a_decision_is_reported_and_affects_no_other_command(
    redis: Client, said: Holder
) -> None:
    def broken(_: Words) -> bool:
        raise RuntimeError("broken on purpose")

    saying = said.say_soon("b", unless=broken)
    with pytest.raises(RuntimeError, match="on purpose"):
        await saying.outcome()
    assert await said.say_soon("c").outcome() == ("a", "c")
    assert await journal(redis) == ("a", "c")


async def test_after_a_conflict_the_command_is_decided_again(
    redis: Client, said: Holder, two: Holder
) -> None:
    await two.say("b")
    saying = said.say_soon("c")
    assert await saying.outcome() == ("a", "b", "c")
    assert saying.seen == [("a",), ("a", "b")]
    assert said.definition.told == [(("a", "b"), ("a", "b", "c"))]
    assert await journal(redis) == ("a", "b", "c")


async def test_a_script_that_redis_has_flushed_is_loaded_again(redis: Client, said: Holder) -> None:
    await redis.script_flush()
    saying = said.say_soon("b")
    assert await saying.outcome() == ("a", "b")
    assert saying.seen == [("a",)] * 2
    assert said.definition.told == [(("a",), ("a", "b"))]
    assert await journal(redis) == ("a", "b")


async def test_a_due_event_is_appended_before_a_command(
    redis: Client, said: Holder, clock: SetClock
) -> None:
    clock.time = LATE
    saying = said.say_soon("b")
    assert await saying.outcome() == ("a", "late", "b")
    assert saying.seen == [("a", "late")]
    assert await journal(redis) == ("a", "late", "b")


async def test_an_append_that_cannot_be_batched_is_written_too(redis: Client, said: Holder) -> None:
    said.definition.expires = FAR
    before = await calls(redis, "evalsha")
    assert await said.say_soon("b").outcome() == ("a", "b")
    assert await calls(redis, "evalsha") == before
    assert said.definition.told == [(("a",), ("a", "b"))]
    assert await redis.pttl(said.definition.key()) > 0


async def test_a_command_that_the_full_queue_refuses_is_not_reported(
    redis: Client, said: Holder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "MAX_WAITING", 0)
        with pytest.raises(UnavailableError):
            await said.say_soon("b").outcome()
    assert await said.say_soon("c").outcome() == ("a", "c")
    assert said.definition.told == [(("a",), ("a", "c"))]
    assert await journal(redis) == ("a", "c")


async def test_an_append_without_an_answer_is_resolved_by_the_next_read(
    redis: Client, said: Holder, unsure: Callable[[], None]
) -> None:
    with pytest.raises(UnavailableError):
        await said.say_soon("b").outcome()
    assert said.definition.told == []
    unsure()
    assert await said.replica.refresh() == ("a", "b")
    assert said.definition.told == [(("a",), ("a", "b"))]
    saying = said.say_soon("c")
    assert saying.seen == [("a", "b")]
    await saying.outcome()
    await said.replica.refresh()
    assert said.definition.told == [(("a",), ("a", "b")), (("a", "b"), ("a", "b", "c"))]


async def test_an_append_in_doubt_that_was_not_written_is_dropped(
    redis: Client, said: Holder, two: Holder
) -> None:
    async with writes_held_up(redis):
        key = said.definition.key()
        first = asyncio.create_task(said.node.database.write(key, "SET", "{x}", ""))
        await until(lambda: in_flight(redis, "set"))
        saying = said.say_soon("b")
        said.lose_connection()
        with pytest.raises(UnavailableError):
            await saying.outcome()
        await asyncio.gather(first, return_exceptions=True)
    assert saying.seen == [("a",)]
    await two.say("c")
    assert await said.say_soon("d").outcome() == ("a", "c", "d")
    assert said.definition.told == [(("a", "c"), ("a", "c", "d"))]


@pytest.mark.parametrize("jump", [-60.0, 60.0])
async def test_after_a_clock_jump_the_clock_is_sampled_and_the_command_decided_again(
    redis: Client, node: Node, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    monkeypatch.setattr(journals, "CLOCK_TOLERANCE", 2_000)
    clock = Clock(node.database)
    await clock.sample()
    holder = Holder(node, clock)
    await holder.say("late")
    monkeypatch.setattr(clock, "_offset", clock.__dict__["_offset"] + jump)
    saying = holder.say_soon("a")
    assert await saying.outcome() == ("late", "a")
    assert saying.seen == [("late",)] * 2
    assert abs(holder.definition.asked_at - time.time() * 1000) < 2_000
    assert await journal(redis) == ("late", "a")


@pytest.mark.parametrize("count", [1, 3])
async def test_a_waiting_refresh_precedes_a_later_command(said: Holder, count: int) -> None:
    """A client whose commands follow each other without a pause keeps nobody waiting."""
    told: list[str | Words | None] = []
    asked = iter("cdefgh")

    def again() -> None:
        if (word := next(asked, None)) is not None:
            saying = said.say_soon(word)
            saying.then = again
        told.append(word)

    async def look() -> None:
        told.append(await said.replica.refresh())

    said.say_soon("b").then = again
    async with asyncio.TaskGroup() as group:
        for _ in range(count):
            group.create_task(look())
        await asyncio.sleep(0)
    # The first command is answered, and the next one comes, before the first has its turn.
    assert told == ["c", *[("a", "b")] * count]


async def test_a_cancelled_refresh_passes_its_turn_to_the_next(said: Holder) -> None:
    first = said.say_soon("b")
    looks = [asyncio.create_task(said.replica.refresh()) for _ in range(3)]
    await asyncio.sleep(0)
    looks[0].cancel()
    first.then = looks[1].cancel
    assert await looks[2] == ("a", "b")
    for given_up in looks[:2]:
        with pytest.raises(asyncio.CancelledError):
            await given_up
    assert await said.say_soon("c").outcome() == ("a", "b", "c")
