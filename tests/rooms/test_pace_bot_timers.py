"""Pace bots: on any node, after the loss of a node, and in rooms without followers."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec
import pytest

from server.base.core.ids import PACE_BOT, AttemptId, RoomCode
from server.base.work import worker_pool
from server.deals.core import keys as deals_keys
from server.play.core import keys, pace_bot
from server.play.core.attempt import Attempt, Ended, Event, fold
from server.play.core.finish import Finish
from server.rooms import pace_bot_timers as module
from server.rooms.core import quick_match
from server.rooms.core.room import Room, Round
from tests.base.redis.servers import until
from tests.builders import ADA, BOB, round_of
from tests.conftest import ALONE
from tests.nodes import Node, attempt_of, running_together
from tests.rooms.test_live_rooms import follow

pytestmark = ALONE

GAME = "lady-betty"


@pytest.fixture(autouse=True)
async def running_nodes(
    node: Node, other: Node, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[None]:
    monkeypatch.setattr(module, "BACKUP_AFTER", 0.0)
    monkeypatch.setattr(worker_pool, "SHORTEST", 0.001)
    for name, time in (("FIRST_MOVE_AFTER_MS", 30), ("FASTEST_MS", 15), ("SLOWEST_MS", 25)):
        monkeypatch.setattr(pace_bot, name, time)
    async with running_together(node, other):
        yield


async def race_with_bot(node: Node) -> tuple[Room, RoomCode]:
    """Return a quick match that no node follows, with a running round against the bot."""
    room = await node.services.quick_matches.match(ADA, GAME)
    code = room.opened.code
    node.clock.time += quick_match.BOT_AFTER_MS
    await node.rooms.decide(code, quick_match.seat_bot)
    room = await node.rooms.start(code, None, {ADA})
    node.clock.time = round_of(room).starts
    return room, code


async def texts(node: Node, attempt: AttemptId) -> list[str]:
    return (await node.services.journal_store.read(keys.attempt(attempt))).texts


async def reaches(node: Node, attempt: AttemptId, seq: int) -> Attempt:
    """Wait until an attempt's journal has an entry, without reading it through a replica."""

    async def there() -> bool:
        return len(await texts(node, attempt)) >= seq

    await until(there)
    return await node.state_of(attempt)


def check(entries: list[str], expected: list[str]) -> None:
    """Check that the entries are the expected ones, as far as they go."""
    assert entries == expected[: len(entries)]


async def line_of(node: Node, attempt: AttemptId) -> list[str]:
    state: Attempt | None = await node.state_of(attempt)
    found = await texts(node, attempt)
    while state is not None and state.end is None:
        event = pace_bot.due(state, pace_bot.next_at(state))
        assert event is not None
        state = fold(state, event)
        found.append(text_of(event))
    return found


def text_of(event: Event) -> str:
    return msgspec.json.encode(event).decode()


async def test_the_bot_plays_while_a_node_follows_each_move_once(node: Node, other: Node) -> None:
    room, code = await race_with_bot(node)
    attempt = attempt_of(room, PACE_BOT)
    expected = await line_of(node, attempt)
    await follow(node, code, ADA)
    await follow(other, code, BOB)
    state = await node.state_of(attempt)
    for seq in range(2, 8):
        node.clock.time = pace_bot.next_at(state)
        state = await reaches(node, attempt, seq)
        assert state.at == node.clock.time
    check(await texts(node, attempt), expected)
    assert len(await texts(node, attempt)) == 7
    live = node.services.live.known(code)
    assert live is not None
    await until(lambda: live.counters.get(PACE_BOT, (0, 0, 0))[1] >= 5)


async def test_a_node_that_takes_over_keeps_the_times_of_due_moves(node: Node, other: Node) -> None:
    room, code = await race_with_bot(node)
    attempt = attempt_of(room, PACE_BOT)
    expected = await line_of(node, attempt)
    node.clock.time += 1_000
    await follow(other, code, ADA)
    state = await reaches(other, attempt, 30)
    assert node.clock.time - pace_bot.SLOWEST_MS < state.at <= node.clock.time
    check(await texts(node, attempt), expected)


async def test_without_a_follower_the_deadline_finishes_the_bots_run(node: Node) -> None:
    room, code = await race_with_bot(node)
    attempt = attempt_of(room, PACE_BOT)
    expected = await line_of(node, attempt)
    assert len(await texts(node, attempt)) == 1, "without a follower it costs nothing"
    node.clock.time = round_of(room).deadline
    await node.sweep()
    assert await texts(node, attempt) == expected
    room = await node.rooms.load(code)
    assert round_of(room).over
    assert round_of(room).results[PACE_BOT].end in {"resigned", "won", "stuck"}
    assert round_of(room).winners() == [PACE_BOT]
    assert await node.keys("leaderboard*") == []


async def last_round(node: Node, code: RoomCode) -> Round:
    return round_of(await node.rooms.load(code))


async def test_the_bot_stops_with_the_last_player_and_its_result_counts(node: Node) -> None:
    room, code = await race_with_bot(node)
    attempt = attempt_of(room, PACE_BOT)
    expected = await line_of(node, attempt)
    node.clock.time += 100
    await node.attempts.give_up(attempt_of(room, ADA))
    await node.apply_effects()
    assert (await last_round(node, code)).over
    *moves, end = await texts(node, attempt)
    assert moves == expected[: len(moves)]
    assert len(moves) > 3, "moves that were due by then remain"
    assert end == text_of(Ended("resigned", node.clock.time))
    state = await node.state_of(attempt)
    assert (await last_round(node, code)).results[PACE_BOT] == state.result


async def test_another_node_stops_the_bot_if_one_died_finishing(node: Node, other: Node) -> None:
    room, code = await race_with_bot(node)
    await node.attempts.give_up(attempt_of(room, ADA))
    mine = await node.state_of(attempt_of(room, ADA))
    await node.rooms.finish(code, mine.start.deal, ADA, mine.result)
    assert (await last_round(node, code)).unfinished() == [PACE_BOT]
    await other.sweep()
    await other.apply_effects()
    assert (await last_round(other, code)).over


async def test_if_the_deal_is_lost_the_round_ends_at_the_deadline(node: Node, other: Node) -> None:
    room, code = await race_with_bot(node)
    mine = await node.state_of(attempt_of(room, ADA))
    deal = mine.start.deal
    await node.redis.delete(deals_keys.deal(deal), keys.attempt(attempt_of(room, PACE_BOT)))
    await other.rooms.apply_finish(Finish(mine.id, ADA, deal, GAME, code, None, mine.result))
    assert (await last_round(other, code)).unfinished() == [PACE_BOT]
    node.clock.time = mine.start.deadline
    await other.rooms.pass_deadline(code)
    assert (await last_round(other, code)).over


async def test_the_bots_attempt_is_started_if_a_node_died_before(node: Node, other: Node) -> None:
    room, code = await race_with_bot(node)
    attempt = attempt_of(room, PACE_BOT)
    await node.redis.delete(keys.attempt(attempt))
    node.clock.time += pace_bot.FIRST_MOVE_AFTER_MS
    await follow(other, code, ADA)
    assert (await reaches(other, attempt, 2)).board.moves == 1


async def test_no_timer_remains_when_the_bots_run_is_over(node: Node) -> None:
    room, code = await race_with_bot(node)
    attempt = attempt_of(room, PACE_BOT)
    await follow(node, code, ADA)
    await until(lambda: node.services.pace_bot_timers._work.is_scheduled(code))
    await node.attempts.give_up(attempt)
    await node.apply_effects()
    await until(lambda: not node.services.pace_bot_timers._work.is_scheduled(code))
