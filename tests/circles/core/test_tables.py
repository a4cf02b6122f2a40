"""Tables and head-to-head results of circles, without I/O."""

from __future__ import annotations

from server.base.core.ids import ChallengeId, DealId
from server.circles.core.tables import Duel, all_time, duels
from server.results.core.daily_sets import DailySets, by_crown
from server.results.core.excerpt import Excerpt, Totals
from server.results.core.history import ChallengeResult, History

DEAL = DealId("dea1000000000000")
ID = ChallengeId("cha0000000000000")


def challenge_at(place: int, *, own_rules: bool = False) -> History:
    """Return the history of a player with a place in the test's challenge."""
    result = ChallengeResult(0, ID, place, 2, 9, 43, 9, 9, "stuck", own_rules=own_rules)
    return History(challenges={("robert", DEAL): result})


def test_challenges_by_custom_rules_do_not_count_in_duels() -> None:
    assert duels(challenge_at(1), challenge_at(2)) == [Duel("robert", "challenge", 1, 0, 0)]
    assert duels(challenge_at(1, own_rules=True), challenge_at(2, own_rules=True)) == []


def test_a_record_is_a_run_by_the_rules_of_the_dailies() -> None:
    sets = DailySets(((0, by_crown(["spider"])),))
    found = Excerpt(totals={"spider": Totals(bests={"standard": 5, "one-suit": 9, "two-suits": 7})})
    assert all_time(found, sets).records["spider"] == (9, None)
    others = Excerpt(totals={"spider": Totals(bests={"two-suits": 7})})
    assert all_time(others, sets).records == {}
