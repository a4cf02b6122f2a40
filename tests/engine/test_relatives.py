"""The relatives, games defined by their files alone, and the rules of each."""

from __future__ import annotations

from random import Random

import pytest

from engine.catalog import games
from tests.engine.positions import (
    ALL,
    after,
    dealt,
    easy_board,
    legal,
    moves_of,
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


def test_gypsy_ten_deals_empty_the_stock() -> None:
    end = after(dealt("gypsy"), *["s>t"] * 10)
    assert (sizes(end, "s"), sizes(end, "t")) == ([0], [13] * 8)
    assert moves_of(end, "s") == []
