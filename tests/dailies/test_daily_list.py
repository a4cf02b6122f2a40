"""The games that are dailies: the operator's list, and the settled set of each day."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from engine.catalog import daily_games, games
from server.base.core import days as daily
from server.base.core.days import DailyId
from server.deals.core import keys as deals_keys
from server.results.core import boards
from server.results.core import keys as results_keys
from server.results.core.daily_sets import CrownSet, by_crown
from server.results.core.history import DayResult
from server.results.players_api import MAX_DAYS
from tests.builders import ADA, BOB, START, refusal_from
from tests.deals.certified import pooled
from tests.nodes import Node, SetClock, node_on

DAY = daily.day_at(START)
ALL = list(daily_games())
OFF = "robert"
FEW = [game for game in ALL if game != OFF]
CROWNS = len(by_crown(ALL))
WON = DayResult(52, 0, 200_000, 70, "won", 195)


class Site:
    """A deployment of nodes with possibly different lists."""

    def __init__(self, url: str, clock: SetClock, stack: AsyncExitStack) -> None:
        self._url = url
        self._clock = clock
        self._stack = stack

    async def node(self, *daily_games: str) -> Node:
        """Start a node with a list of dailies; by default, with all listed games."""
        return await self._stack.enter_async_context(node_on(self._url, self._clock, daily_games))


@pytest.fixture
async def site(redis_url: str, clock: SetClock) -> AsyncIterator[Site]:
    async with AsyncExitStack() as stack:
        yield Site(redis_url, clock, stack)


async def drawn(node: Node, day: int) -> list[str]:
    found = await node.services.deal_store.daily_ids([DailyId(game, day) for game in ALL])
    return [each.game for each in found]


async def listed(node: Node) -> list[str]:
    _, today = await node.dailies.today(BOB)
    return [each.deal.game for each in today]


async def crowns(node: Node) -> int:
    found = await node.services.histories.page(ADA, MAX_DAYS)
    sets = await node.services.daily_sets.load()
    return sets.crowns({game: sums.days_played for game, sums in found.played.items()})


async def play(node: Node, day: int, wanted: list[str]) -> None:
    for game in wanted:
        await node.services.histories.add_day(ADA, game, day, WON, ())


async def test_a_game_outside_the_list_has_no_daily(site: Site) -> None:
    node = await site.node(*FEW)
    await node.services.pool_store.put(pooled(OFF))
    await node.dailies.draw_ahead()
    for day in range(DAY, DAY + daily.DRAWN_AHEAD + 1):
        assert OFF not in await drawn(node, day)
    assert await drawn(node, DAY) == await drawn(node, DAY + 1) == await listed(node) == FEW
    assert (await node.dailies.open(ADA, FEW[0])).start.day == DAY
    assert await refusal_from(node.dailies.open(ADA, OFF)) == "no_daily"
    assert await refusal_from(node.dailies.open(ADA, "chess")) == "unknown_game"
    assert OFF not in await drawn(node, DAY), "requesting it does not draw it"
    assert OFF not in node.dailies.pooled, "unused pools cause no warning"
    metrics = node.services.metrics.exposition("")[0].decode()
    for game in ALL:
        assert (f'samedeal_pool_deals{{game="{game}"}}' in metrics) == (game in FEW)
    (today, *_) = await node.dailies.ahead()
    assert [deal.game for deal in today.deals] == FEW
    await node.room_of(ADA, BOB, game=OFF)


async def test_without_a_list_the_games_files_determine_the_dailies(site: Site) -> None:
    node = await site.node()
    await node.dailies.draw_ahead()
    assert await listed(node) == [game.id for game in games().values() if game.listing.daily]
    _, today = await node.dailies.today(BOB)
    assert {each.deal.variant for each in today if each.deal.game == "spider"} == {"one-suit"}


async def test_the_order_of_the_list_does_not_matter(site: Site) -> None:
    assert await listed(await site.node(*reversed(FEW))) == FEW


async def test_a_removed_game_stays_while_its_deals_are_drawn(site: Site, clock: SetClock) -> None:
    before = await site.node()
    for effort in range(2):
        for game in ALL:
            await before.services.pool_store.put(pooled(game, effort))
    await before.dailies.draw_ahead()
    # Without deals in the pools, today and tomorrow are drawn ahead, and here two days more.
    assert [await drawn(before, DAY + n) for n in range(5)] == [ALL, ALL, [], [], []]
    node = await site.node(*FEW)
    for ahead, wanted in ((0, ALL), (1, ALL), (2, FEW)):
        clock.time = START + ahead * daily.DAY
        await node.dailies.draw_ahead()
        assert await listed(node) == wanted
        if OFF in wanted:
            assert (await node.dailies.open(ADA, OFF)).start.day == DAY + ahead
        else:
            assert await refusal_from(node.dailies.open(ADA, OFF)) == "no_daily"


async def test_an_added_game_is_a_daily_from_the_next_day_on(site: Site, clock: SetClock) -> None:
    before = await site.node(*FEW)
    await before.dailies.draw_ahead()
    await play(before, DAY, FEW)
    node = await site.node(*ALL)
    await node.dailies.draw_ahead()
    assert await listed(node) == await listed(before) == FEW
    assert await refusal_from(node.dailies.open(ADA, OFF)) == "no_daily"
    assert await crowns(node) == CROWNS, "a day does not become harder while it is played"
    assert await drawn(node, DAY + 1) == ALL, "its commitment is published before its day"
    clock.time += daily.DAY
    # Also on a node with the old list, which settles the day.
    assert await listed(before) == await listed(node) == ALL


async def test_nodes_with_different_lists_deal_the_same_games(site: Site, clock: SetClock) -> None:
    one, other = await site.node(*FEW), await site.node(*ALL[1:])
    for ahead in range(4):
        clock.time = START + ahead * daily.DAY
        first, second = (one, other) if ahead % 2 else (other, one)
        assert await listed(first) == await listed(second)
        await first.dailies.draw_ahead()
        await second.dailies.draw_ahead()


async def test_days_keep_their_crowns_when_the_list_changes(site: Site, clock: SetClock) -> None:
    before = await site.node(*FEW)
    await before.dailies.draw_ahead()
    await play(before, DAY, FEW)
    node = await site.node(*ALL)
    await node.dailies.draw_ahead()
    clock.time += daily.DAY
    await node.dailies.draw_ahead()
    await play(node, DAY + 1, FEW)
    assert await crowns(node) == 2 * CROWNS - 1, "the second day had one game more"
    await play(node, DAY + 1, [OFF])
    assert await crowns(node) == 2 * CROWNS
    less = await site.node(*FEW)
    clock.time += 3 * daily.DAY
    await less.dailies.draw_ahead()
    await play(less, DAY + 4, FEW)
    assert await crowns(less) == 3 * CROWNS
    shown = await less.dailies.load_day(DAY + 1)
    assert [deal.game for deal in shown.deals] == ALL


async def test_a_weeks_sum_includes_former_dailies(site: Site, clock: SetClock) -> None:
    before = await site.node(*ALL)
    await before.dailies.draw_ahead()
    await play(before, DAY, [OFF])
    node = await site.node(*FEW)
    for ahead in (1, 2):
        clock.time = START + ahead * daily.DAY
        await node.dailies.draw_ahead()
    await play(node, DAY + 2, FEW[:1])
    assert boards.week_of(DAY) == boards.week_of(DAY + 2)
    board = boards.BoardId("week", boards.ALL_GAMES, boards.week_of(DAY), "guests")
    (row,) = (await node.services.leaderboard_store.rows(board, 1, 9)).rows
    assert row.score == -2 * WON.points
    assert await node.services.daily_sets.ever() == ALL


async def test_only_games_that_have_been_dailies_are_read(site: Site) -> None:
    node = await site.node(*FEW[:2])
    assert await node.services.daily_sets.ever() == list(games()), "before any day is settled"
    await node.dailies.draw_ahead()
    assert await node.services.daily_sets.ever() == FEW[:2]
    for _ in range(2):
        await play(node, DAY, [FEW[0], OFF])
    page = await node.services.histories.page(ADA, MAX_DAYS)
    sums = {game: each.home for game, each in page.played.items()}
    assert sums == {FEW[0]: 52, OFF: 52}, "each result is added once, for any game"
    (found,) = await node.services.histories.excerpts([ADA], [DAY])
    assert set(found.days) == {(FEW[0], DAY)}


async def test_days_of_earlier_releases_keep_their_drawn_games(site: Site, clock: SetClock) -> None:
    """This holds even if the operator changes the list with the release, in the middle of a day."""
    before = await site.node(*FEW)
    for ahead in range(3):
        clock.time = START + ahead * daily.DAY
        await before.dailies.draw_ahead()
        await play(before, DAY + ahead, FEW)
    await before.redis.delete(results_keys.DAILY_SETS)
    node = await site.node(*ALL)
    await node.dailies.draw_ahead()
    assert (await listed(node), await crowns(node)) == (FEW, 3 * CROWNS)
    clock.time += daily.DAY
    assert await listed(node) == ALL


async def test_nodes_that_start_later_read_the_settled_sets(site: Site) -> None:
    await (await site.node(*FEW)).dailies.draw_ahead()
    node = await site.node(*ALL)
    assert (await node.services.daily_sets.load()).of(DAY) == frozenset(FEW)
    stored = " ".join(" ".join([*sorted(each.games), f"={each.crown}"]) for each in by_crown(FEW))
    assert await node.redis.hgetall(results_keys.DAILY_SETS) == {
        "fixed": str(DAY),
        "latest": stored,
        str(DAY): stored,
    }


async def test_a_set_of_an_earlier_release_has_one_crown(site: Site, clock: SetClock) -> None:
    """It keeps it when later days have several."""
    node = await site.node(*ALL)
    text = " ".join(sorted(ALL))
    await node.redis.hset(
        results_keys.DAILY_SETS, mapping={"fixed": DAY, "latest": text, str(DAY): text}
    )
    await node.dailies.draw_ahead()
    assert (await node.services.daily_sets.load()).crowns_of(DAY) == (CrownSet("", frozenset(ALL)),)
    await play(node, DAY, FEW)
    assert await crowns(node) == 0
    await play(node, DAY, [OFF])
    assert await crowns(node) == 1
    clock.time += daily.DAY
    await node.dailies.draw_ahead()
    await play(node, DAY + 1, FEW)
    assert await crowns(node) == 1 + CROWNS - 1


async def test_a_day_with_an_unchanged_set_stores_no_new_one(site: Site, clock: SetClock) -> None:
    node = await site.node(*FEW)
    for ahead in range(5):
        clock.time = START + ahead * daily.DAY
        await node.dailies.draw_ahead()
    assert len(await node.redis.hgetall(results_keys.DAILY_SETS)) == 3


async def test_a_known_set_is_not_read_again(site: Site) -> None:
    node = await site.node(*FEW)
    await node.dailies.draw_ahead()
    await node.redis.delete(results_keys.DAILY_SETS, deals_keys.daily(DailyId(OFF, DAY)))
    assert (await listed(node), await node.redis.exists(results_keys.DAILY_SETS)) == (FEW, 0)
