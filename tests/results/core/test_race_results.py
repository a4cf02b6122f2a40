"""The results of a race for each player."""

from __future__ import annotations

import dataclasses
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from server.base.core.ids import PACE_BOT, DealId, PlayerId
from server.play.core.result import Help, Result
from server.results.core import contests, ratings
from server.results.core.contests import Meeting, Pair, has_played
from server.results.core.history import RATING, UNCERTAINTY, RoundResult
from server.results.core.race_results import Decision, Race, decide, meetings, results
from server.results.core.ratings import Skill
from server.rooms.core.effects import race_over
from server.rooms.core.room import Room
from tests.builders import (
    ADA,
    BOB,
    CODE,
    CYD,
    DAN,
    DEAL,
    PLAYERS,
    START,
    finished,
    race_of,
    reached,
)

NEW = (RATING, UNCERTAINTY)

runs = st.builds(reached, st.integers(1, 6), st.integers(0, 3), st.integers(0, 20))


def race(runs: dict[PlayerId, Result], home: int = 0, allowed: Help = "none") -> Race:
    return Race(DEAL, "robert", START, home, allowed, runs, CODE, START - 60_000)


def decided(runs: dict[PlayerId, Result], *pairs: Pair, home: int = 0) -> Decision:
    """Return the decision on a race of new players with kept identities."""
    return Decision(race(runs, home), dict.fromkeys(runs, NEW), frozenset(runs), pairs)


@st.composite
def decisions(draw: st.DrawFn) -> Decision:
    """Draw the decision on a race of several players."""
    players = PLAYERS[: draw(st.integers(2, len(PLAYERS)))]
    allowed: Help = draw(st.sampled_from(["none", "undo"]))
    home = draw(st.sampled_from([-1, 1, 3]))
    over = race({p: draw(runs) for p in players}, home, allowed)
    means = st.floats(0, 50)
    before = {p: (draw(means), UNCERTAINTY) for p in players}
    less = [
        Pair(one, other, draw(st.integers(0, 8)), draw(st.booleans()))
        for one, other in combinations(sorted(players), 2)
        if draw(st.booleans())
    ]
    return Decision(over, before, frozenset(draw(st.sets(st.sampled_from(players)))), tuple(less))


def over(room: Room, **homes: int) -> Room:
    names = {"ada": ADA, "bob": BOB, "bot": PACE_BOT}
    for name, home in homes.items():
        room = finished(room, names[name], reached(home, moves=home))
    return room


def test_a_finished_round_of_several_players_is_a_race() -> None:
    room = race_of(ADA, BOB)
    assert race_over(room) is None
    room = over(room, ada=5)
    assert race_over(room) is None
    found = race_over(over(room, bob=7))
    assert found is not None
    assert (found.deal, found.game, found.at, found.home) == (DEAL, "robert", START, 0)
    assert {player: result.home for player, result in found.results.items()} == {ADA: 5, BOB: 7}


def test_the_results_of_a_race_name_its_variant() -> None:
    room = race_of(ADA, BOB)
    assert room.round is not None
    terms = replace(room.round.terms, variant="strict")
    room = dataclasses.replace(room, round=dataclasses.replace(room.round, terms=terms))
    found = race_over(over(room, ada=5, bob=7))
    assert found is not None
    made = results(replace(decided(found.results), race=found), ())
    assert [made[player].variant for player in (ADA, BOB)] == ["strict", "strict"]


def test_a_round_without_a_move_is_not_a_race() -> None:
    assert race_over(over(race_of(ADA, BOB), ada=0, bob=0)) is None
    assert race_over(over(race_of(ADA, BOB), ada=0, bob=1)) is not None
    assert race_over(over(race_of(ADA, BOB, PACE_BOT), ada=0, bob=0, bot=9)) is None


def test_a_round_alone_or_against_the_pace_bot_is_not_a_race() -> None:
    assert race_over(over(race_of(ADA), ada=5)) is None
    assert race_over(over(race_of(ADA, PACE_BOT), ada=5, bot=9)) is None


@given(decisions(), st.sets(st.sampled_from(PLAYERS), max_size=3))
def test_ranks_ignore_players_with_void_results(decision: Decision, void: set[PlayerId]) -> None:
    found = results(decision, void)
    assert found.keys() == decision.race.results.keys()
    left = {p: r for p, r in decision.race.results.items() if p not in void}
    without = results(replace(decision, race=replace(decision.race, results=left)), ())
    for player, result in found.items():
        assert result.void == (player in void)
        if player in void:
            assert (result.won, result.is_rated) == (False, False)
        else:
            assert result == replace(without[player], players=result.players)


@given(decisions(), st.booleans())
def test_a_race_without_help_is_rated_if_it_has_a_winner(decision: Decision, rated: bool) -> None:
    decision = replace(decision, race=replace(decision.race, rated=rated))
    found = results(decision, ())
    won = any(each.won for each in found.values())
    may_be = rated and decision.race.help == "none" and won
    for player, each in found.items():
        assert each.won == (each.place == 1 and each.home > decision.race.home)
        assert each.ranked == (player in decision.ranked)
        assert not each.is_rated or (may_be and each.ranked)
    if may_be and not decision.pairs:
        last = max(found, key=lambda player: found[player].place)
        assert found[last].is_rated or last not in decision.ranked or not lost(found, last)


def lost(found: dict[PlayerId, RoundResult], player: PlayerId) -> bool:
    return any(each.place < found[player].place for each in found.values())


@given(decisions())
def test_a_lower_weight_moves_a_rating_less_in_the_same_direction(decision: Decision) -> None:
    players = [p for p in decision.race.results if p in decision.ranked]
    found = results(decision, ())
    if len(decision.race.results) == 2:
        full = results(replace(decision, pairs=()), ())
        for player in players:
            mine, strangers = found[player], full[player]
            assert abs(mine.shift) <= abs(strangers.shift)
            assert mine.shift * strangers.shift >= 0
            assert abs(mine.factor - 1) <= abs(strangers.factor - 1)


@given(decisions())
def test_opponents_without_weight_do_not_affect_ratings(decision: Decision) -> None:
    found = results(decision, ())
    ranks = {player: result.place for player, result in found.items()}
    for player, result in found.items():
        weights = contests.weights(player, decision.race.results, ranks, decision.pairs)
        assert all(0 < weight <= 1 for weight in weights.values())
        if not result.is_rated:
            continue
        field = {player, *weights}
        change = ratings.rate({p: Skill(*decision.before[p]) for p in field}, ranks)[player]
        mean = sum(weights.values()) / len(weights)
        assert (result.shift, result.factor) == change.scaled(mean)


@given(decisions(), st.integers(0, 9))
def test_nobody_gains_from_who_has_not_played(decision: Decision, moves: int) -> None:
    runs = decision.race.results
    idle = reached(decision.race.home, moves=moves)
    given_up = {player: idle for player in runs if player != ADA}
    over = replace(decision.race, results={ADA: runs[ADA]} | given_up)
    found = results(replace(decision, race=over, before=dict.fromkeys(over.results, NEW)), ())
    assert found[ADA].shift == 0


@given(decisions(), st.booleans())
def test_only_contests_count_on_leaderboards(decision: Decision, rated: bool) -> None:
    decision = replace(decision, race=replace(decision.race, rated=rated))
    found = results(decision, ())
    ranks = {player: result.place for player, result in found.items()}
    won = any(each.won for each in found.values())
    for player, result in found.items():
        weights = contests.weights(player, decision.race.results, ranks, decision.pairs)
        assert result.counts == (won and player in decision.ranked and bool(weights))
        assert result.counts or (result.ranked_wins, result.record) == (0, None)
        assert result.counts or not result.is_rated


def test_a_win_against_idle_opponents_does_not_count_on_leaderboards() -> None:
    played, given_up = {ADA: run(9, 40), BOB: run(5, 40)}, {ADA: run(9, 40), BOB: run(0, 1)}
    assert results(decided(played), ())[ADA].ranked_wins == 1
    for hollow in (
        decided(given_up),
        decided(played, Pair(ADA, BOB, 0, together=True)),
        decided(played, Pair(ADA, BOB, contests.MOST, together=False)),
    ):
        mine = results(hollow, ())[ADA]
        assert (mine.won, mine.ranked_wins, mine.record) == (True, 0, None)


def test_giving_up_immediately_counts_as_a_loss() -> None:
    found = results(decided({ADA: run(9, 40), BOB: run(0, 1)}), ())
    assert not found[ADA].is_rated
    assert found[BOB].shift < 0
    # A race against an opponent who played does count for the winner.
    assert results(decided({ADA: run(9, 40), BOB: run(0, 40)}), ())[ADA].shift > 0


def test_a_run_stuck_after_a_few_moves_counts_as_played() -> None:
    assert has_played(replace(run(3, 4), end="stuck"))
    assert not has_played(run(3, 4))


def run(home: int, moves: int) -> Result:
    return reached(home, moves=moves)


def test_a_player_without_weight_takes_nothing_from_the_others() -> None:
    """Two players at one address do not reduce a third player's gain from either."""
    runs = {ADA: run(9, 40), BOB: run(5, 40), CYD: run(1, 40)}
    found = results(decided(runs, Pair(BOB, CYD, 0, together=True)), ())
    full = results(decided(runs), ())
    assert found[ADA] == full[ADA]
    assert abs(found[CYD].shift) < abs(full[CYD].shift)


def test_the_only_valid_result_wins_but_is_not_rated() -> None:
    found = results(decided({player: reached(5) for player in (ADA, BOB, CYD)}), {ADA, CYD})[BOB]
    assert (found.place, found.won, found.is_rated, found.players) == (1, True, False, 3)


def test_a_race_counts_for_players_with_a_kept_identity_at_its_start() -> None:
    runs = {ADA: run(9, 40), BOB: run(5, 40), CYD: run(3, 40), DAN: run(1, 40)}
    over = race(runs)
    kept = {ADA: over.starts, BOB: over.starts + 1, CYD: None, DAN: 0}
    decision = decide(over, dict.fromkeys(runs, NEW), kept, {player: [] for player in runs}, {})
    assert decision.ranked == {ADA, DAN}
    found = results(decision, ())
    assert {player for player in runs if found[player].is_rated} == {ADA, DAN}
    assert meetings(decision).keys() == {ADA, DAN}


def test_the_decision_records_repeat_and_same_address_opponents() -> None:
    runs = {ADA: run(9, 40), BOB: run(5, 3), CYD: run(3, 2)}
    met = [Meeting(DealId(f"d{n}"), START - n, (BOB,), hollow=n < 2) for n in range(3)]
    kept, before = dict.fromkeys(runs, 0), dict.fromkeys(runs, NEW)
    lately = {ADA: met, BOB: met[:1], CYD: []}
    decision = decide(race(runs), before, kept, lately, {ADA: "x", CYD: "x", BOB: "y"})
    assert decision.pairs == (Pair(ADA, BOB, 3, together=False), Pair(ADA, CYD, 0, together=True))
    assert decision.hollow == {ADA: 2, BOB: 1}
    mine = meetings(decision)[ADA]
    assert (mine.others, mine.hollow) == (tuple(sorted((BOB, CYD))), True)
    assert not meetings(decision)[BOB].hollow
    unrated = replace(decision, race=replace(decision.race, rated=False))
    assert meetings(unrated) == meetings(decision)
