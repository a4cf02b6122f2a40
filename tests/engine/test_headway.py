"""Headway: what races count besides cards home."""

from __future__ import annotations

import pytest

from engine.board import View, view_of
from engine.cards import parse_pile
from engine.catalog import games, ruleset
from engine.deal import lay_out
from engine.headway import headway, most_headway
from engine.hints import hint
from engine.play import play
from engine.schema import STANDARD
from tests.engine.positions import dealt, easy_deck

COUNTED = [game.id for game in games().values() if game.listing.headway != "none"]


def test_cards_turned_up_are_those_that_no_longer_lie_face_down() -> None:
    start = dealt("klondike")
    assert (headway(start, "turned-up"), most_headway(start.ruleset, "turned-up")) == (0, 21)
    spider = ruleset("spider")
    assert most_headway(spider, "turned-up") == 44


def test_cards_in_order_lie_on_their_neighbour_or_were_brought_home() -> None:
    # The red queen lies on the black king, the black nine not in order; three cards are home.
    rules = ruleset("freecell")
    held = {"t0": "KS QH 9S", "f0": "AS 2S", "f1": "AH"}
    piles = [parse_pile(held.get(name, "").split()) for name in rules.pile_names]
    assert headway(View(rules, tuple(piles)), "in-order") == 4
    assert most_headway(rules, "in-order") == 52


@pytest.mark.parametrize("game", COUNTED)
def test_the_first_hints_of_a_listed_game_make_headway_that_a_view_shows_too(game: str) -> None:
    counted = games()[game].listing.headway
    seen = dealt(game, games()[game].listing.race)
    start, counts = headway(seen, counted), set[int]()
    for _ in range(8):
        move = hint(seen)
        assert move is not None
        seen, _ = play(seen, move)
        counts.add(headway(seen, counted))
        assert headway(view_of(seen), counted) == headway(seen, counted)
    assert max(counts) > start


# Hints do not win the easy deal of Rouge et Noir.
@pytest.mark.parametrize("game", [game for game in COUNTED if not ruleset(game).runs_home])
def test_a_won_game_has_the_largest_headway(game: str) -> None:
    counted, rules = games()[game].listing.headway, ruleset(game, STANDARD)
    seen = lay_out(rules, easy_deck(rules))
    while (move := hint(seen)) is not None:
        seen, _ = play(seen, move)
    assert seen.won
    assert headway(seen, counted) == most_headway(rules, counted)


def test_places_of_the_peaks_dealt_face_down_count_as_turned_up() -> None:
    start = dealt("tripeaks")
    assert (headway(start, "turned-up"), most_headway(start.ruleset, "turned-up")) == (0, 18)
