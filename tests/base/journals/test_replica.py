"""Replicas: commands decided immediately or after a read, and again after a conflict."""

from __future__ import annotations

import asyncio
import gc
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from operator import itemgetter
from typing import Any

import pytest

from server.base.core import keys
from server.base.core.refusal import BaseRefusals, Refusal, UnavailableError
from server.base.journals import store as journals
from server.base.journals.core import machine
from server.base.journals.core.entry import Append
from server.base.journals.core.machine import Step
from server.base.journals.replica import Replica
from server.base.redis import pipeline
from server.base.redis.clock import RedisClock
from server.base.redis.connection import Client
from server.base.redis.pipeline import Pipeline
from server.base.work.clock import Clock
from server.base.work.pacing import PER_PASS
from server.play.core import keys as play_keys
from tests.base.journals.entries import FAR, replace_journal
from tests.base.redis.servers import (
    calls,
    in_flight,
    lose_connection,
    most_resumed,
    until,
    writes_held_up,
)
from tests.builders import START
from tests.dates import keep_clock
from tests.nodes import Node, SetClock
from tests.processes import PATIENCE

NAME = "words"
KEY = play_keys.attempt(NAME)
LATE = START + 1_000
SIZE = 1_000

Words = tuple[str, ...]


class _WordsDefinition:
    """A journal of words, with the due event `late` at the time `LATE`.

    Attributes:
        reported: the states before and after each reported append.
        asked_at: the time of the last check for due events.
    """

    def __init__(self) -> None:
        self.reported: list[tuple[Words | None, Words]] = []
        self.asked_at = 0
        self.expires: int | None = None

    def key(self) -> str:
        return KEY

    def decode(self, text: str) -> str:
        return text

    def fold(self, state: Words | None, event: str) -> Words:
        return (*(state or ()), event)

    def due(self, state: Words, now: int) -> str | None:
        self.asked_at = now
        return "late" if now >= LATE and "late" not in state else None

    def shared(self, state: Words) -> None:
        """Return `None`."""

    def size(self, state: Words, oldest: Words | None) -> int:
        return SIZE * len(state)

    def checkpoint(self, state: Words) -> None:
        """Write none."""

    def kept_until(self, state: Words) -> int:
        return LATE if self.expires is None else self.expires

    def append(self, before: Words | None, after: Words, event: str, number: int) -> Append:
        assert after == (*(before or ()), event)
        assert number == len(after)
        return Append(self.key(), number, event, keys.partition(NAME), self.expires)

    def appended(self, before: Words | None, after: Words, append: Append) -> None:
        assert append.payload == after[-1]
        self.reported.append((before, after))


class WordJournal:
    """A replica of the journal on a node.

    Attributes:
        seen: the states seen by the last command's decisions.
    """

    def __init__(self, node: Node, clock: Clock) -> None:
        self.node = node
        self.definition = _WordsDefinition()
        self.replica = Replica[Words, str](node.services.journal_store, clock, self.definition)
        self.seen: list[Words | None] = []

    async def add(
        self, word: str | None, unless: Callable[[Words], bool] | None = None, *, soon: bool = False
    ) -> Words:
        """Add a word, or nothing, and return the new state; refuse where `unless` holds."""
        if soon:
            assert word is not None
            pending = self.add_soon(word, unless)
            self.seen = pending.seen
            return await pending.outcome()
        self.seen = []

        def decide(state: Words | None, now: int) -> str | None:
            self.seen.append(state)
            assert now == self.definition.asked_at or state is None
            if unless is not None and unless(state or ()):
                raise Refusal(BaseRefusals.internal, "refused by the test")
            return word

        return (await self.replica.decide(decide)).after

    def add_soon(self, word: str, unless: Callable[[Words], bool] | None = None) -> _PendingWord:
        """Add a word by a command that is decided immediately if the state is current."""
        pending = _PendingWord(word, unless)
        self.replica.submit(pending)
        return pending

    def lose_connection(self) -> Pipeline:
        """Break the connection to Redis, and return it."""
        return lose_connection(self.node.database, KEY)


class _PendingWord:
    """A command that adds a word.

    Attributes:
        seen: the states seen by its decisions.
        then: called when it is finished.
    """

    def __init__(self, word: str, unless: Callable[[Words], bool] | None = None) -> None:
        self.seen: list[Words | None] = []
        self.then: Callable[[], object] = lambda: None
        self._word = word
        self._unless = unless
        self._outcome: asyncio.Future[Words] = asyncio.get_running_loop().create_future()

    def decide(self, state: Words | None, _: int) -> tuple[str, Words]:
        self.seen.append(state)
        if self._unless is not None and self._unless(state or ()):
            raise Refusal(BaseRefusals.internal, "refused by the test")
        return self._word, (*(state or ()), self._word)

    def finish(self, outcome: Step[Words] | Exception) -> None:
        if isinstance(outcome, Exception):
            self._outcome.set_exception(outcome)
        else:
            self._outcome.set_result(outcome.after)
        self.then()

    async def outcome(self) -> Words:
        """Return the new state, or raise the command's error."""
        async with asyncio.timeout(PATIENCE):
            return await self._outcome


@pytest.fixture
def one(node: Node, clock: SetClock) -> WordJournal:
    return WordJournal(node, clock)


@pytest.fixture
def two(other: Node, clock: SetClock) -> WordJournal:
    return WordJournal(other, clock)


async def journal(redis: Client) -> Words:
    entries: Any = await redis.xrange(KEY)
    return tuple(fields["e"] for _, fields in entries)


async def test_a_missing_journal_has_no_state(one: WordJournal) -> None:
    assert await one.replica.refresh() is None


async def test_a_command_is_decided_on_the_current_state(redis: Client, one: WordJournal) -> None:
    assert await one.add("a") == ("a",)
    assert await one.add("b") == ("a", "b")
    assert one.seen == [("a",)]
    assert one.definition.reported == [(None, ("a",)), (("a",), ("a", "b"))]
    assert await journal(redis) == ("a", "b")


SOON = pytest.mark.parametrize("soon", [True, False], ids=["at once", "in a task"])
"""Whether a command is decided immediately if the state is current."""


@SOON
async def test_after_a_conflict_missed_entries_are_folded_and_the_command_decided_again(
    redis: Client, one: WordJournal, two: WordJournal, *, soon: bool
) -> None:
    await one.add("a")
    await two.replica.refresh()
    await one.add("b")
    await one.add("c")
    assert await two.add("d", soon=soon) == ("a", "b", "c", "d")
    assert two.seen == [("a",), ("a", "b", "c")]
    assert two.definition.reported == [(("a", "b", "c"), ("a", "b", "c", "d"))]
    assert await journal(redis) == ("a", "b", "c", "d")
    assert await one.replica.refresh() == ("a", "b", "c", "d")


@SOON
async def test_a_refusal_on_a_stale_state_is_decided_again(
    one: WordJournal, two: WordJournal, *, soon: bool
) -> None:
    await one.add("a")
    await two.replica.refresh()
    await one.add("b")
    assert await two.add("c", lambda state: "b" not in state, soon=soon) == ("a", "b", "c")
    assert two.seen == [("a",), ("a", "b")]
    with pytest.raises(Refusal, match="internal"):
        await two.add("d", lambda state: "c" in state, soon=soon)
    assert two.seen == [("a", "b", "c")] * 2
    assert two.add_soon("e").seen == [("a", "b", "c")]


async def test_a_no_op_on_a_stale_state_is_decided_again(
    one: WordJournal, two: WordJournal
) -> None:
    await one.add("off")
    await two.replica.refresh()
    await one.add("on")

    def switch_off(state: Words | None, _: int) -> str | None:
        assert state is not None
        return None if state[-1] == "off" else "off"

    assert (await two.replica.decide(switch_off)).after == ("off", "on", "off")
    step = await two.replica.decide(switch_off)
    assert step.before == step.after == ("off", "on", "off")


async def test_a_command_on_a_deleted_journal_is_decided_without_a_state(
    redis: Client, one: WordJournal
) -> None:
    await one.add("a")
    await redis.delete(KEY)
    assert await one.add("b") == ("b",)
    assert one.seen == [("a",), None]
    await redis.delete(KEY)
    with pytest.raises(Refusal, match="internal"):
        await one.add("c", unless=lambda state: state == ())
    assert await journal(redis) == ()


@SOON
@pytest.mark.parametrize("refreshed", [True, False])
async def test_a_due_event_is_appended_before_a_command(
    redis: Client, one: WordJournal, clock: SetClock, refreshed: bool, *, soon: bool
) -> None:
    await one.add("a")
    clock.time = LATE
    if refreshed:
        assert await one.replica.refresh() == ("a", "late")
    assert await one.add("b", soon=soon) == ("a", "late", "b")
    assert one.seen == [("a", "late")]
    assert await journal(redis) == ("a", "late", "b")


async def test_a_due_event_seen_by_two_nodes_is_appended_once(
    redis: Client, one: WordJournal, two: WordJournal, clock: SetClock
) -> None:
    await one.add("a")
    await two.replica.refresh()
    clock.time = LATE
    for state in await asyncio.gather(one.replica.refresh(), two.replica.refresh()):
        assert state == ("a", "late")
    assert await journal(redis) == ("a", "late")


class _TickingClock(SetClock):
    """A clock that advances by a millisecond on each reading."""

    def __init__(self) -> None:
        super().__init__(LATE - 50)

    def now(self) -> int:
        self.time += 1
        return self.time


async def test_no_command_is_appended_between_a_deadline_and_its_event(
    redis: Client, node: Node
) -> None:
    ticking = WordJournal(node, _TickingClock())
    while "late" not in await ticking.add("on time"):
        pass
    words = await journal(redis)
    assert words[-2:] == ("late", "on time")
    assert words.count("late") == 1


async def test_an_append_cancelled_in_flight_is_kept(redis: Client, one: WordJournal) -> None:
    await one.add("a")
    async with writes_held_up(redis):
        task = asyncio.create_task(one.add("b"))
        await until(lambda: in_flight(redis, "evalsha"))
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert await one.add("c") == ("a", "b", "c")
    assert await journal(redis) == ("a", "b", "c")


async def test_concurrent_commands_are_all_appended_in_some_order(
    redis: Client, one: WordJournal, two: WordJournal
) -> None:
    sent = [f"{name} {number}" for name in "ab" for number in range(40)]
    await asyncio.gather(*((one if word[0] == "a" else two).add(word) for word in sent))
    words = await journal(redis)
    # The words of each node keep their order.
    assert sorted(words, key=itemgetter(0)) == sent


class _Caller:
    """The owner of a command."""

    def decide(self, _: Words | None, __: int) -> str:
        raise LookupError


@pytest.mark.parametrize("first", ["an empty replica", "a current replica", "a waiting command"])
async def test_the_caller_of_a_failed_command_is_freed_without_a_garbage_collection(
    one: WordJournal, first: str
) -> None:
    reading = asyncio.create_task(one.replica.refresh())
    if first == "a current replica":
        await reading
    if first == "a waiting command":
        await asyncio.sleep(0)
    caller = _Caller()
    freed = weakref.ref(caller)
    gc.disable()
    try:
        with suppress(LookupError):
            await one.replica.decide(caller.decide)
        del caller
        await reading
        # This task was woken by the future that has the exception.
        await asyncio.sleep(0)
        assert freed() is None
    finally:
        gc.enable()


@SOON
@pytest.mark.parametrize(
    "left", [("a",), ("a", "b", "x"), ("a", "b", "x", "y"), ("x", "y"), ("a", "b", "y", "z", "c")]
)
async def test_after_redis_lost_entries_a_command_is_decided_on_the_remaining_ones(
    redis: Client, one: WordJournal, left: Words, *, soon: bool
) -> None:
    for word in "abc":
        await one.add(word)
    await replace_journal(redis, KEY, *left)
    one.lose_connection()
    assert await one.add("d", soon=soon) == (*left, "d")
    assert one.seen == [("a", "b", "c"), left]
    assert one.definition.reported[-1] == (left, (*left, "d"))
    assert await journal(redis) == (*left, "d")
    await replace_journal(redis, KEY, *left)
    one.lose_connection()
    assert await one.replica.refresh() == left


@pytest.mark.parametrize(
    ("left", "lost"),
    [((), 3), (("a",), 2), (("a", "b"), 1), (("a", "b", "x"), 1), (("a", "b", "x", "y"), 1)],
)
async def test_lost_acknowledged_entries_of_this_node_are_counted_once(
    redis: Client, node: Node, one: WordJournal, left: Words, lost: int
) -> None:
    for word in "abc":
        await one.add(word)
    await replace_journal(redis, KEY, *left)
    one.lose_connection()
    for _ in range(2):
        assert await one.replica.refresh() == (left or None)
        metrics = node.database.metrics
        assert (metrics.lost_journals, metrics.lost_entries) == (1, lost)
    assert node.database.losses.text.endswith(f"0 s of writes, {lost} entries of 1 journals.")


async def test_other_nodes_entries_and_expired_journals_are_not_counted_as_lost(
    redis: Client, node: Node, clock: SetClock, one: WordJournal, two: WordJournal
) -> None:
    await one.add("a")
    await two.add("b")
    await one.replica.refresh()
    await replace_journal(redis, KEY, "a")
    one.lose_connection()
    assert await one.replica.refresh() == ("a",)
    await one.add("c")
    one.definition.expires = clock.time
    await redis.delete(KEY)
    one.lose_connection()
    assert await one.replica.refresh() is None
    assert node.database.losses.text == ""


@pytest.fixture
async def unacknowledged(
    monkeypatch: pytest.MonkeyPatch, node: Node, one: WordJournal
) -> Callable[[], None]:
    """Make written appends time out as unacknowledged, until the returned call."""
    await one.replica.refresh()

    def set_(within: float, acks: int) -> None:
        monkeypatch.setattr(pipeline, "ACKNOWLEDGED_WITHIN", within)
        monkeypatch.setattr(node.database.pipeline_of(KEY), "_acks", acks)

    set_(0.01, 9)
    return partial(set_, PATIENCE, node.database.acks)


@SOON
async def test_a_failed_append_is_not_reported(
    one: WordJournal, two: WordJournal, monkeypatch: pytest.MonkeyPatch, *, soon: bool
) -> None:
    await one.add("a")
    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "MAX_WAITING", 0)
        with pytest.raises(UnavailableError):
            await one.add("b", soon=soon)
    await two.add("c")
    assert await one.add("d", soon=soon) == ("a", "c", "d")
    assert one.definition.reported == [(None, ("a",)), (("a", "c"), ("a", "c", "d"))]


@SOON
@pytest.mark.parametrize("jump", [-60.0, 60.0])
async def test_after_a_clock_jump_the_clock_is_sampled_and_the_command_decided_again(
    redis: Client, node: Node, monkeypatch: pytest.MonkeyPatch, jump: float, *, soon: bool
) -> None:
    keep_clock(monkeypatch)
    monkeypatch.setattr(journals, "CLOCK_TOLERANCE_MS", 2_000)
    clock = RedisClock(node.database)
    await clock.sample()
    word_journal = WordJournal(node, clock)
    await word_journal.add("late")
    clock._offset += jump
    assert await word_journal.add("a", soon=soon) == ("late", "a")
    assert word_journal.seen == [("late",), ("late",)]
    assert abs(word_journal.definition.asked_at - time.time() * 1000) < 2_000
    assert await journal(redis) == ("late", "a")


class _WrongClock(SetClock):
    """A clock that stays wrong after any number of samples."""

    samples = 0

    async def sample(self) -> None:
        """Count, and correct nothing."""
        self.samples += 1


async def test_a_clock_that_stays_wrong_fails_after_a_bounded_number_of_retries(
    redis: Client, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "CLOCK_TOLERANCE_MS", 2_000)
    clock = _WrongClock()
    word_journal = WordJournal(node, clock)
    for _ in range(2):
        async with asyncio.timeout(PATIENCE):
            with pytest.raises(UnavailableError, match="too far from Redis"):
                await word_journal.add("a")
    assert clock.samples == machine.MAX_MISTIMED
    assert await journal(redis) == ()
    # With a correct clock, commands succeed again.
    clock.time = int(time.time() * 1000)
    assert await word_journal.add("a") == ("a",)


async def test_a_new_journal_is_started_without_reading_it(
    redis: Client, one: WordJournal, two: WordJournal
) -> None:
    before = await calls(redis, "xrange")
    assert await one.add("a") == ("a",)
    assert await calls(redis, "xrange") == before
    # If the journal is not new, the append finds a conflict.
    assert await two.add("b") == ("a", "b")
    assert two.seen == [None, ("a",)]
    assert await journal(redis) == ("a", "b")


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


async def test_commands_of_one_batch_end_a_few_per_pass_of_the_loop(
    node: Node, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Named(_WordsDefinition):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        def key(self) -> str:
            return play_keys.attempt(self.name)

    replicas = [
        Replica[Words, str](node.services.journal_store, clock, Named(f"words{number}"))
        for number in range(10 * PER_PASS)
    ]
    # More are resumed after a long pass, as on a busy machine.
    monkeypatch.setattr(node.database.pacer, "_clock", lambda: 1.0)
    # The first command reads the journal.
    await asyncio.gather(*(each.decide(lambda *_: "a") for each in replicas))
    assert await most_resumed(each.decide(lambda *_: "b") for each in replicas) == PER_PASS
    assert {each.state for each in replicas} == {("a", "b")}


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
