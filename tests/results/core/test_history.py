"""Players' histories, and scores derived from them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.catalog import games
from engine.schema import STANDARD
from server.base.core import days as daily
from server.base.core.ids import DealId
from server.play.core.result import Result, pack
from server.results.core import boards
from server.results.core.boards import (
    ALL_GAMES,
    BoardId,
    Group,
    boards_of_day,
    boards_of_round,
    of_best,
)
from server.results.core.history import DayResult, History, RoundResult, points
from server.results.core.history_fields import whole_of
from tests.results.core.histories import fields_of

TODAY = 20_778
WON = DayResult(52, 0, 600_000, 90, "won", 190, ranked=True)
HALF = DayResult(27, 25, 400_000, 80, "stuck", 51, ranked=True)
NOTHING = DayResult(1, 51, 0, 3, "resigned", 0, ranked=True)

days = st.tuples(st.sampled_from(["robert", "deuces"]), st.integers(TODAY - 9, TODAY))
results = st.sampled_from([WON, HALF, NOTHING, replace(WON, void=True), replace(WON, ranked=False)])
rounds = st.builds(
    RoundResult,
    at=st.integers(0, 10**12),
    place=st.integers(1, 4),
    players=st.just(4),
    won=st.booleans(),
    home=st.integers(1, 51),
    left=st.integers(1, 51),
    time=st.integers(0, 10**6),
    moves=st.integers(0, 300),
    end=st.just("stuck"),
    help=st.booleans(),
    shift=st.floats(-2, 2),
    factor=st.floats(0.9, 1),
    void=st.booleans(),
    ranked=st.booleans(),
)
histories = st.builds(
    History,
    version=st.integers(0, 9),
    kept=st.none() | st.integers(0, 10**12),
    days=st.dictionaries(days, results),
    rounds=st.dictionaries(st.tuples(st.just("robert"), st.text("abc", min_size=1)), rounds),
)


def ranked(**given: object) -> History:
    return History(kept=1, **given)  # type: ignore[arg-type]


@given(histories)
def test_a_history_round_trips_through_its_fields(history: History) -> None:
    fields = fields_of(history) | {"v": str(history.version), "x:new": "of a newer release"}
    found = whole_of(fields)
    assert (found.history, found.stored) == (history, found.computed)


def test_points_reward_cards_and_a_fast_win() -> None:
    def of(home: int, end: str, minutes: float = 0) -> int:
        time = int(minutes * 60_000)
        return points(Result(home, 52 - home, time, 9, end), 1)  # type: ignore[arg-type]

    assert (of(1, "resigned"), of(2, "stuck"), of(51, "time")) == (0, 2, 99)
    assert (of(52, "won"), of(52, "won", 0.99), of(52, "won", 10)) == (200, 200, 190)
    assert of(52, "won", 600) == 150


def test_a_day_counts_with_a_card_home_and_a_valid_result() -> None:
    history = ranked(
        days={
            ("robert", TODAY): HALF,
            ("robert", TODAY - 1): NOTHING,
            ("robert", TODAY - 2): replace(WON, void=True),
            ("deuces", TODAY - 3): WON,
        }
    )
    assert history.days_played("robert") == {TODAY}
    assert (history.days_played(), history.days_won()) == ({TODAY, TODAY - 3}, {TODAY - 3})


def test_scores_of_dailies() -> None:
    history = ranked(
        days={
            ("robert", TODAY): HALF,
            ("deuces", TODAY): WON,
            # The Monday of the same week, and the Sunday before it.
            ("robert", boards.days_of(boards.week_of(TODAY))[0]): WON,
            ("robert", boards.days_of(boards.week_of(TODAY))[0] - 1): WON,
        }
    )
    week = boards.week_of(TODAY)

    def score(scope: str, game: str, period: int = 0) -> int | None:
        variant = "standard" if scope == "best" else ""
        return history.score(BoardId(scope, game, period, "ranked", variant))  # type: ignore[arg-type]

    assert score("day", "robert", TODAY) == pack(25, 400_000, 80)
    assert score("day", ALL_GAMES, TODAY) == -(51 + 190)
    assert score("week", "robert", week) == -(51 + 190)
    assert score("week", ALL_GAMES, week) == -(51 + 190 + 190)
    assert (score("wins", "robert"), score("wins", ALL_GAMES)) == (-2, -3)
    assert (score("best", "robert"), score("day", "robert", TODAY + 1)) == (WON.packed, None)
    assert (score("races", "robert"), score("rating", "robert")) == (None, None)


@given(histories)
def test_a_player_has_scores_in_one_group(history: History) -> None:
    for board in boards_of_day("robert", TODAY, "ranked", STANDARD):
        other: Group = "guests" if history.group_on(board) == "ranked" else "ranked"
        assert history.score(board._replace(group=other)) is None


@given(histories)
def test_only_ranked_results_count_among_ranked_players(history: History) -> None:
    """Results from before the identity was kept do not affect ranked scores."""
    without = replace(
        history,
        days={key: r for key, r in history.days.items() if r.ranked},
        rounds={key: r for key, r in history.rounds.items() if r.ranked},
    )
    for board in (
        *boards_of_day("robert", TODAY, "ranked", STANDARD),
        *boards_of_round("robert", STANDARD),
    ):
        if board.scope != "rating":
            assert history.score(board) == without.score(board)


def test_a_guest_who_keeps_an_identity_becomes_ranked_with_the_next_run() -> None:
    week, yesterday = boards.week_of(TODAY), replace(HALF, ranked=False)
    guest = ranked(days={("robert", TODAY - 1): yesterday})
    after = ranked(days={**guest.days, ("robert", TODAY): WON})
    of_week = BoardId("week", "robert", week, "guests")
    assert (guest.score(of_week), guest.score(of_week._replace(group="ranked"))) == (-51, None)
    assert (after.score(of_week), after.score(of_week._replace(group="ranked"))) == (None, -190)
    assert after.score(BoardId("day", "robert", TODAY - 1, "guests")) == yesterday.packed
    assert guest.score(of_best("robert", STANDARD)) is None
    # Streaks include unranked runs, because they are not compared between players.
    assert after.days_played() == {TODAY - 1, TODAY}


@given(histories)
def test_void_results_count_nowhere(history: History) -> None:
    stands = replace(
        history,
        days={key: r for key, r in history.days.items() if not r.void},
        rounds={key: r for key, r in history.rounds.items() if not r.void},
    )
    found = [
        *boards_of_day("robert", TODAY, "ranked", STANDARD),
        *boards_of_round("robert", STANDARD),
    ]
    found += boards_of_day("robert", TODAY, "guests", None)
    # A player with only void results has no score, but their group follows from those results.
    found = [board for board in found if history.group_on(board) == stands.group_on(board)]
    assert [history.score(board) for board in found] == [stands.score(board) for board in found]
    assert history.rating("robert") == stands.rating("robert")


def race(at: int, **given: object) -> RoundResult:
    return RoundResult(at, 1, 2, True, 20, 32, 5_000, 40, "stuck", **given)  # type: ignore[arg-type]


def test_a_run_with_help_or_without_a_card_is_not_a_record() -> None:
    best = of_best("robert", STANDARD)
    helped = RoundResult(1, 1, 2, True, 20, 32, 5_000, 40, "stuck", help=True, ranked=True)
    assert ranked(rounds={("robert", DealId("a")): helped}).score(best) is None
    assert ranked(days={("robert", TODAY): NOTHING}).score(best) is None


def test_each_variant_has_its_own_best_run() -> None:
    slow = replace(race(1, variant="standard"), ranked=True)
    fast = replace(race(2, variant="two-suits"), ranked=True, left=1)
    daily_run = replace(HALF, variant="one-suit")
    found = ranked(
        days={("spider", TODAY): daily_run},
        rounds={("spider", DealId("a")): slow, ("spider", DealId("b")): fast},
    )
    bests = {"standard": slow.packed, "two-suits": fast.packed, "one-suit": daily_run.packed}
    for variant, best in bests.items():
        assert found.score(of_best("spider", variant)) == best
    assert found.bests("spider") == bests


def test_runs_without_a_card_home_share_a_rank() -> None:
    others = replace(NOTHING, moves=90, end="stuck")
    assert others.packed == NOTHING.packed > replace(HALF, left=50, points=2).packed


def test_only_open_leaderboards_can_change() -> None:
    now = daily.closes(TODAY - 1)
    found = boards.open_boards(["robert"], now, "guests")
    assert {board.period for board in found if board.scope == "day"} == {TODAY}
    before = boards.open_boards(["robert"], now - 1, "guests")
    assert {board.period for board in before if board.scope == "day"} == {TODAY - 1, TODAY}
    assert {board.scope for board in before} == {"day", "week"}
    assert "rating" in {board.scope for board in boards.open_boards(["robert"], now, "ranked")}
    best = {each for each in boards.open_boards(["spider"], now, "ranked") if each.scope == "best"}
    assert best == {of_best("spider", each) for each in games()["spider"].variants}


def test_weeks_start_on_monday() -> None:
    # 2026-11-23 is a Monday.
    assert boards.week_of(20_780) == boards.week_of(20_779) + 1
    assert list(boards.days_of(boards.week_of(20_780))) == list(range(20_780, 20_787))


def test_which_leaderboards_exist() -> None:
    assert boards.exists(BoardId("day", ALL_GAMES, TODAY, "guests"))
    assert not boards.exists(BoardId("best", ALL_GAMES, 0, "ranked"))
    assert not boards.exists(of_best("robert", "draw-three"))
    assert not boards.exists(BoardId("best", "robert", 0, "ranked"))
    assert not boards.exists(BoardId("wins", "robert", 0, "ranked", "standard"))
    assert boards.exists(of_best("klondike", "draw-three"))
    assert not boards.exists(BoardId("wins", "robert", 0, "guests"))
    assert not boards.exists(BoardId("wins", "robert", 7, "ranked"))
    assert not boards.exists(BoardId("month", "robert", 7, "ranked"))  # type: ignore[arg-type]


def test_a_score_decodes_to_a_result_or_a_number() -> None:
    for board in [BoardId("day", "robert", 7, "guests"), of_best("robert", STANDARD)]:
        assert board.decode(pack(12, 183_250, 141)) == (12, 183_250, 141, 0)
    for board in [BoardId("day", ALL_GAMES, 7, "guests"), BoardId("rating", "robert", 0, "ranked")]:
        assert board.decode(-410) == (0, 0, 0, 410)
