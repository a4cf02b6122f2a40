"""The relatives, games defined by their files alone, and the rules of each."""

from __future__ import annotations

from random import Random

import pytest

from engine.catalog import games
from tests.engine.positions import (
    ALL,
    after,
    board,
    dealt,
    easy_board,
    legal,
    moves_of,
    moves_to,
    shown,
    sizes,
)
from tests.engine.starts import last_run_start
from tests.relatives import RELATIVES, find_ruleset


def test_relatives_are_not_in_the_catalogue() -> None:
    names = {game.id: game.name for game in RELATIVES.values()}
    assert names == {"gypsy": "Gypsy", "sir-tommy": "Sir Tommy", "streets": "Streets"}
    assert not names.keys() & games().keys()


def test_rulesets_of_relatives_are_found_like_those_of_the_catalogue() -> None:
    assert find_ruleset("gypsy") is find_ruleset("gypsy", "standard")
    assert find_ruleset("deuces", "fill").rules.name == "Deuces"


@pytest.mark.parametrize(
    ("game", "variant"), [each for each in ALL if not find_ruleset(*each).runs_home]
)
def test_every_game_without_runs_to_take_home_can_be_won(game: str, variant: str) -> None:
    rules = find_ruleset(game, variant)
    place = last_run_start(rules, Random(1)) if rules.automatic else easy_board(rules)
    while not place.won:
        home = [move for move in legal(place) if ">f" in move]
        fresh = [move for move in legal(place) if move.startswith("s") or move == "w>s"]
        quiet = [move for move in home if not move.startswith("s")]
        joins = [move for move in legal(place) if after(place, move).home > place.home]
        place = after(place, (quiet or home or joins or fresh)[0])
    assert legal(place) == []


def test_sir_tommy_foundations_are_built_up_regardless_of_suit() -> None:
    place = board("sir-tommy", f0="AS", t0="9H 2D", t1="9C 2S", t2="3S")
    assert moves_to(place, "f0")[:2] == ["t0>f0", "t1>f0"]
    assert "t2>f0" not in legal(place)


def test_sir_tommy_the_stocks_card_goes_to_any_pile_or_wherever_it_fits() -> None:
    place = board("sir-tommy", f0="AS", f1="AH", t0="9H", s="2C")
    assert moves_of(place, "s") == ["s>f0", "s>f1", "s>t0", "s>t1", "s>t2", "s>t3"]


def test_sir_tommy_nothing_moves_from_pile_to_pile() -> None:
    place = board("sir-tommy", t0="9H", t1="TS")
    assert moves_of(place, "t0") + moves_of(place, "t1") == []


def test_gypsy_a_sequence_moves_from_any_of_its_cards() -> None:
    place = board("gypsy", t0="5D 9H 8S 7H", t1="TS", t2="9D", t3="8C", rest="t0")
    assert moves_of(place, "t0")[-3:] == ["t0>t7", "t0>t7x2", "t0>t7x3"]
    assert {"t0>t1x3", "t0>t2x2", "t0>t3"} <= set(legal(place))
    assert shown(after(place, "t0>t1x3"), "t1") == "TS 9H 8S 7H"


def test_gypsy_a_row_goes_to_every_column_empty_ones_too() -> None:
    place = board("gypsy", t0="9H", t1="2C")
    moved = after(place, "s>t")
    assert sizes(moved, "s") == [sizes(place, "s")[0] - 8]
    assert sizes(moved, "t")[2:] == [1] * 6


def test_gypsy_ten_deals_empty_the_stock() -> None:
    end = after(dealt("gypsy"), *["s>t"] * 10)
    assert (sizes(end, "s"), sizes(end, "t")) == ([0], [13] * 8)
    assert moves_of(end, "s") == []


def test_gypsy_a_bared_card_is_turned_up_and_foundations_are_built_in_suit() -> None:
    place = board("gypsy", f0="5S", t0="?9H ?KD 6S", t1="6C", rest="t1")
    assert moves_to(place, "f0") == ["t0>f0"]
    assert shown(after(place, "t0>f0"), "t0") == "?9H KD"
