"""The weight of a race between two players."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from server.base.core.ids import DealId
from server.results.core.contests import MAX_LATELY, WINDOW_MS, Lately, Meeting, Pair, pairs
from tests.builders import ADA, BOB, CYD, PLAYERS

NOW = 10 * WINDOW_MS

some_meetings = st.builds(
    Meeting,
    st.integers(0, 99).map(lambda number: DealId(f"deal{number}")),
    st.integers(NOW - 2 * WINDOW_MS, NOW),
    st.lists(st.sampled_from(PLAYERS), min_size=1, max_size=3, unique=True).map(tuple),
    st.booleans(),
)


def test_repeat_races_have_full_then_reduced_then_no_weight() -> None:
    found = [Pair(ADA, BOB, earlier, together=False).weight for earlier in range(9)]
    assert found == [1, 1, 1, 0.5, 0.25, 0.125, 0, 0, 0]


def test_players_at_the_same_address_have_no_weight() -> None:
    assert Pair(ADA, BOB, 0, together=True).weight == 0


@given(st.lists(some_meetings, max_size=80, unique_by=lambda each: each.deal))
def test_stored_meetings_are_bounded_and_within_the_window(given_: list[Meeting]) -> None:
    lately = Lately()
    for each in sorted(given_, key=lambda each: each.at):
        lately = lately.plus(each)
        assert lately.plus(each) is lately
    found = lately.meetings
    assert len(found) <= MAX_LATELY
    assert len({each.deal for each in found}) == len(found)
    if found:
        assert all(each.at > found[-1].at - WINDOW_MS for each in found)
        assert found[-1].at == max(each.at for each in given_)


def test_a_meeting_counts_for_a_day_in_either_history() -> None:
    lately = Lately(
        (
            Meeting(DealId("old"), NOW - WINDOW_MS, (BOB,)),
            Meeting(DealId("one"), NOW - WINDOW_MS + 1, (BOB, CYD)),
            Meeting(DealId("two"), NOW - 5, (BOB,)),
            Meeting(DealId("this"), NOW, (BOB,)),
        )
    )
    mine = lately.before(DealId("this"), NOW)
    for met in ({ADA: mine, BOB: []}, {ADA: [], BOB: [Meeting(DealId("x"), NOW, (ADA,))] * 2}):
        assert pairs([BOB, ADA], met, {}) == (Pair(ADA, BOB, 2, together=False),)
    assert pairs([ADA, CYD], {ADA: mine, CYD: []}, {ADA: "x", CYD: "y"})[0].earlier == 1
    assert pairs([BOB, CYD], {CYD: [], BOB: []}, {CYD: "y"}) == ()
