"""Players' pages over HTTP."""

from __future__ import annotations

from msgspec.structs import replace

from engine.catalog import games, ruleset
from server.base.core import days as daily
from server.base.core.ids import DealId
from server.players.api import Player
from server.results.core import history
from server.results.core.boards import ALL_GAMES
from server.results.core.daily_sets import CrownSet, DailySets
from server.results.core.history import DayResult, History, RoundResult, Sums
from server.results.players_api import MAX_DAYS, page_of
from tests.builders import ADA, START
from tests.clients.site import DAY, GAME, Site, play_daily
from tests.conftest import ALONE
from tests.nodes import Node
from tests.results.core.histories import page_of as shown

pytestmark = ALONE

WHO = Player(ADA, "Ada", "4F2A")
WON = DayResult(52, 0, 60_000, 100, "won", 199)
SOME = DayResult(20, 32, 90_000, 80, "stuck", 20)
WHOLE: dict[str, frozenset[int]] = {game: frozenset() for game in (*games(), ALL_GAMES)}
SETS = DailySets(((0, (CrownSet("", frozenset(games())),)),))
NONE = DayResult(0, 52, 0, 5, "resigned", 0)


async def test_a_page_shows_the_players_results(site: Site, node: Node) -> None:
    attempt = await play_daily(node, ADA)
    await node.services.histories.keep(ADA, START)
    page = (await site.get(f"/players/{ADA}")).json
    result = (await node.state_of(attempt)).result
    (game,) = page["games"]
    assert (page["player"]["id"], page["kept"], page["day"]) == (ADA, True, DAY)
    assert page["streaks"]["played"] == {"now": 1, "best": 1}
    (day,) = game["dailies"]["days"]
    assert (day["day"], day["home"], day["end"]) == (DAY, result.home, result.end)
    assert (game["game"], game["dailies"]["total"]) == (GAME, ruleset(GAME).total)
    assert (game["dailies"]["average"], game["rating"]) == (result.home, None)


async def test_the_page_of_a_player_without_results_is_empty(site: Site) -> None:
    page = (await site.get(f"/players/{ADA}")).json
    assert (page["games"], page["kept"], page["crowns"]) == ([], False, 0)
    reply = await site.get("/players/ada")
    assert (reply.status, reply.code) == (404, "unknown_player")


async def test_void_results_and_runs_without_a_card_home_do_not_count() -> None:
    days = {
        (GAME, DAY - 3): WON,
        (GAME, DAY - 2): SOME,
        (GAME, DAY - 1): replace(WON, void=True),
        (GAME, DAY): NONE,
    }
    (game,) = (await page_of(shown(History(days=days)), WHO, DAY, WHOLE, SETS)).games
    found = game.dailies
    assert [each.day for each in found.days] == [DAY, DAY - 2, DAY - 3]
    assert (found.played, found.won, found.average) == (3, 1, (52 + 20 + 0) / 3)
    assert (found.streaks.played.now, found.streaks.played.best) == (0, 2)
    assert found.best is not None
    assert (found.best.day, found.best.home) == (DAY - 3, 52)


async def test_the_best_run_is_by_the_rules_of_the_dailies() -> None:
    days = {(GAME, DAY - 1): replace(WON, variant="strict"), (GAME, DAY): SOME}
    (game,) = (await page_of(shown(History(days=days)), WHO, DAY, WHOLE, SETS)).games
    assert game.dailies.best is not None
    assert game.dailies.best.day == DAY, "a run by other rules cannot be compared"


async def test_a_repaired_day_does_not_end_a_streak() -> None:
    days = {(GAME, DAY - 2): SOME, (GAME, DAY): SOME}
    for game, now in ((ALL_GAMES, 2), ("robert" if GAME != "robert" else "deuces", 1)):
        repaired = WHOLE | {game: frozenset({DAY - 1})}
        if game == ALL_GAMES:
            repaired |= {GAME: repaired[ALL_GAMES]}
        page = await page_of(shown(History(days=days)), WHO, DAY, repaired, SETS)
        assert page.repaired == sorted(repaired[ALL_GAMES])
        assert page.streaks.played.now == page.games[0].dailies.streaks.played.now == now


async def test_the_number_of_days_on_a_page_is_limited() -> None:
    days = {(GAME, day): SOME for day in range(DAY - MAX_DAYS - 5, DAY + 1)}
    (game,) = (await page_of(shown(History(days=days)), WHO, DAY, WHOLE, SETS)).games
    assert [each.day for each in game.dailies.days] == [*range(DAY, DAY - MAX_DAYS, -1)]
    assert game.dailies.played == MAX_DAYS + 6


async def test_crowns_are_for_days_with_all_games() -> None:
    days = {(game, DAY): SOME for game in games()} | {(GAME, DAY - 1): SOME}
    assert (await page_of(shown(History(days=days)), WHO, DAY, WHOLE, SETS)).crowns == 1


async def test_a_run_without_a_card_home_has_no_place() -> None:
    """The best run of a round without a winner has no place either."""
    run = RoundResult(START, 2, 3, won=False, home=9, left=43, time=5, moves=9, end="stuck")
    rounds = {
        (GAME, DealId("a" * 16)): run,
        (GAME, DealId("b" * 16)): replace(run, at=START + 1, home=0, left=52, time=0),
    }
    (game,) = (await page_of(shown(History(rounds=rounds)), WHO, DAY, WHOLE, SETS)).games
    assert [each.place for each in game.races.rounds] == [None, 2]


async def test_rounds_show_their_variant_time_moves_and_end() -> None:
    run = RoundResult(START, 1, 3, True, 52, 0, 5, 9, "won", variant="strict")
    rounds = {(GAME, DealId("a" * 16)): run}
    (game,) = (await page_of(shown(History(rounds=rounds)), WHO, DAY, WHOLE, SETS)).games
    (found,) = game.races.rounds
    assert (found.variant, found.time, found.moves, found.end) == ("strict", 5, 9, "won")


async def test_rounds_show_the_rating_after_them() -> None:
    def round_(at: int, shift: float, factor: float, **changed: object) -> RoundResult:
        made = RoundResult(
            at, 1, 4, won=True, home=9, left=95, time=5, moves=9, end="stuck",
            shift=shift, factor=factor,
        )  # fmt: skip
        return replace(made, **changed)

    found = History(
        rounds={
            (GAME, DealId("b" * 16)): round_(START + 2, 1.0, 0.9),
            (GAME, DealId("a" * 16)): round_(START + 1, 2.0, 0.8),
            (GAME, DealId("c" * 16)): round_(START + 3, 0.0, 1.0, won=False),
            (GAME, DealId("d" * 16)): round_(START + 4, 9.0, 0.5, void=True),
        },
        sums={GAME: Sums(played=10, won=3, rated=10, mean=26.0, uncertainty=3.0)},
    )
    (game,) = (await page_of(shown(found), WHO, DAY, WHOLE, SETS)).games
    assert [each.at - START for each in game.races.rounds] == [3, 2, 1]
    assert (game.races.played, game.races.won) == (13, 5)
    values = [history.Rating(28.0, 2.4, 1).value, history.Rating(29.0, 2.4 * 0.9, 1).value]
    assert [each.rating for each in game.races.rounds] == [None, values[1], values[0]]
    assert game.rating is not None
    assert (game.rating.value, game.rating.rounds, game.rating.uncertainty) == (values[1], 12, 216)
    assert (game.dailies.average, daily.day_at(START)) == (None, DAY)
