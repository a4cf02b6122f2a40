"""Excerpts agree with the whole history after any sequence of changes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec.structs import replace

from engine.catalog import games
from server.base.core.ids import DealId
from server.results.core import excerpt as core
from server.results.core.boards import BoardId, boards_of_day, boards_of_round, days_needed, of_best
from server.results.core.contests import Lately, Meeting
from server.results.core.excerpt import Excerpt
from server.results.core.history import DayResult, History, RoundResult, Sums
from server.results.core.history_fields import (
    changes,
    excerpt_of,
    names_of,
    names_of_page,
    results_on_page,
    whole_of,
)
from server.results.core.race_results import Race
from tests.builders import ADA, CODE
from tests.results.core.histories import fields_without_sums, plain_fields
from tests.sizes import cases

TODAY = 20_778
GAMES = sorted(games())[:2]
HELD, MORE = 4, 2
"""The values of `MAX_ROUNDS` and `MORE_ROUNDS` in these tests."""

Decide = Callable[[Excerpt], Excerpt | None]

day_results = st.sampled_from(
    [
        DayResult(52, 0, 600_000, 90, "won", 190, ranked=True),
        DayResult(52, 0, 500_000, 90, "won", 191, ranked=True),
        DayResult(52, 0, 400_000, 90, "won", 192),
        DayResult(27, 25, 400_000, 80, "stuck", 51, ranked=True),
        DayResult(50, 2, 300_000, 80, "stuck", 96, ranked=True, variant="other"),
        DayResult(1, 51, 0, 3, "resigned", 0),
    ]
)
some_games = st.sampled_from(GAMES)
DAYS = (TODAY - 16, TODAY - 8, TODAY - 1, TODAY)
some_days = st.sampled_from(DAYS)
round_results = st.builds(
    RoundResult,
    at=st.just(0),
    place=st.integers(1, 4),
    players=st.just(4),
    won=st.booleans(),
    home=st.integers(1, 51),
    left=st.integers(1, 4),
    time=st.sampled_from([0, 5_000]),
    moves=st.just(40),
    end=st.just("stuck"),
    help=st.booleans(),
    shift=st.floats(-2, 2),
    factor=st.floats(0.9, 1),
    void=st.booleans(),
    ranked=st.booleans(),
    variant=st.sampled_from(["standard", "other"]),
)


class Stored(RuleBasedStateMachine):
    """A stored history changed through excerpts, compared with all of its results.

    Results of rounds are changed only while they are stored individually: the sums never change
    them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self.days: dict[tuple[str, int], DayResult] = {}
        self.rounds: dict[tuple[str, DealId], RoundResult] = {}
        self.hidden: set[tuple[str, DealId]] = set()
        self.reads = self.clock = 0
        self.without_sums: set[str] = set()

    @initialize(plain=st.booleans(), day=some_days, result=day_results)
    def begin(self, plain: bool, day: int, result: DayResult) -> None:
        """Start with an empty history, or with results stored without sums."""
        if plain:
            self.days[GAMES[0], day] = result
            self.without_sums = {GAMES[0]}
            self.fields = fields_without_sums(History(days=self.days)) | {"v": "1"}

    @property
    def version(self) -> int:
        """The number of changes."""
        return int(self.fields.get("v", 0))

    def read(self, days: set[int], rounds: list[tuple[str, DealId]]) -> Excerpt:
        """Read an excerpt."""
        names = names_of(days, rounds)
        return excerpt_of(names, [self.fields.get(name) for name in names])

    def change(
        self,
        decide: Decide,
        days: set[int],
        rounds: list[tuple[str, DealId]],
        of: str | None = None,
    ) -> None:
        """Change the history as `Histories` does."""
        names = names_of(days, rounds, of)
        before = excerpt_of(names, [self.fields.get(name) for name in names])
        is_old = of is not None and before.lacks_sums([of])
        after = None if is_old else decide(before)
        if after is None:
            whole = whole_of(self.fields)
            before = whole.excerpt(whole.stored, days, rounds)
            after = decide(replace(before, **whole.computed._asdict()))
            assert after is not None
        changed = changes(before, after)
        if changed:
            for field, text in changed.items():
                if text is None:
                    del self.fields[field]
                else:
                    self.fields[field] = text
            self.fields["v"] = str(self.version + 1)
        again = self.read(days, rounds)
        assert changes(again, decide(again) or again) == {}

    @rule(at=st.integers(1, 9))
    def keep(self, at: int) -> None:
        """Record a kept identity."""
        self.change(lambda h: h if h.kept is not None else replace(h, kept=at), set(), [])

    @rule(game=some_games, day=some_days, result=day_results)
    def add_day(self, game: str, day: int, result: DayResult) -> None:
        """Add the result of a daily, possibly a second time."""
        self.change(lambda h: h.with_day(game, day, result), {day}, [], game)
        self.days.setdefault((game, day), result)

    @rule(game=some_games, day=some_days, void=st.booleans())
    def void_day(self, game: str, day: int, void: bool) -> None:
        """Void or reinstate the result of a daily of any age."""
        self.change(lambda h: h.with_void(game, day, void), {day}, [], game)
        if (game, day) in self.days:
            self.days[game, day] = replace(self.days[game, day], void=void)

    @rule(game=some_games, result=round_results)
    def add_round(self, game: str, result: RoundResult) -> None:
        """Add the result of a round."""
        self.clock += 1
        self.put_round(game, DealId(f"deal{self.clock}"), replace(result, at=self.clock))

    @rule(data=st.data(), result=round_results)
    def change_round(self, data: st.DataObject, result: RoundResult) -> None:
        """Replace the result of a round, as voiding any result of its race does."""
        if self.rounds:
            game, deal = data.draw(st.sampled_from(sorted(self.rounds)))
            self.put_round(game, deal, replace(result, at=self.rounds[game, deal].at))

    @rule(data=st.data(), withheld=st.booleans())
    def withhold(self, data: st.DataObject, withheld: bool) -> None:
        """Leave a race out of public totals, recorded or not, or include it again."""
        coming = GAMES[0], DealId(f"deal{self.clock + 1}")
        game, deal = data.draw(st.sampled_from([*sorted(self.rounds), coming]))
        held = whole_of(self.fields).history.rounds
        self.change(lambda h: h.withholding(game, deal, withheld=withheld), set(), [(game, deal)])
        if not withheld:
            self.hidden.discard((game, deal))
        elif (game, deal) in held or (game, deal) not in self.rounds:
            self.hidden.add((game, deal))

    def put_round(self, game: str, deal: DealId, result: RoundResult) -> None:
        """Record the result of a round, unless it has been moved to the sums."""
        self.change(lambda h: h.with_round(game, deal, result), set(), [(game, deal)], game)
        held = whole_of(self.fields).history.rounds
        if (game, deal) in held:
            self.rounds[game, deal] = result

    @invariant()
    def says_what_follows_from_all(self) -> None:
        """Scores and ratings from an excerpt and the history equal those from all results."""
        whole = whole_of(self.fields)
        history = whole.history
        results = History(history.version, history.kept, self.days, self.rounds)
        shown = {key: result for key, result in self.rounds.items() if key not in self.hidden}
        public = replace(results, rounds=shown)
        # The best of the sums cannot be told apart from a race that was moved there while withheld.
        moved = {game for game, deal in self.hidden & self.rounds.keys() - history.rounds.keys()}
        assert history.days == self.days
        stored, computed = whole.stored, whole.computed
        assert stored.totals == computed.totals
        missing = self.without_sums - stored.played.keys()
        assert stored.played == {g: p for g, p in computed.played.items() if g not in missing}
        assert stored.held == {g: h for g, h in computed.held.items() if g not in missing}
        for game in GAMES:
            assert sum(of == game for of, _ in history.rounds) < HELD + MORE
            for day in DAYS:
                boards = boards_of_day(game, day, "ranked", "standard")
                boards += [
                    *boards_of_round(game, "other"),
                    *boards_of_day(game, day, "guests", None),
                ]
                boards = [each for each in boards if each.scope != "best" or game not in moved]
                found = self.read(days_needed(boards), [])
                scores = [public.score(board) for board in boards]
                assert [found.score(board) for board in boards] == scores
                assert [history.score(board) for board in boards] == scores
            assert found.rating(game) == history.rating(game) == results.rating(game)
        names = names_of_page()
        page = excerpt_of(names, [self.fields.get(name) for name in names])
        if not page.lacks_sums(page.totals):
            assert {*results_on_page(page, len(DAYS))} == {
                *(f"d:{game}:{day}" for (game, day), r in self.days.items() if not r.void),
                *(f"r:{game}:{deal}" for game, deal in history.rounds),
            }
        for game, deal in history.rounds:
            others = {key: result for key, result in self.rounds.items() if key != (game, deal)}
            rating = replace(results, rounds=others).rating(game)
            assert self.read(set(), [(game, deal)]).rating_without(game, deal) == rating


@pytest.fixture(autouse=True, scope="module")
def few_rounds() -> object:
    """Lower the number of stored rounds, so that short sequences reach it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core, "MAX_ROUNDS", HELD)
        patch.setattr(core, "MORE_ROUNDS", MORE)
        yield


TestStored = Stored.TestCase
TestStored.settings = settings(max_examples=cases(8, 60), stateful_step_count=30, deadline=None)


def race(at: int, left: int = 32) -> RoundResult:
    result = RoundResult(at, 1, 2, True, 52 - left, left, 5_000, 40, "stuck")
    return replace(result, shift=0.5, factor=0.9, ranked=True)


def test_rounds_moved_to_the_sums_still_count() -> None:
    rounds = {("robert", DealId(f"deal{n}")): race(n) for n in range(HELD + MORE - 1)}
    whole = whole_of(plain_fields(History(kept=1, rounds=rounds)))
    found = whole.excerpt(whole.computed, [], [("robert", DealId("last"))])
    after = found.with_round("robert", DealId("last"), race(HELD + MORE))
    assert after is not None
    assert (len(after.rounds), after.sums["robert"].played) == (HELD, MORE)
    assert after.score(BoardId("races", "robert", 0, "ranked")) == -(HELD + MORE)
    assert after.rating("robert").rated == HELD + MORE
    # Adding a round again after it was moved to the sums changes nothing.
    assert after.with_round("robert", DealId("deal0"), race(0)) is after


@given(st.lists(st.floats(-2, 2)), st.randoms())
def test_ratings_do_not_depend_on_the_order_of_races(shifts: list[float], random: object) -> None:
    results = [replace(race(at), shift=shift) for at, shift in enumerate(shifts)]
    there, back = core.Totals(), core.Totals()
    for result in results:
        there = there.with_round(result)
    for result in reversed(results):
        back = back.with_round(result)
    assert there == back
    for result in results:
        there = there.without_round(result)
    assert (there.change, there.held) == (core.Totals().change, 0)


def test_a_withheld_best_race_needs_the_whole_history() -> None:
    rounds = {("robert", DealId(f"deal{n}")): race(n, left=n) for n in (1, 2, 3)}
    whole = whole_of(plain_fields(History(kept=1, rounds=rounds)))
    best = of_best("robert", "standard")
    races, rating = (BoardId(scope, "robert", 0, "ranked") for scope in ("races", "rating"))
    first, second = ("robert", DealId("deal1")), ("robert", DealId("deal2"))
    part = replace(whole.excerpt(whole.computed, [], [first]), whole=None)
    assert part.withholding(*first, withheld=True) is None
    found = whole.excerpt(whole.computed, [], [first])
    for hidden in (first, second):
        after = found.withholding(*hidden, withheld=True)
        assert after is not None
        found = after
    assert found.score(best) == rounds["robert", DealId("deal3")].packed
    assert found.score(races) == -1
    alone = History(kept=1, rounds={first: rounds[first]})
    assert found.score(rating) == alone.score(rating) != whole.history.score(rating)
    # The next race is rated by all earlier ones.
    assert found.rating_without("robert", DealId("deal4")) == whole.history.rating("robert")
    for hidden in (second, first):
        after = found.withholding(*hidden, withheld=False)
        assert after is not None
        found = after
        assert found.score(best) == rounds[hidden].packed
    assert found.withheld == {}
    for board in (best, races, rating):
        assert found.score(board) == whole.history.score(board)


def test_a_days_result_is_never_replaced() -> None:
    found = Excerpt().with_day("robert", TODAY, DayResult(27, 25, 4, 8, "stuck", 51))
    assert found is not None
    assert found.with_day("robert", TODAY, DayResult(52, 0, 6, 9, "won", 190)) is found


def over(number: int, game: str = "robert") -> Race:
    return Race(DealId(f"deal{number}"), game, number, 0, "none", {}, CODE, 0)


def test_one_race_per_game_claims_a_history_until_its_result_is_recorded() -> None:
    one, other = over(1), over(2)
    claimed = Excerpt().with_claim(one)
    assert claimed.with_claim(one) is claimed
    assert claimed.with_claim(other) is claimed
    assert claimed.with_claim(over(3, "deuces")).claims.keys() == {"robert", "deuces"}
    assert claimed.with_round("robert", other.deal, race(2)).claims == {"robert": one}  # type: ignore[union-attr]
    after = claimed.with_round("robert", one.deal, race(1))
    assert after is not None
    assert after.claims == {}
    assert after.with_claim(one) is after
    assert after.with_claim(other).claims == {"robert": other}
    late = replace(after, claims={"robert": one}).with_round("robert", one.deal, race(1))
    assert late is not None
    assert (late.claims, changes(claimed, after)["c:robert"]) == ({}, None)


def test_a_race_moved_to_the_sums_cannot_claim() -> None:
    found = Excerpt(sums={"robert": Sums(until=5)})
    assert found.with_claim(over(5)) is found
    assert found.with_claim(over(6)) is not found


def test_opponents_are_recorded_once_with_the_result() -> None:
    met = Meeting(DealId("deal1"), 1, (ADA,))
    after = Excerpt().with_round("robert", DealId("deal1"), race(1), met)
    assert after is not None
    assert after.lately == {"robert": Lately((met,))}
    assert after.with_round("robert", DealId("deal1"), race(1), met) is after
    changed = after.with_round("robert", DealId("deal1"), replace(race(1), void=True), met)
    assert changed is None or changed.lately == after.lately
    assert (after.met_before(over(1)), after.met_before(over(2))) == ([], [met])
    fields = {name: text for name, text in changes(Excerpt(), after).items() if text is not None}
    assert whole_of(fields).lately == after.lately
    assert excerpt_of(fields, fields.values()).lately == after.lately


def test_unchanged_fields_are_not_written() -> None:
    before = Excerpt(days={("robert", day): race(0) for day in range(5)})  # type: ignore[misc]
    after = before.with_day("robert", TODAY, DayResult(27, 25, 4, 8, "stuck", 51))
    assert after is not None
    assert set(changes(before, after)) == {f"d:robert:{TODAY}", "t:robert", "p:robert"}
