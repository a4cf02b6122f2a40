"""The relatives, which are games by their files alone, and the rules of each."""

from __future__ import annotations

from random import Random

import pytest

from engine.board import view_of
from engine.catalog import games
from engine.moves import is_stuck
from tests.engine.positions import (
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
from tests.relatives import RELATED, RELATIVES, find_ruleset


def test_relatives_are_games_that_the_product_does_not_offer() -> None:
    names = {game.id: game.name for game in RELATIVES.values()}
    assert names == {
        "canfield": "Canfield",
        "forty-thieves": "Forty Thieves",
        "freecell": "FreeCell",
        "golf": "Golf",
        "gypsy": "Gypsy",
        "klondike": "Klondike",
        "sir-tommy": "Sir Tommy",
        "spider": "Spider",
        "streets": "Streets",
        "yukon": "Yukon",
    }
    assert not names.keys() & games().keys()


def test_rulesets_of_relatives_and_of_the_catalogue_are_found_alike() -> None:
    assert find_ruleset("golf") is find_ruleset("golf", "standard")
    assert find_ruleset("deuces", "fill").rules.name == "Deuces"


@pytest.mark.parametrize(("game", "variant"), RELATED)
def test_every_relative_can_be_won(game: str, variant: str) -> None:
    rules = find_ruleset(game, variant)
    place = last_run_start(rules, Random(1)) if rules.automatic else easy_board(rules)
    while not place.won:
        home = [move for move in legal(place) if ">f" in move]
        fresh = [move for move in legal(place) if move.startswith("s") or move == "w>s"]
        quiet = [move for move in home if not move.startswith("s")]
        joins = [move for move in legal(place) if after(place, move).home > place.home]
        place = after(place, (quiet or home or joins or fresh)[0])
    assert legal(place) == []


@pytest.mark.parametrize("game", ["forty-thieves", "streets"])
def test_forty_cards_lie_face_up_in_ten_piles(game: str) -> None:
    start = dealt(game)
    assert sizes(start, "t") == [4] * 10
    assert all("?" not in shown(start, f"t{i}") for i in range(10))
    assert (sizes(start, "f"), sizes(start, "s"), sizes(start, "w")) == ([0] * 8, [64], [0])


@pytest.mark.parametrize("game", ["forty-thieves", "streets"])
def test_foundations_are_built_up_in_suit_from_aces(game: str) -> None:
    place = board(game, f0="5S", w="6S", t0="6C", t1="AH", rest="t2", t2="KC")
    assert "w>f0" in legal(place)
    assert "t0>f0" not in legal(place)
    assert moves_to(place, "f7") == ["t1>f7"]


@pytest.mark.parametrize("game", ["forty-thieves", "streets"])
def test_one_card_moves_at_a_time(game: str) -> None:
    below, top = ("9S", "8S") if game == "forty-thieves" else ("9H", "8S")
    place = board(game, t0=f"{below} {top}", t1="TS", rest="t2", t2="4C")
    assert not [move for move in legal(place) if "x" in move]
    assert moves_to(place, "t1") == []


@pytest.mark.parametrize("game", ["forty-thieves", "streets"])
def test_any_card_fills_an_empty_pile(game: str) -> None:
    place = board(game, t0="9H 5C", w="7D", rest="t0")
    assert moves_to(place, "t4") == ["t0>t4", "w>t4"]


@pytest.mark.parametrize("game", ["forty-thieves", "streets"])
def test_the_stock_goes_once_through_to_the_waste(game: str) -> None:
    assert moves_of(dealt(game), "s") == ["s>w"]
    assert "w>s" not in legal(board(game, w="2C 9H", t0="6S", rest="t0"))


@pytest.mark.parametrize(("game", "cards"), [("forty-thieves", ["9S"]), ("streets", ["9D", "9H"])])
def test_forty_thieves_builds_in_suit_and_streets_in_alternating_colours(
    game: str, cards: list[str]
) -> None:
    fitting = []
    for card in ("9S", "9H", "9D", "9C", "JS", "8S"):
        place = board(game, t0="TS", w=card, rest="t1", t1="4C")
        fitting += [card] if "w>t0" in legal(place) else []
    assert sorted(fitting) == cards


def test_sir_tommy_all_cards_are_in_the_stock_and_the_top_one_is_seen() -> None:
    start = dealt("sir-tommy")
    assert (sizes(start, "t"), sizes(start, "f"), sizes(start, "s")) == ([0] * 4, [0] * 4, [52])
    assert [card.startswith("?") for card in shown(start, "s").split()] == [True] * 51 + [False]


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


def test_sir_tommy_a_pile_in_the_wrong_order_is_stuck() -> None:
    cards = "AS AH AD AC"
    assert is_stuck(board("sir-tommy", t0=f"{cards} KS", rest="t0"))


def test_gypsy_eight_columns_of_three_the_last_card_of_each_face_up() -> None:
    start = dealt("gypsy")
    assert (sizes(start, "t"), sizes(start, "f"), sizes(start, "s")) == ([3] * 8, [0] * 8, [80])
    columns = [shown(start, f"t{i}").split() for i in range(8)]
    assert all([c.startswith("?") for c in column] == [True, True, False] for column in columns)


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


def test_golf_seven_columns_of_five_face_up_and_one_card_on_the_foundation() -> None:
    start = dealt("golf")
    assert (sizes(start, "t"), sizes(start, "f"), sizes(start, "s")) == ([5] * 7, [1], [16])
    assert all("?" not in shown(start, f"t{i}") for i in range(7))


@pytest.mark.parametrize(
    ("top", "cards"),
    [("7S", ["6D", "8C"]), ("KS", ["QH"]), ("AS", ["2H"]), ("QS", ["JH", "KD"])],
)
def test_golf_one_rank_up_or_down_and_no_way_around(top: str, cards: list[str]) -> None:
    offered = ["6D", "8C", "QH", "2H", "JH", "KD", "AD"]
    columns = {f"t{i}": f"9C {card}" if i == 0 else card for i, card in enumerate(offered)}
    place = board("golf", f0=top, **columns, rest="t0")
    moves = moves_to(place, "f0")
    assert [shown(place, move.split(">")[0]).split()[-1] for move in moves] == cards


def test_golf_the_stock_is_dealt_onto_the_foundation_whatever_it_is() -> None:
    place = board("golf", f0="7S", t0="9C", s="KD AH", rest="t0")
    one = after(place, "s>f0")
    assert shown(after(one, "s>f0"), "f0") == "7S AH KD"
    assert moves_of(place, "s") == ["s>f0"]


def test_golf_the_cards_of_the_stock_are_not_seen() -> None:
    one = board("golf", f0="7S", t0="9C", s="KD AH", rest="t0")
    other = board("golf", f0="7S", t0="9C", s="AH KD", rest="t0")
    assert view_of(one) == view_of(other)
    assert legal(one) == legal(other)


def test_golf_columns_are_not_built_on_nor_filled() -> None:
    place = board("golf", f0="7S", t0="2C 9H", t1="TS", rest="t0")
    assert legal(place) == []
    assert is_stuck(place)
