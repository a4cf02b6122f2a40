"""Outboxes: pending effects and due items."""

from __future__ import annotations

from operator import itemgetter

import pytest
from structlog.testing import capture_logs

from server.base.core import keys
from server.base.core.ids import AttemptId, RoomCode
from server.base.journals.store import JournalStore
from server.base.outbox import store as outbox_store
from server.base.outbox.store import OutboxStore
from server.base.redis.clock import RedisClock
from server.base.redis.connection import Client
from server.base.redis.database import Database
from server.play.core.keys import AttemptDue
from server.rooms.core.keys import RoundDue
from tests.base.journals.entries import append
from tests.base.outbox.outboxes import all_due, all_effects, all_set_aside

NAMES = [f"{number:016}.ada0000000000000" for number in range(30)]


@pytest.fixture
def outboxes(database: Database) -> OutboxStore:
    made = OutboxStore(database)
    made.kinds = {kind.kind: kind for kind in (AttemptDue, RoundDue)}
    return made


def due_of(name: str) -> AttemptDue:
    return AttemptDue(AttemptId(name))


async def start(database: Database, name: str, due: int | None = None) -> None:
    """Start a journal with an effect, and a due item if `due` is given."""
    at = await RedisClock(database).confirm()
    effect = (name, f"effect of {name}")
    item = (due_of(name), due) if due is not None else None
    await append(JournalStore(database), 1, "text", name=name, at=at, effect=effect, due=item)


async def test_effects_of_every_partition_are_found_until_they_are_dropped(
    database: Database, outboxes: OutboxStore
) -> None:
    assert await all_effects(outboxes) == []
    for name in NAMES:
        await start(database, name)
    assert len({keys.partition(name) for name in NAMES}) > 20
    assert sorted(await all_effects(outboxes)) == [(name, f"effect of {name}") for name in NAMES]
    for name in NAMES[1:]:
        await outboxes.drop_effect(name)
        await outboxes.drop_effect(name)
    assert await all_effects(outboxes) == [(NAMES[0], f"effect of {NAMES[0]}")]


async def test_due_items_are_found_until_they_are_dropped(
    database: Database, outboxes: OutboxStore
) -> None:
    for time, name in enumerate(NAMES):
        await start(database, name, due=time)
    assert await all_due(outboxes, -1) == []
    found = await all_due(outboxes, 9)
    found.sort(key=itemgetter(1))
    assert found == [(due_of(name), time) for time, name in enumerate(NAMES[:10])]
    for due, time in found[1:]:
        await outboxes.drop_due(due, time)
    assert await all_due(outboxes, 9) == [(due_of(NAMES[0]), 0)]


async def test_an_item_with_a_later_time_is_not_dropped_with_the_first(
    redis: Client, database: Database, outboxes: OutboxStore
) -> None:
    name = NAMES[0]
    await start(database, name, due=5)
    [(due, time)] = await all_due(outboxes, 5)
    # Meanwhile another node has handled it, and given it a later time.
    await redis.zadd(keys.due(keys.partition(name)), {due.member: 50})
    await outboxes.drop_due(due, time)
    assert await all_due(outboxes, 50) == [(due, 50)]
    await outboxes.drop_due(due, 50)
    assert await all_due(outboxes, 50) == []


async def test_the_oldest_items_of_a_partition_come_first(
    redis: Client, outboxes: OutboxStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox_store, "MAX_BATCH", 2)
    await redis.zadd(keys.due(3), {"r:C": 3, "r:A": 1, "r:B": 2})
    first = [(RoundDue(RoomCode("A")), 1), (RoundDue(RoomCode("B")), 2)]
    assert await all_due(outboxes, 10) == first


async def test_pending_returns_the_effects_and_due_items_of_each_partition(
    database: Database, outboxes: OutboxStore
) -> None:
    for time, name in enumerate(NAMES):
        await start(database, name, due=time)
    numbers = sorted({keys.partition(name) for name in NAMES[:5]})
    found = await outboxes.pending(2, numbers)
    for number, left in zip(numbers, found, strict=True):
        here = [name for name in NAMES if keys.partition(name) == number]
        assert sorted(left.effects) == [(name, f"effect of {name}") for name in here]
        due = [(due_of(name), NAMES.index(name)) for name in here]
        assert left.due == [each for each in due if each[1] <= 2]
    assert await outboxes.pending(2, []) == []


async def test_items_set_aside_are_no_longer_pending(
    database: Database, outboxes: OutboxStore
) -> None:
    name, other = NAMES[:2]
    for each in (name, other):
        await start(database, each, due=5)
    number = keys.partition(name)
    for _ in range(2):
        await outboxes.set_aside(number, name, "text")
        await outboxes.set_aside(number, f"a:{name}", "due")
    assert await all_set_aside(database) == {name: "text", f"a:{name}": "due"}
    assert await all_effects(outboxes) == [(other, f"effect of {other}")]
    assert await all_due(outboxes, 5) == [(due_of(other), 5)]


async def test_a_due_item_of_an_unknown_kind_is_logged_and_kept(
    redis: Client, outboxes: OutboxStore
) -> None:
    await redis.zadd(keys.due(3), {"z:new": 1, "r:A": 2})
    with capture_logs() as logs:
        assert await all_due(outboxes, 10) == [(RoundDue(RoomCode("A")), 2)]
    assert [(entry["event"], entry["member"]) for entry in logs] == [("due_item_unknown", "z:new")]
    assert await redis.zscore(keys.due(3), "z:new") == 1
