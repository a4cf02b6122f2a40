"""Entries of a newer release are refused with a code, and left unchanged."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import msgspec
import pytest
from structlog.testing import capture_logs

from server.base.core import keys
from server.base.core.ids import AttemptId, DealId
from server.base.core.refusal import Refusal, UnreadableError
from server.base.journals.core.entry import AppendedEntry
from server.base.journals.reader import Reader
from server.deals.core import keys as deals_keys
from server.play.core import keys as play_keys
from server.rooms.core import commands
from server.rooms.core import keys as rooms_keys
from server.rooms.core.events import Event
from tests.base.journals.entries import replace_journal
from tests.base.outbox.outboxes import all_due, all_effects, all_set_aside
from tests.base.outbox.test_effects import finish_daily
from tests.builders import ADA, BOB
from tests.nodes import Node, SetClock, attempt_of, node_on, round_of
from tests.play.test_attempts import begin, entries

NEWER = '{"type":"redone","at":1}'


async def newer_rules(node: Node, attempt: AttemptId) -> None:
    """Change an attempt and its deal as if a newer release had drawn it by unknown rules."""
    deal = deals_keys.deal(attempt.partition(".")[0])
    await node.redis.hset(deal, "rules", "0" * 16)
    key = play_keys.attempt(attempt)
    first, *later = await node.services.journal_store.read_from(key, 1)
    changed = json.dumps(json.loads(first) | {"rules": "0" * 16})
    await replace_journal(node.redis, key, changed, *later)


async def newer_entry(node: Node, attempt: AttemptId) -> None:
    """Append an entry of an unknown type, as a newer release might."""
    await node.redis.xadd(play_keys.attempt(attempt), {"e": NEWER}, id="0-3")


async def newer_deal(node: Node, attempt: AttemptId) -> None:
    """Change an attempt's deal as if a newer release had stored it in another format."""
    deal = deals_keys.deal(attempt.partition(".")[0])
    await node.redis.hset(deal, "format", "3")


@pytest.mark.parametrize("change", [newer_rules, newer_entry, newer_deal])
async def test_a_newer_attempt_is_refused_and_left_alone(
    node: Node,
    redis_url: str,
    clock: SetClock,
    change: Callable[[Node, AttemptId], Awaitable[None]],
) -> None:
    code = "unknown_rules" if change is newer_rules else "unknown_format"
    attempt = await begin(node)
    await node.play(attempt, ADA)
    await change(node, attempt)
    before = await entries(node, attempt)
    async with node_on(redis_url, clock) as other:
        with capture_logs() as logs:
            for ask in (
                other.attempts.open(attempt, ADA),
                other.attempts.resign(attempt, ADA, len(before) + 1),
                other.attempts.find(attempt),
            ):
                with pytest.raises(UnreadableError, match=code):
                    await ask
        assert code in {line["event"] for line in logs}
        # Also after its deadline: a node of the newer release will end it.
        clock.time += 10 * 86_400_000
        due = await all_due(other.services.outbox_store, clock.time)
        with capture_logs() as logs:
            await other.sweep()
        left = {"event": "effect_left", "name": f"a:{attempt}", "code": code}
        assert any(left.items() <= line.items() for line in logs)
        assert due
        assert await all_due(other.services.outbox_store, clock.time) == due
        assert await all_set_aside(other.database) == {}
    assert await entries(node, attempt) == before


async def test_a_newer_effect_is_left_alone(node: Node) -> None:
    await finish_daily(node)
    ((name, text),) = await all_effects(node.services.outbox_store)
    newer = json.dumps(json.loads(text) | {"type": "finish2"})
    await node.redis.hset(keys.outbox(keys.partition(name)), name, newer)
    await node.sweep()
    assert await all_effects(node.services.outbox_store) == [(name, newer)]
    await node.redis.hset(keys.outbox(keys.partition(name)), name, text)
    await node.sweep()
    assert await all_effects(node.services.outbox_store) == []


async def test_a_newer_room_is_refused_and_not_treated_as_missing(node: Node, other: Node) -> None:
    room, code = await node.race_of(ADA)
    number = await node.redis.xlen(rooms_keys.room(code)) + 1
    await node.redis.xadd(rooms_keys.room(code), {"e": NEWER}, id=f"0-{number}")
    result = (await node.state_of(attempt_of(room, ADA))).result
    for ask in (
        other.rooms.load(code),
        # Treating the room as missing would reveal the seed and drop the result.
        other.services.closed_deals.load(round_of(room).deal),
        other.rooms.finish(code, round_of(room).deal, ADA, result),
        other.rooms.pass_deadline(code),
    ):
        with pytest.raises(UnreadableError, match="unknown_format"):
            await ask


async def test_a_room_with_a_round_of_unknown_rules_is_unreadable_from_there(
    node: Node, other: Node, clock: SetClock
) -> None:
    code = (await node.room_of(ADA)).opened.code
    before = await other.rooms.load(code)
    event = commands.start(
        before, ADA, DealId("r" * 16), "c0ffee", clock.time, present=[ADA], rules="0" * 16
    )
    number, text = before.version + 1, msgspec.json.encode(event).decode()
    other.services.live.follow(code)
    other.services.live.fold(code, AppendedEntry(number, text))
    assert other.services.live.state(code) == before
    await node.redis.xadd(rooms_keys.room(code), {"e": text}, id=f"0-{number}")
    with pytest.raises(UnreadableError, match="unknown_rules"):
        await other.rooms.load(code)
    with pytest.raises(UnreadableError, match="unknown_rules"):
        await other.rooms.decide(code, commands.take_seat, BOB)
    # The state before that entry can still be shown.
    assert other.services.live.cached(code) == before


async def test_a_round_of_a_withdrawn_game_is_refused(node: Node, other: Node) -> None:
    code = (await node.room_of(ADA)).opened.code
    key = rooms_keys.room(code)
    (first, *rest) = await node.services.journal_store.read_from(key, 1)
    await replace_journal(node.redis, key, first.replace('"lady-betty"', '"gone"'), *rest)
    with pytest.raises(Refusal, match="unknown_game"):
        await other.rooms.start(code, ADA, [ADA])


async def test_a_round_of_unknown_rules_is_not_ended(
    node: Node, redis_url: str, clock: SetClock
) -> None:
    room, code = await node.race_of(ADA)
    attempt = attempt_of(room, ADA)
    await newer_rules(node, attempt)
    clock.time = round_of(room).deadline
    async with node_on(redis_url, clock) as other:
        with pytest.raises(UnreadableError, match="unknown_rules"):
            await other.rooms.pass_deadline(code)
        assert (await other.rooms.load(code)).running is not None


def test_an_invalid_entry_is_not_mistaken_for_a_newer_one() -> None:
    reader: Reader[Event] = Reader(Event)
    with pytest.raises(msgspec.ValidationError):
        reader.decode('{"type":"left","player":7,"at":1}')
    with pytest.raises(msgspec.DecodeError):
        reader.decode("{")
