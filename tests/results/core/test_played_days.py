"""Bit sets of days, streaks and sums of dailies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from hypothesis import given
from hypothesis import strategies as st

from server.results.core.history import DayResult
from server.results.core.played_days import Best, PlayedDays, Streak, Tally, day_set, latest, streak

TODAY = 20_778

some_days = st.sets(st.integers(TODAY - 30, TODAY))
results = st.sampled_from(
    [
        DayResult(52, 0, 600_000, 90, "won", 190, ranked=True),
        DayResult(52, 0, 600_000, 90, "won", 190, void=True),
        DayResult(27, 25, 400_000, 80, "stuck", 51),
        DayResult(30, 22, 400_000, 80, "stuck", 58, variant="strict"),
        DayResult(52, 0, 500_000, 80, "won", 192, variant="strict"),
        DayResult(0, 52, 0, 3, "resigned", 0),
    ]
)


def test_a_missed_day_ends_a_streak() -> None:
    def of(*days: int) -> Streak:
        return streak(day_set(days), TODAY)

    assert (of(), of(TODAY)) == (Streak(0, 0), Streak(1, 1))
    # Today's daily can still be played.
    assert (of(TODAY - 2, TODAY - 1), of(TODAY - 3, TODAY - 2)) == (Streak(2, 2), Streak(0, 2))
    assert of(TODAY - 9, TODAY - 8, TODAY - 7, TODAY) == Streak(1, 3)


def test_a_repaired_day_neither_ends_a_streak_nor_counts() -> None:
    played = day_set([TODAY - 3, TODAY - 1])
    assert streak(played, TODAY) == Streak(1, 1)
    assert streak(played, TODAY, [TODAY - 2]) == Streak(2, 2)
    assert streak(day_set([TODAY - 3]), TODAY, [TODAY - 2, TODAY - 1]) == Streak(1, 1)


@given(some_days, some_days)
def test_streaks_match_a_daily_recount(days: Collection[int], repaired: Collection[int]) -> None:
    now = best = 0
    for day in range(TODAY - 30, TODAY + 1):
        if day in days:
            now += 1
        elif day not in repaired and day != TODAY:
            now = 0
        best = max(best, now)
    assert streak(day_set(days), TODAY, repaired) == Streak(now, best)


@given(st.dictionaries(st.integers(TODAY - 30, TODAY), results))
def test_sums_do_not_depend_on_the_order_of_days(days: dict[int, DayResult]) -> None:
    tally, one_by_one = Tally(), PlayedDays()
    for day, result in sorted(days.items(), reverse=True):
        tally.add(day, result)
    for day, result in days.items():
        one_by_one = one_by_one.with_day(day, result)
    assert tally.sum() == one_by_one
    standing = {day: result for day, result in days.items() if not result.void}
    assert one_by_one.home == sum(result.home for result in standing.values())
    assert one_by_one.days_standing == day_set(standing)
    assert one_by_one.days_played == day_set(day for day, r in standing.items() if r.points)
    assert one_by_one.days_won == day_set(day for day, r in standing.items() if r.end == "won")
    counted: defaultdict[str, list[Best]] = defaultdict(list)
    for day, result in standing.items():
        if result.counts:
            counted[result.variant].append((result.packed, day))
    ordered = {variant: sorted(runs) for variant, runs in counted.items()}
    assert one_by_one.bests == {variant: runs[0] for variant, runs in ordered.items()}
    assert tally.next_bests == {of: runs[1] for of, runs in ordered.items() if len(runs) > 1}
    for day, result in standing.items():
        rest = Tally()
        for other in standing.keys() - {day}:
            rest.add(other, standing[other])
        assert one_by_one.without_day(day, result, tally.next_bests) == rest.sum()


@given(some_days, st.integers(0, 5))
def test_the_latest_days_come_first(days: Collection[int], most: int) -> None:
    assert [*latest(day_set(days), most)] == sorted(days, reverse=True)[:most]
