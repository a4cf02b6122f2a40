"""Dailies: one deal per day, one attempt per player, and the hour after midnight."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from engine.board import Board
from engine.catalog import daily_games
from engine.moves import legal_moves
from engine.schema import STANDARD
from server.accounts.accounts import parse_typed
from server.base.core import days as daily
from server.base.core.days import DailyId
from server.base.core.ids import PlayerId, RoomCode
from server.base.redis.connection import Client
from server.dailies.core import keys as dailies_keys
from server.dailies.dailies import BEST_EVERY_MS
from server.deals.core import keys as deals_keys
from server.play.answers import Snapshot
from server.results.core.boards import of_daily
from tests.builders import ADA, BOB, CYD, DAN, START, refusal_from
from tests.deals.certified import pooled
from tests.nodes import Node

DAY = daily.day_at(START)
MIDNIGHT = daily.ends(DAY)
CLOSE = daily.closes(DAY)
GAME = "robert"


async def fill(node: Node, count: int, wanted: Iterable[str] = daily_games()) -> None:
    """Put `count` certified deals into each game's pool."""
    for game in wanted:
        for effort in range(count):
            await node.services.pool_store.put(pooled(game, effort))


async def resign(
    node: Node, found: Snapshot, player: PlayerId = ADA, seq: int | None = None
) -> None:
    await node.attempts.resign(found.attempt, player, seq or found.seq + 1)


async def test_all_players_get_the_same_deal_and_an_attempt_each(node: Node, other: Node) -> None:
    ada = await node.dailies.open(ADA, GAME)
    bob = await other.dailies.open(BOB, GAME)
    assert (ada.start.deal, ada.view) == (bob.start.deal, bob.view)
    assert (ada.attempt, ada.start.day, ada.start.room) != (bob.attempt, DAY, None)
    assert (ada.start.at, ada.start.deadline) == (START, CLOSE)


async def test_opening_a_daily_again_continues_the_same_attempt(node: Node, other: Node) -> None:
    first = await node.dailies.open(ADA, GAME)
    await node.play(first.attempt, ADA)
    node.clock.time += 60_000
    again = await other.dailies.open(ADA, GAME)
    assert (again.attempt, again.seq) == (first.attempt, 2)
    assert again.start == first.start, "the clock starts at the first view"


async def test_opening_a_daily_concurrently_starts_one_attempt(node: Node, other: Node) -> None:
    found = await asyncio.gather(*(n.dailies.open(ADA, GAME) for n in (node, other) * 3))
    assert len({snapshot.attempt for snapshot in found}) == 1
    assert {snapshot.seq for snapshot in found} == {1}


async def test_a_daily_can_be_played_once_a_day(node: Node, other: Node) -> None:
    await resign(node, await node.dailies.open(ADA, GAME))
    for n in (node, other):
        assert await refusal_from(n.dailies.open(ADA, GAME)) == "already_played"
    assert (await node.dailies.open(ADA, "deuces")).seq == 1
    node.clock.time = MIDNIGHT
    tomorrow = await other.dailies.open(ADA, GAME)
    assert (tomorrow.seq, tomorrow.start.day) == (1, DAY + 1)


async def test_an_unknown_game_has_no_daily(node: Node) -> None:
    assert await refusal_from(node.dailies.open(ADA, "chess")) == "unknown_game"


@pytest.mark.parametrize(
    ("now", "day"), [(MIDNIGHT - 1, DAY), (MIDNIGHT, DAY), (CLOSE - 1, DAY), (CLOSE, DAY + 1)]
)
async def test_yesterdays_open_attempt_is_continued_until_its_day_closes(
    node: Node, other: Node, now: int, day: int
) -> None:
    node.clock.time = MIDNIGHT - 1
    await node.dailies.open(ADA, GAME)
    node.clock.time = now
    assert (await other.dailies.open(ADA, GAME)).start.day == day


async def test_an_attempt_started_after_midnight_belongs_to_the_new_day(node: Node) -> None:
    node.clock.time = MIDNIGHT - 1
    await resign(node, await node.dailies.open(BOB, GAME), BOB)
    node.clock.time = MIDNIGHT
    for player in (ADA, BOB):
        found = await node.dailies.open(player, GAME)
        assert (found.start.day, found.start.deadline) == (DAY + 1, daily.closes(DAY + 1))


async def test_after_yesterdays_attempt_ends_todays_can_be_opened(node: Node) -> None:
    node.clock.time = MIDNIGHT - 1
    await node.dailies.open(ADA, GAME)
    node.clock.time = MIDNIGHT
    await resign(node, await node.dailies.open(ADA, GAME))
    assert (await node.dailies.open(ADA, GAME)).start.day == DAY + 1


async def test_opening_todays_deal_does_not_draw_yesterdays(node: Node) -> None:
    node.clock.time = daily.ends(DAY)
    await node.dailies.open(ADA, GAME)
    wanted = [DailyId(GAME, DAY), DailyId(GAME, DAY + 1)]
    assert list(await node.services.deal_store.daily_ids(wanted)) == [DailyId(GAME, DAY + 1)]


async def test_an_attempt_ends_when_its_day_closes(node: Node) -> None:
    found = await node.dailies.open(ADA, GAME)
    await node.play(found.attempt, ADA)
    node.clock.time = CLOSE
    await node.sweep()
    assert (await node.state_of(found.attempt)).end == "time"
    await node.apply_effects()
    for day, size in ((DAY, 1), (DAY + 1, 0)):
        board = of_daily(DailyId(GAME, day), "guests")
        assert (await node.services.leaderboard_store.rows(board, 1, 1))[0] == size


async def test_today_lists_every_game_with_the_players_result(node: Node, other: Node) -> None:
    day, found = await node.dailies.today(ADA)
    assert (day, [today.deal.game for today in found]) == (DAY, list(daily_games()))
    assert all(today.mine is None and today.deal.day == DAY for today in found)
    opened = await other.dailies.open(ADA, GAME)
    await other.play(opened.attempt, ADA)
    _, found = await node.dailies.today(ADA)
    mine = {today.deal.game: today.mine for today in found}
    assert mine.pop(GAME) == (await node.state_of(opened.attempt)).result
    assert set(mine.values()) == {None}


async def test_deals_are_drawn_ahead_once(node: Node, other: Node) -> None:
    async def drawn() -> int:
        return len(await node.keys("daily:*"))

    await fill(node, daily.DRAWN_AHEAD + 2)
    for _ in range(2):
        await node.dailies.draw_ahead()
        assert await drawn() == (daily.DRAWN_AHEAD + 1) * len(daily_games())
    deals = await node.keys("deal:*")
    await other.dailies.draw_ahead()
    assert sorted(await node.keys("deal:*")) == sorted(deals)
    assert node.dailies.pooled == other.dailies.pooled == dict.fromkeys(daily_games(), 1)
    node.clock.time = MIDNIGHT
    await node.dailies.draw_ahead()
    assert await drawn() == (daily.DRAWN_AHEAD + 2) * len(daily_games())
    node.clock.time += 30 * daily.DAY
    await node.dailies.draw_ahead()
    dailies = [DailyId(game, daily.day_at(node.clock.time)) for game in daily_games()]
    assert list(await node.services.deal_store.daily_ids(dailies)) == dailies


async def test_a_deal_drawn_ahead_is_used_on_its_day(node: Node, other: Node) -> None:
    await fill(node, daily.DRAWN_AHEAD + 1)
    await node.dailies.draw_ahead()
    ahead = await node.services.deal_store.daily_ids([DailyId(GAME, DAY + 7)])
    node.clock.time += 7 * daily.DAY
    opened = await other.dailies.open(ADA, GAME)
    assert opened.start.deal == ahead[DailyId(GAME, DAY + 7)]
    assert opened.certificate is not None
    assert opened.certificate.level == daily.level_of(DAY + 7)


async def test_without_certified_deals_only_today_and_tomorrow_are_dealt(node: Node) -> None:
    for ahead in (0, 1):
        with capture_logs() as logs:
            node.clock.time = START + ahead * daily.DAY
            await node.dailies.draw_ahead()
            await node.dailies.draw_ahead()
        days = sorted({day.day for day in await node.dailies.ahead() if day.deals})
        assert days == [DAY + ahead, DAY + ahead + 1]
        said = [(each["event"], each.get("day")) for each in logs]
        near = [daily.date_text(day) for day in (DAY, DAY + 1, DAY + 2)]
        wanted = [("dailies_uncertified", day) for day in (near[2:] if ahead else near[:2])]
        assert said == [*wanted, *([] if ahead else [("pools_short", None)])], "logged once"
    assert (await node.dailies.open(ADA, GAME)).certificate is None


async def test_certifying_nodes_draw_tomorrows_deal_an_hour_before_midnight(node: Node) -> None:
    node.dailies._fills_pools = True
    node.clock.time = MIDNIGHT - daily.FILLED_UNTIL_MS - 1
    await fill(node, 2, [GAME])
    await node.dailies.draw_ahead()
    assert await dealt(node) == {DAY: set(daily_games()), DAY + 1: {GAME}}
    node.clock.time += 1
    await node.dailies.draw_ahead()
    assert await dealt(node) == {DAY: set(daily_games()), DAY + 1: set(daily_games())}


async def test_a_certifying_node_shares_new_deals_between_dailies_and_races(node: Node) -> None:
    node.dailies._fills_pools, game = True, "klondike"
    deals, pools = node.services.deal_store, node.services.pool_store

    async def checked() -> bool:
        drawn = await deals.draw(game, STANDARD, RoomCode("H7KQ2M4X"), winnable=True)
        return drawn.certificate is not None

    async def add(count: int) -> None:
        for effort in range(count):
            await pools.put(replace(pooled(game, effort), winnable=True))

    async def drawn() -> int:
        await node.dailies.draw_ahead()
        return sum(game in games for games in (await dealt(node)).values())

    await add(1 + daily.READY_AHEAD)
    assert not await checked(), "the next days come first"
    assert await drawn() == 1 + daily.READY_AHEAD
    await add(daily.SPARED)
    assert await drawn() == 1 + daily.READY_AHEAD, "later days wait for races"
    assert [await checked() for _ in range(3)] == [True, True, False]
    await add(daily.SPARED + 1)
    assert await drawn() == 2 + daily.READY_AHEAD
    assert await pools.count(game) == daily.SPARED
    node.clock.time += 2 * daily.DAY
    assert not await checked(), "the deals of the next days are not known to be drawn"
    assert await drawn() > daily.READY_AHEAD
    assert await checked()


async def dealt(node: Node) -> dict[int, set[str]]:
    """Return the games with drawn deals, by day."""
    ahead = await node.dailies.ahead()
    return {day.day: {deal.game for deal in day.deals} for day in ahead if day.deals}


async def test_a_pool_filled_later_serves_the_days_after_tomorrow(node: Node, other: Node) -> None:
    await node.dailies.draw_ahead()
    await fill(other, 3, [GAME])
    with capture_logs() as logs:
        await node.dailies.draw_ahead()
    days = [DailyId(GAME, DAY + number) for number in range(6)]
    assert list(await node.services.deal_store.daily_ids(days)) == days[:5]
    certified = [
        (await node.services.deal_store.daily(day)).certificate is not None for day in days[:5]
    ]
    assert (certified, node.dailies.pooled[GAME]) == ([False, False, True, True, True], 0)
    assert logs == []
    await fill(other, daily.DRAWN_AHEAD + 10)
    with capture_logs() as logs:
        await node.dailies.draw_ahead()
        await node.dailies.draw_ahead()
    (filled,) = logs
    assert (filled["event"], filled["log_level"]) == ("pools_short", "warning")
    assert set(filled["deals"]) == set(daily_games()) - {GAME}


async def test_unusable_deals_do_not_count(node: Node) -> None:
    """A newer release has certified them by its own rules."""
    for _ in range(daily.DRAWN_AHEAD):
        await node.services.pool_store.put(replace(pooled(GAME), rules="f" * 16))
    with capture_logs() as logs:
        for _ in range(2):
            await node.dailies.draw_ahead()
            assert node.dailies.pooled == dict.fromkeys(daily_games(), 0)
    (short,) = [each for each in logs if each["event"].startswith("pools_")]
    assert short["deals"] == dict.fromkeys(daily_games(), 0)


async def test_the_end_of_a_pools_shortage_is_logged(node: Node) -> None:
    with capture_logs() as logs:
        await node.dailies.draw_ahead()
        await fill(node, 2 * daily.DRAWN_AHEAD)
        for _ in range(2):
            await node.dailies.draw_ahead()
    said = [each["event"] for each in logs if each["event"].startswith("pools_")]
    assert said == ["pools_short", "pools_filled"]
    left = daily.DRAWN_AHEAD + daily.UNCERTIFIED_AHEAD
    metrics = node.services.metrics.exposition("")[0].decode()
    for game in daily_games():
        assert f'samedeal_pool_deals{{game="{game}"}} {left}.0' in metrics


async def test_the_best_run_is_the_par_of_an_uncertified_daily(node: Node, other: Node) -> None:
    _, before = await other.dailies.today(BOB)
    assert {today.best for today in before} == {None}
    opened = await node.dailies.open(ADA, GAME)
    for _ in range(12):
        await node.play(opened.attempt, ADA)
    await resign(node, opened, seq=14)
    await node.apply_effects()
    home = (await node.state_of(opened.attempt)).result.home
    assert home > 0
    node.clock.time += BEST_EVERY_MS
    _, after = await other.dailies.today(BOB)
    best = {today.deal.game: today.best for today in after}
    assert (best.pop(GAME), set(best.values())) == (home, {None})


async def test_an_operator_can_limit_an_addresss_starts_of_a_daily(node: Node, other: Node) -> None:
    for each in (node, other):
        each.dailies._ranked_starts = 2
    for player in (ADA, BOB):
        assert (await node.dailies.open(player, GAME, "192.0.2.1")).seq == 1
    assert await refusal_from(other.dailies.open(CYD, GAME, "192.0.2.1")) == "too_many_starts"
    # Running attempts continue; another game, another address and an unknown one are not limited.
    assert (await other.dailies.open(ADA, GAME, "192.0.2.1")).seq == 1
    assert (await other.dailies.open(CYD, "deuces", "192.0.2.1")).seq == 1
    assert (await other.dailies.open(CYD, GAME, "192.0.2.2")).seq == 1
    assert (await other.dailies.open(DAN, GAME, "")).seq == 1


async def test_starts_are_kept_for_days_with_hashed_addresses(node: Node, redis: Client) -> None:
    await node.dailies.open(ADA, GAME, "192.0.2.1")
    await node.dailies.open(BOB, GAME, "192.0.2.1")
    fields = await redis.hgetall(dailies_keys.starts(DailyId(GAME, DAY)))
    own = await node.services.address_hashes.hash("192.0.2.1")
    assert fields == {f"a:{own}": f"{ADA} {BOB}", f"p:{BOB}": ADA}
    assert "192.0" not in str(fields)
    life = await redis.ttl(dailies_keys.starts(DailyId(GAME, DAY)))
    assert 0 < life <= dailies_keys.DIGESTS_LIFE_S
    assert await node.services.start_store.earlier(DailyId(GAME, DAY), BOB) == [ADA]
    assert await node.services.start_store.earlier(DailyId(GAME, DAY), ADA) == []


async def test_a_run_after_a_scout_at_the_same_address_is_suspicious(node: Node) -> None:
    """A guest turns all cards up, and another player there plays the deal a minute later."""
    node.clock.time = MIDNIGHT
    looked = await node.dailies.open(ADA, "lady-betty", "192.0.2.1")
    for _ in range(52):
        node.clock.time += 80
        state = await node.state_of(looked.attempt)
        deals = [move for move in legal_moves(state.board) if move.source == stock(state.board)]
        await node.move(looked.attempt, ADA, state.seq + 1, deals[0])
        if (await node.state_of(looked.attempt)).end is not None:
            break
    node.clock.time += 60_000
    for player, address in ((BOB, "192.0.2.1"), (CYD, "192.0.2.2")):
        played = await node.dailies.open(player, "lady-betty", address)
        for _ in range(3):
            node.clock.time += 2_000
            await node.play(played.attempt, player)
        await resign(node, played, player, seq=5)
    await node.apply_effects()
    (found,) = [
        each
        for each in await node.services.operators.suspicious(10)
        if "same address" in str(each.reasons)
    ]
    assert found.player == BOB
    assert f"{ADA}, at the same address, started the deal 6" in found.reasons[0].text


async def keep(node: Node, player: PlayerId) -> None:
    """Give a player an account with a recovery code."""
    accounts = node.services.accounts
    code = await accounts.new_recovery_code(player, 0, confirmed=False)
    await accounts.keep_recovery_code(player, parse_typed(code))


@pytest.mark.parametrize("when", ["after", "meanwhile"])
async def test_a_later_guest_who_gets_an_account_is_suspicious(node: Node, when: str) -> None:
    """One person plays as several guests, and then gets an account for the best of them."""
    for player, address in ((ADA, "192.0.2.1"), (BOB, "192.0.2.1"), (CYD, "192.0.2.2")):
        played = await node.dailies.open(player, "lady-betty", address)
        for _ in range(3):
            await node.play(played.attempt, player)
        if when == "meanwhile":
            await keep(node, player)
        await resign(node, played, player, seq=5)
        await node.apply_effects()
        if when == "after":
            await keep(node, player)
    (found,) = await node.services.suspicions.list()
    assert found.player == BOB
    assert "kept an identity only after this run" in found.reasons[0].text
    assert ADA in found.reasons[0].text


def stock(board: Board) -> int:
    return board.ruleset.stock


async def test_an_unreadable_deal_does_not_keep_others_from_draws(node: Node, other: Node) -> None:
    """This happens at midnight on a node without the new secret key."""
    await other.dailies.draw_ahead()
    node.clock.time = MIDNIGHT
    unread = await other.services.deal_store.daily(DailyId(GAME, DAY + 1 + daily.UNCERTIFIED_AHEAD))
    await node.redis.hset(deals_keys.deal(unread.id), "format", "99")
    with capture_logs() as logs:
        for _ in range(2):
            await node.dailies.draw_ahead()
    wanted = [DailyId(game, unread.day or 0) for game in daily_games()]
    assert len(await node.services.deal_store.daily_ids(wanted)) == len(daily_games())
    told = [(line["item"], line["code"]) for line in logs if line["event"] == "work_unreadable"]
    assert (told, node.background.failure) == ([(f"{GAME}:{unread.day}", "unknown_format")], None)
