"""Curves of dailies: counts of runs and percentiles."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from engine.catalog import daily_ruleset, games, ruleset, stored_ruleset
from engine.deal import deal_seed
from engine.notation import parse_move
from server.play.core import attempt as core
from server.play.core.attempt import Event, Started
from server.play.core.run import run_of, states_of
from server.results.core.curve import (
    END,
    SECONDS,
    Band,
    curves_of,
    fields_of,
    homes_of,
    replayed_homes,
)
from tests.builders import ADA, DEAL, LIMIT, START
from tests.play.core.test_run import played
from tests.results.leaving import GAME, HOME, SEED, leaving_moves

SEEDS = st.binary(min_size=32, max_size=32)
PAUSES = st.lists(st.integers(0, 60_000), max_size=60)


@given(st.sampled_from(sorted(games())), SEEDS, PAUSES, st.sampled_from(["none", "undo"]))
def test_counts_match_the_boards(game: str, seed: bytes, pauses: list[int], allowed: str) -> None:
    _, events = played(game, seed, pauses, "undo" if allowed == "undo" else "none")
    run = run_of(events)
    assert run is not None
    rules = stored_ruleset(game, "standard", run.start.rules)
    board = deal_seed(rules, seed)
    states = [*states_of(run, board)]
    times = [0, *(time for _, time in run.moves)]
    homes = [states[bisect_right(times, second * 1000) - 1].board.home for second in SECONDS]
    wanted = [f"{second}:{home}" for second, home in zip(SECONDS, homes, strict=True)]
    ended = [*wanted, f"{END}:{states[-1].board.home}"]
    assert list(fields_of(run, [*replayed_homes(run, board)])) == ended
    if not rules.automatic:
        assert list(fields_of(run, homes_of(run, rules))) == ended


def test_a_replay_counts_the_runs_that_leave_by_themselves() -> None:
    rules = daily_ruleset(GAME)
    names = ADA, DEAL, GAME, rules.variant
    start = Started(*names, None, 20_000, START, START + LIMIT, rules.digest)
    board = deal_seed(rules, SEED)
    state, homes = core.begin(start, board), [0]
    events: list[Event] = [start]
    for second, text in enumerate(leaving_moves()):
        played = core.play(state, parse_move(rules, text), START + second * 1000)
        state = played.after
        events.append(played.event)
        homes.append(state.board.home)
    run = run_of(events if state.end else [*events, core.resign(state, START + LIMIT)])
    assert run is not None
    found = [*replayed_homes(run, board)]
    assert (found, found[-1]) == (homes, HOME)
    came = next(number for number, home in enumerate(homes) if home) - 1
    late = next(each for each in SECONDS if each >= came)
    assert {"0:0", f"{late}:{HOME}", f"{END}:{HOME}"} <= {*fields_of(run, found)}


def counts(homes: list[int]) -> Counter[str]:
    return Counter(f"{time}:{home}" for time in (*SECONDS, END) for home in homes)


@given(st.lists(st.integers(0, 104), min_size=1))
def test_percentiles_follow_the_nearest_rank_method(homes: list[int]) -> None:
    found = curves_of(counts(homes))
    assert found.runs == len(homes)
    assert found.end is not None
    assert {*found.bands, found.end} == {found.end}
    for percent, home in zip((10, 50, 90), found.end, strict=True):
        assert sum(each <= home for each in homes) * 100 >= percent * len(homes)
        assert sum(each < home for each in homes) * 100 < percent * len(homes)


def test_a_removed_run_leaves_no_trace() -> None:
    assert curves_of(counts([3, 5]) - counts([5])) == curves_of(counts([3]))
    left = counts([3, 5])
    left.subtract(counts([5]))
    assert (curves_of(left), curves_of({}).end) == (curves_of(counts([3])), None)
    assert curves_of({"0:3": 0, "end:3": 0}).runs == 0


def test_the_band_of_a_few_runs() -> None:
    assert curves_of(counts([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])).end == Band(1, 5, 9)
    assert curves_of(counts([7])).end == Band(7, 7, 7)


def test_the_number_of_counts_is_bounded() -> None:
    assert sorted(set(SECONDS)) == list(SECONDS)
    assert (SECONDS[0], SECONDS[-1], len(SECONDS)) == (0, 3_600, 36)
    assert max(ruleset(game).total for game in games()) * (len(SECONDS) + 1) < 4_000
