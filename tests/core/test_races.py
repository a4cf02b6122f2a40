"""What a race is to each of its players."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from server.core.history import RATING, UNCERTAINTY
from server.core.ids import PACE_BOT, PlayerId
from server.core.race import Room
from server.core.races import Decision, Race, race_over, results
from server.core.stored import Help, StoredResult
from tests.core.builders import ADA, BOB, CYD, DEAL, PLAYERS, START, finished, race_of, reached

NEW = (RATING, UNCERTAINTY)

runs = st.builds(reached, st.integers(1, 6), st.integers(0, 3), st.integers(0, 3)).map(
    StoredResult.of
)


@st.composite
def decisions(draw: st.DrawFn) -> Decision:
    """Draw a race of several players, and their ratings before it."""
    players = PLAYERS[: draw(st.integers(2, len(PLAYERS)))]
    allowed: Help = draw(st.sampled_from(["none", "undo"]))
    home = draw(st.sampled_from([-1, 1, 3]))
    race = Race(DEAL, "robert", START, home, allowed, {p: draw(runs) for p in players})
    means = st.floats(0, 50)
    return Decision(race, {p: (draw(means), UNCERTAINTY) for p in players})


def over(room: Room, **homes: int) -> Room:
    """Return a room whose players have brought so many cards home."""
    names = {"ada": ADA, "bob": BOB, "bot": PACE_BOT}
    for name, home in homes.items():
        room = finished(room, names[name], reached(home, moves=home))
    return room


def test_a_round_of_several_players_is_a_race_when_it_is_over() -> None:
    room = race_of(ADA, BOB)
    assert race_over(room) is None
    room = over(room, ada=5)
    assert race_over(room) is None
    found = race_over(over(room, bob=7))
    assert found is not None
    assert (found.deal, found.game, found.at, found.home) == (DEAL, "robert", START, 0)
    assert {player: result.home for player, result in found.results.items()} == {ADA: 5, BOB: 7}


def test_a_round_without_a_move_is_no_race() -> None:
    assert race_over(over(race_of(ADA, BOB), ada=0, bob=0)) is None
    assert race_over(over(race_of(ADA, BOB), ada=0, bob=1)) is not None
    assert race_over(over(race_of(ADA, BOB, PACE_BOT), ada=0, bob=0, bot=9)) is None


def test_a_round_alone_or_with_the_pace_bot_is_no_race() -> None:
    assert race_over(over(race_of(ADA), ada=5)) is None
    assert race_over(over(race_of(ADA, PACE_BOT), ada=5, bot=9)) is None


@given(decisions(), st.sets(st.sampled_from(PLAYERS), max_size=3))
def test_a_race_is_ranked_as_if_those_had_not_played_who_are_void(
    decision: Decision, void: set[PlayerId]
) -> None:
    found = results(decision, void)
    assert found.keys() == decision.race.results.keys()
    left = {p: r for p, r in decision.race.results.items() if p not in void}
    without = results(Decision(replace(decision.race, results=left), decision.before), ())
    for player, result in found.items():
        assert result.void == (player in void)
        if player in void:
            assert (result.won, result.is_rated) == (False, False)
        else:
            assert result == replace(without[player], players=result.players)


@given(decisions())
def test_a_race_is_rated_if_somebody_has_won_it_without_help(decision: Decision) -> None:
    found = results(decision, ()).values()
    rated = decision.race.help == "none" and any(each.won for each in found)
    assert all(each.is_rated == rated for each in found)
    assert all(each.won == (each.place == 1 and each.home > decision.race.home) for each in found)


def test_who_is_left_alone_has_won_but_is_not_rated() -> None:
    runs = {player: StoredResult.of(reached(5)) for player in (ADA, BOB, CYD)}
    decision = Decision(Race(DEAL, "robert", START, 0, "none", runs), dict.fromkeys(runs, NEW))
    found = results(decision, {ADA, CYD})[BOB]
    assert (found.place, found.won, found.is_rated, found.players) == (1, True, False, 3)
