"""Effects: each finish is applied once, by any node and after any number of attempts."""

from __future__ import annotations

import asyncio
from operator import itemgetter

import pytest

from engine.catalog import ruleset
from server.base.core import days, keys
from server.base.core.bus_message import encode
from server.base.core.days import DailyId
from server.base.core.due import Due
from server.base.core.ids import AttemptId, PlayerId
from server.play.core import keys as play_keys
from server.play.core.keys import AttemptDue
from server.play.core.result import Row, pack
from server.results.core import bus as board_bus
from server.results.core.boards import of_daily
from server.results.core.bus import ScoreChanged
from server.results.leaderboards_store import Placement
from server.rooms.core import keys as rooms_keys
from server.rooms.core.keys import RoundDue
from tests.base.outbox.outboxes import all_due, all_effects, all_set_aside
from tests.base.redis.servers import running, until_equal
from tests.builders import ADA, BOB, START
from tests.nodes import BEGUN, OVER, Node, SetClock, attempt_of

DAY = days.day_at(START)
GAME = "robert"
BOARD = of_daily(DailyId(GAME, DAY), "guests")


async def finish_daily(node: Node, player: PlayerId = ADA) -> AttemptId:
    """Play three moves of a player's daily, and resign."""
    found = await node.dailies.open(player, GAME)
    for _ in range(3):
        await node.play(found.attempt, player)
    await node.attempts.resign(found.attempt, player, 5)
    return found.attempt


async def begin_daily(node: Node, player: PlayerId = ADA, game: str = GAME) -> AttemptId:
    """Play one move of a player's daily."""
    attempt = (await node.dailies.open(player, game)).attempt
    await node.play(attempt, player)
    return attempt


async def rows(node: Node) -> list[Row]:
    return (await node.services.leaderboard_store.rows(BOARD, 1, 10)).rows


async def score_of(node: Node, attempt: AttemptId) -> int:
    """Return the score of a daily.

    A run without a card home scores the same for any number of moves.
    """
    result = (await node.state_of(attempt)).result
    moves = result.moves if result.home > ruleset(GAME).home_at_start else 0
    return pack(result.left, result.time, moves)


async def test_a_finished_daily_is_entered_in_its_leaderboard(node: Node) -> None:
    attempt = await finish_daily(node)
    assert await rows(node) == []
    await node.apply_effects()
    score = await score_of(node, attempt)
    assert await rows(node) == [Row(1, ADA, score)]
    assert await all_effects(node.services.outbox_store) == []
    topic = board_bus.topic(BOARD)
    assert (topic, encode(ScoreChanged(ADA, score))) in node.published
    # The repeated effect is published without its entry: the first node may have died before
    # publishing, and the entry's time is unknown.
    await node.services.leaderboards.place(ADA, [Placement(BOARD, score)])
    assert node.published[-1] == (topic, b"")


async def test_a_finished_race_is_entered_only_in_its_room(node: Node, clock: SetClock) -> None:
    room, code = await node.race_of(ADA, BOB)
    clock.time = BEGUN
    await node.play_out(attempt_of(room, ADA), ADA)
    await node.apply_effects()
    after = await node.rooms.load(code)
    assert after.running is not None
    assert after.running.unfinished() == [BOB]
    assert await node.keys("leaderboard:*") == []
    assert await all_effects(node.services.outbox_store) == []


async def test_the_run_of_a_finish_is_read_once(
    node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    read_from = node.services.journal_store.read_from

    async def recorded(key: str, first: int) -> list[str]:
        read.append(key)
        return await read_from(key, first)

    attempt = await finish_daily(node)
    monkeypatch.setattr(node.services.journal_store, "read_from", recorded)
    await node.apply_effects()
    assert read == [play_keys.attempt(attempt)]


async def test_applying_an_effect_twice_changes_nothing(
    node: Node, other: Node, clock: SetClock
) -> None:
    await finish_daily(node)
    room, code = await node.race_of(ADA)
    await node.attempts.give_up(attempt_of(room, ADA))
    finishes = [node.outbox.queue.get_nowait() for _ in range(2)]
    for finish in finishes:
        await node.outbox.apply(finish)
    before = (await rows(node), await node.rooms.load(code))
    await asyncio.gather(*(n.outbox.apply(finish) for n in (node, other) for finish in finishes))
    assert (await rows(node), await node.rooms.load(code)) == before
    assert await all_effects(node.services.outbox_store) == []


async def test_effects_left_by_a_dead_node_are_applied_by_another(node: Node, other: Node) -> None:
    """The node died after the append, before it applied the effect."""
    attempt = await finish_daily(node)
    room, code = await node.race_of(ADA)
    await node.attempts.give_up(attempt_of(room, ADA))
    assert len(await all_effects(other.services.outbox_store)) == 2
    await other.sweep()
    assert [row.score for row in await rows(other)] == [await score_of(node, attempt)]
    assert (await other.rooms.load(code)).running is None
    assert await all_effects(other.services.outbox_store) == []


async def test_a_node_with_a_stale_room_applies_effects(node: Node, other: Node) -> None:
    _, code = await node.race_of(ADA)
    await other.rooms.pass_deadline(code)
    for _ in range(3):
        room = await node.rooms.load(code)
        await node.attempts.give_up(attempt_of(room, ADA))
        await node.apply_effects()
        room = await node.rooms.start(code, ADA, [ADA])
    await node.attempts.give_up(attempt_of(room, ADA))
    await other.sweep()
    assert (await node.rooms.load(code)).running is None
    assert await all_effects(other.services.outbox_store) == []


async def test_the_sweeper_passes_deadlines(node: Node, other: Node, clock: SetClock) -> None:
    _, code = await node.race_of(ADA, BOB)
    attempt = await begin_daily(node)
    for time in (OVER - 1, OVER):
        clock.time = time
        await other.sweep()
        assert ((await node.rooms.load(code)).running is None) == (time == OVER)
    clock.time = days.closes(DAY)
    await other.sweep()
    await other.sweep()
    assert (await node.state_of(attempt)).end == "time"
    assert len(await rows(node)) == 1
    assert await all_due(node.services.outbox_store, clock.time * 2) == []
    assert await all_effects(node.services.outbox_store) == []


async def test_broken_entries_and_effects_do_not_block_others(
    node: Node, other: Node, clock: SetClock
) -> None:
    await finish_daily(node)
    broken = await begin_daily(node, BOB)
    ada = await begin_daily(node, ADA, "deuces")
    _, code = await node.race_of(ADA, BOB)
    await node.redis.xadd(play_keys.attempt(broken), {"e": "no entry"}, id="0-9")
    for number in range(keys.PARTITIONS):
        await node.redis.hset(keys.outbox(number), "broken", "no finish")
    clock.time = days.closes(DAY)
    await other.sweep()
    assert [row.player for row in await rows(node)] == [ADA]
    assert (await node.rooms.load(code)).running is None
    assert (await node.state_of(ada)).end == "time"
    assert f"a:{broken}" in await all_set_aside(node.database)


async def test_due_items_of_deleted_journals_are_dropped(node: Node, clock: SetClock) -> None:
    attempt = await begin_daily(node)
    _, code = await node.race_of(ADA)
    await node.redis.delete(play_keys.attempt(attempt), rooms_keys.room(code))
    clock.time = days.closes(DAY)
    await node.sweep()
    assert await all_due(node.services.outbox_store, clock.time) == []


async def test_a_running_node_applies_its_own_effects(node: Node) -> None:
    async with running(node.run_all):
        await finish_daily(node)
        await until_equal(lambda: all_effects(node.services.outbox_store), [])
    assert len(await rows(node)) == 1


async def test_a_deadline_seen_early_by_a_wrong_clock_stays_due(
    node: Node, clock: SetClock
) -> None:
    _, code = await node.race_of(ADA, BOB)
    await begin_daily(node)
    snapshot = await node.dailies.open(ADA, GAME)
    due: list[tuple[Due, int]] = [
        (RoundDue(code), OVER),
        (AttemptDue(snapshot.attempt), snapshot.start.deadline),
    ]
    for what, time in due:
        # The clock has been corrected since the sweep found these.
        await node.outbox.pass_deadline(what, time)
    found = await all_due(node.services.outbox_store, snapshot.start.deadline)
    assert sorted(found, key=itemgetter(1)) == sorted(due, key=itemgetter(1))
    clock.time = snapshot.start.deadline
    await node.sweep()
    assert (await node.state_of(snapshot.attempt)).end == "time"
    assert (await node.rooms.load(code)).running is None
    assert await all_due(node.services.outbox_store, clock.time) == []
