"""A node's services together: seeds, notifications, and background work."""

from __future__ import annotations

import pytest

from engine.catalog import daily_games
from server.base.core import days
from server.base.core.days import DailyId
from server.base.core.ids import DealId
from server.base.core.refusal import Refusal
from server.rooms.core import bus as room_bus
from server.rooms.core import keys
from server.rooms.core.bus import Progress
from tests.base.redis.servers import running, until
from tests.builders import ADA, BOB, START
from tests.nodes import BEGUN, OVER, Node, SetClock, attempt_of, round_of

DAY = days.day_at(START)


async def test_a_dailys_seed_is_revealed_when_its_day_closes(
    node: Node, other: Node, clock: SetClock
) -> None:
    deal = await node.services.deal_store.daily(DailyId("robert", DAY))
    for time in (START, days.ends(DAY), days.closes(DAY) - 1):
        clock.time = time
        assert await other.services.closed_deals.load(deal.id) == (deal, None)
    clock.time = days.closes(DAY)
    assert await other.services.closed_deals.load(deal.id) == (deal, deal.seed)


async def test_a_races_seed_is_revealed_when_the_last_runner_finishes(
    node: Node, other: Node, clock: SetClock
) -> None:
    room, code = await node.race_of(ADA, BOB)
    deal = round_of(room).deal
    clock.time = BEGUN
    for n, player in ((node, ADA), (other, BOB)):
        for each in (node, other):
            assert (await each.services.closed_deals.load(deal))[1] is None
        await n.play_out(attempt_of(room, player), player)
        await n.apply_effects()
    found, seed = await node.services.closed_deals.load(deal)
    assert seed == found.seed
    # The seed of the next round is not revealed; the first one's still is.
    room = await other.rematch(code, ADA, BOB)
    assert (await node.services.closed_deals.load(round_of(room).deal))[1] is None
    assert (await node.services.closed_deals.load(deal))[1] == seed


async def test_a_seed_is_revealed_when_its_room_is_gone(node: Node, other: Node) -> None:
    room, code = await node.race_of(ADA)
    await node.redis.delete(keys.room(code))
    found, seed = await other.services.closed_deals.load(round_of(room).deal)
    assert seed == found.seed


async def test_a_deal_that_was_never_drawn_is_unknown(node: Node) -> None:
    for text in ("", "0" * 16, "*", "x" * 64):
        with pytest.raises(Refusal, match="unknown_deal"):
            await node.services.closed_deals.load(DealId(text))


async def test_a_player_is_notified_of_an_unrequested_end(node: Node, clock: SetClock) -> None:
    room, code = await node.race_of(ADA, BOB)
    for _ in range(2):
        await node.attempts.give_up(attempt_of(room, ADA))
    clock.time = OVER
    await node.rooms.pass_deadline(code)
    assert [(ended.player, ended.attempt, ended.result.end) for ended in node.ended] == [
        (ADA, attempt_of(room, ADA), "resigned"),
        (BOB, attempt_of(room, BOB), "time"),
    ]


async def test_a_node_prepares_its_dailies(node: Node) -> None:
    await node.services.prepare()
    ids = await node.services.deal_store.daily_ids([DailyId(game, DAY) for game in daily_games()])
    assert len(ids) == len(daily_games())
    assert node.services.clock.now() == START


async def test_a_running_node_publishes_progress_and_passes_deadlines(
    node: Node, clock: SetClock
) -> None:
    room, code = await node.race_of(ADA, BOB)
    clock.time = BEGUN

    async def over() -> bool:
        return (await node.rooms.load(code)).running is None

    def notified() -> bool:
        payloads = [payload for topic, payload in node.published if topic == room_bus.topic(code)]
        return any(isinstance(room_bus.decode(p), Progress) for p in payloads)

    async with running(node.run_all):
        await node.play(attempt_of(room, ADA), ADA)
        await until(notified)
        clock.time = OVER
        await until(over)
