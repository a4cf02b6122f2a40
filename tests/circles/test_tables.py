"""Tables, head-to-head results and feeds, computed from the members' results."""

from __future__ import annotations

from msgspec.structs import replace

from engine.catalog import daily_games
from server.base.core.days import DAY, day_at
from server.base.core.ids import ChallengeId, DealId, PlayerId
from server.circles.core import commands
from server.circles.core.circle import Circle
from server.circles.core.seasons import week_at
from server.players.core import keys as player_keys
from server.results.core.boards import days_of
from server.results.core.daily_sets import by_crown
from server.results.core.history import ChallengeResult, DayResult, RoundResult
from tests.builders import ADA, BOB, CYD, START, refusal_from
from tests.circles.test_circles import founded
from tests.nodes import Node, node_on

GAME = "robert"
TODAY = day_at(START)
WEEK = week_at(START)
MONDAY = days_of(WEEK).start
WON = DayResult(52, 0, 300_000, 90, "won", 195, ranked=True)
CROWNS = len(by_crown(daily_games()))
HALF = DayResult(27, 25, 400_000, 80, "stuck", 51)
NOTHING = DayResult(0, 52, 0, 5, "resigned", 0)


async def add(
    node: Node, player: PlayerId, result: DayResult, day: int = TODAY, game: str = GAME
) -> None:
    await node.services.histories.add_day(player, game, day, result, ())


async def rows(
    node: Node, circle: Circle, span: str, period: int | None = None
) -> list[tuple[PlayerId, int, int]]:
    table = await node.services.circle_tables.table(circle, span, period)  # type: ignore[arg-type]
    return [(row.player, row.rank, row.points) for row in table.rows]


async def test_a_days_table_shows_the_members_results(node: Node) -> None:
    circle = await founded(node, BOB, CYD)
    await add(node, ADA, HALF)
    for game in daily_games():
        await add(node, BOB, WON, game=game)
    table = await node.services.circle_tables.table(circle, "day")
    bob, ada, cyd = table.rows
    count = len(daily_games())
    assert (bob.player, bob.rank, bob.points) == (BOB, 1, 195 * count)
    assert (bob.score.played, bob.score.won, bob.score.crowns) == (count, count, CROWNS)
    assert (ada.player, ada.rank, ada.score.dailies) == (ADA, 2, ((GAME, HALF),))
    assert (cyd.player, cyd.rank, cyd.points, cyd.score.dailies) == (CYD, 3, 0, ())
    assert (table.period, table.days) == (TODAY, range(TODAY, TODAY + 1))


async def test_equal_points_share_a_rank(node: Node) -> None:
    circle = await founded(node, BOB, CYD)
    for player in (ADA, CYD):
        await add(node, player, HALF)
    assert await rows(node, circle, "day") == [(ADA, 1, 51), (CYD, 1, 51), (BOB, 3, 0)]


async def test_a_crown_requires_the_days_own_dailies(node: Node, redis_url: str) -> None:
    """It stays after a later day has more dailies."""
    circle = await founded(node)
    # One game less of each crown.
    few = [game for each in by_crown(daily_games()) for game in sorted(each.games)[1:]]
    async with node_on(redis_url, node.clock, few) as before:
        await before.dailies.draw_ahead()
        for game in few:
            await add(before, ADA, WON, game=game)
    node.clock.time += DAY
    await node.dailies.draw_ahead()
    for game in few:
        await add(node, ADA, WON, TODAY + 1, game)
    for span, crowns in (("day", 0), ("all", CROWNS)):
        table = await node.services.circle_tables.table(circle, span)  # type: ignore[arg-type]
        assert table.rows[0].score.crowns == crowns
    first = await node.services.circle_tables.table(circle, "day", TODAY)
    assert (first.rows[0].score.crowns, first.games) == (CROWNS, frozenset(few))
    second = await node.services.circle_tables.table(circle, "day", TODAY + 1)
    assert second.games == set(daily_games())
    feed = await node.services.circle_tables.feed(circle)
    assert {each.day: each.crowns for each in feed if each.about == "dailies"} == {
        TODAY: tuple(each.crown for each in by_crown(daily_games())),
        TODAY + 1: (),
    }


async def test_the_feed_names_the_crown_earned(node: Node) -> None:
    circle = await founded(node)
    await node.dailies.draw_ahead()
    _, second = by_crown(daily_games())
    for game in second.games:
        await add(node, ADA, WON, game=game)
    feed = await node.services.circle_tables.feed(circle)
    assert [each.crowns for each in feed if each.about == "dailies"] == [(second.crown,)]


async def test_a_run_without_a_card_home_does_not_count_as_played(node: Node) -> None:
    circle = await founded(node)
    await add(node, ADA, NOTHING)
    (row,) = (await node.services.circle_tables.table(circle, "day")).rows
    assert (row.score.played, row.score.points, row.score.dailies) == (0, 0, ((GAME, NOTHING),))


async def test_a_weeks_table_sums_points_for_guests_too(node: Node) -> None:
    circle = await founded(node, BOB)
    await add(node, ADA, HALF, MONDAY)
    await node.services.histories.keep(ADA, START)
    await add(node, ADA, WON, MONDAY + 1)
    await add(node, BOB, WON, MONDAY - 1)
    assert await rows(node, circle, "week") == [(ADA, 1, 51 + 195), (BOB, 2, 0)]
    assert await rows(node, circle, "week", WEEK - 1) == [(BOB, 1, 195), (ADA, 2, 0)]


async def test_a_void_run_changes_every_table(node: Node, other: Node) -> None:
    circle = await founded(node, BOB)
    circle = await node.services.circles.decide(circle.id, commands.set_season, ADA, 1)
    await add(node, ADA, WON)
    await add(node, BOB, HALF)
    expected = [(ADA, 1, 195), (BOB, 2, 51)]
    for span in ("day", "week", "season"):
        for each in (node, other):
            assert await rows(each, circle, span) == expected
    assert [row[0] for row in await rows(node, circle, "all")] == [ADA, BOB]
    assert "record" in {each.about for each in await node.services.circle_tables.feed(circle)}
    await node.services.histories.void_day(ADA, GAME, TODAY, (), void=True)
    for span in ("day", "week", "season"):
        for each in (node, other):
            assert await rows(each, circle, span) == [(BOB, 1, 51), (ADA, 2, 0)]
    table = await other.services.circle_tables.table(circle, "all")
    assert [(row.player, row.score.won, row.score.played) for row in table.rows] == [
        (BOB, 0, 1),
        (ADA, 0, 0),
    ]
    assert table.records[GAME][0] == BOB
    feed = await other.services.circle_tables.feed(circle)
    assert {each.player for each in feed if each.about in {"record", "dailies"}} == {BOB}


async def test_a_past_seasons_table_reflects_voided_results(node: Node, other: Node) -> None:
    circle = await founded(node, BOB, CYD)
    circle = await node.services.circles.decide(circle.id, commands.set_season, ADA, 1)
    assert circle.season is not None
    await add(node, ADA, WON)
    await add(node, BOB, HALF)
    node.clock.time = circle.season.settled
    await other.sweep()
    await node.services.circles.leave(circle.id, BOB)
    circle = await other.services.circles.load(circle.id, ADA)
    await add(node, CYD, WON, day_at(node.clock.time))
    assert await rows(other, circle, "season", 1) == [(ADA, 1, 195), (BOB, 2, 51), (CYD, 3, 0)]
    assert await rows(node, circle, "season") == [(CYD, 1, 195), (ADA, 2, 0)]
    await node.services.histories.void_day(ADA, GAME, TODAY, (), void=True)
    assert (await rows(other, circle, "season", 1))[0] == (BOB, 1, 51)
    (ended,) = [e for e in await node.services.circle_tables.feed(circle) if e.about == "season"]
    assert (ended.player, ended.points, ended.number) == (BOB, 51, 1)


async def test_a_future_period_is_unknown(node: Node) -> None:
    circle = await founded(node)
    for span, period in (("day", TODAY + 1), ("week", WEEK + 1), ("season", None), ("season", 1)):
        assert await refusal_from(rows(node, circle, span, period)) == "unknown_day"
    assert await rows(node, circle, "day", 0) == [(ADA, 1, 0)]


async def test_an_all_time_table_has_wins_crowns_races_and_records(node: Node) -> None:
    circle = await founded(node, BOB)
    for game in daily_games():
        await add(node, ADA, replace(HALF, ranked=True), TODAY - 1, game)
    await add(node, BOB, WON)
    race = RoundResult(START, 1, 2, True, 52, 0, 200_000, 70, "won", ranked=True)
    await node.services.histories.add_round(ADA, "deuces", DealId("d" * 16), race)
    table = await node.services.circle_tables.table(circle, "all")
    assert [(r.player, r.rank, r.score.won, r.score.played) for r in table.rows] == [
        (BOB, 1, 1, 1),
        (ADA, 2, 0, len(daily_games())),
    ]
    assert (table.rows[1].score.crowns, table.rows[1].score.races) == (CROWNS, 1)
    assert (table.records[GAME][0], table.records[GAME][1].day) == (BOB, TODAY)
    assert table.records["deuces"][1] == (race.packed, None)


async def test_histories_stored_without_sums_count_too(node: Node) -> None:
    circle = await founded(node)
    for game in daily_games():
        await add(node, ADA, WON, game=game)
    await node.redis.hdel(player_keys.history(ADA), *(f"p:{game}" for game in daily_games()))
    table = await node.services.circle_tables.table(circle, "all")
    score = table.rows[0].score
    assert (score.played, score.crowns) == (len(daily_games()), CROWNS)
    assert table.records[GAME] == (ADA, (WON.packed, TODAY))


async def test_head_to_head_compares_deals_played_by_both(node: Node) -> None:
    circle = await founded(node, BOB)
    await add(node, ADA, WON)
    await add(node, BOB, HALF)
    for player in (ADA, BOB):
        await add(node, player, HALF, TODAY - 1)
    await add(node, ADA, WON, TODAY - 2)
    for player, place in ((ADA, 2), (BOB, 1)):
        race = RoundResult(START, place, 2, place == 1, 20, 32, 5_000, 40, "stuck")
        await node.services.histories.add_round(player, "deuces", DealId("d" * 16), race)
        challenge = ChallengeResult(
            START, ChallengeId("c" * 16), 3 - place, 2, 20, 32, 5_000, 40, "stuck"
        )
        await node.services.histories.add_challenge(player, GAME, DealId("e" * 16), challenge)
    duels = node.services.circle_tables.duels
    expected = [("deuces", "race", 0, 1, 0), (GAME, "challenge", 1, 0, 0), (GAME, "daily", 1, 0, 1)]
    assert await duels(ADA, BOB) == expected
    assert await duels(ADA, BOB) == expected, "from memory"
    assert (await duels(BOB, ADA))[0][2:] == (1, 0, 0)
    await node.services.histories.void_day(ADA, GAME, TODAY, (), void=True)
    assert (await duels(ADA, BOB))[2] == (GAME, "daily", 0, 0, 1)
    assert circle.players == [ADA, BOB]


async def test_the_feed_shows_recent_events(node: Node) -> None:
    circle = await founded(node)
    node.clock.time += 1_000
    circle = await node.services.circles.join(BOB, circle.link)
    await add(node, BOB, WON)
    await add(node, ADA, HALF)
    await add(node, ADA, replace(HALF, home=30, left=22), TODAY - 8, "deuces")
    found = await node.services.circle_tables.feed(circle)
    assert [(each.about, each.player, each.points, each.game) for each in found] == [
        ("joined", BOB, 0, None),
        ("record", BOB, 0, GAME),
        ("dailies", BOB, 195, None),
        ("dailies", ADA, 51, None),
    ]
    node.clock.time += 7 * DAY
    assert await node.services.circle_tables.feed(circle) == []
