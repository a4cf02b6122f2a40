"""The rules of Forty Thieves, and of its relative Streets, which builds by colours."""

from __future__ import annotations

import pytest

from tests.engine.positions import board, dealt, legal, moves_of, moves_to


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


def test_sequences_move_as_far_as_empty_piles_carry_them_in_a_variant() -> None:
    piles = {"t0": "2C 9S 8S 7S", "t1": "TS"} | {f"t{pile}": "KD" for pile in (2, 3)}
    piles |= {f"t{pile}": "KC" for pile in (4, 5)} | {f"t{pile}": "KH" for pile in (6, 7)}
    piles |= {"t8": "KS"}
    assert "t0>t1x3" not in legal(board("forty-thieves", **piles, rest="t2"))
    one_empty = board("forty-thieves", "sequences", **piles, rest="t2")
    assert [move for move in legal(one_empty) if move.startswith("t0>t9")] == ["t0>t9"]
    assert "t0>t1x3" not in legal(one_empty)
    two_empty = board("forty-thieves", "sequences", **piles | {"t8": ""}, rest="t2")
    assert "t0>t1x3" in legal(two_empty)
