"""The rules of Rouge et Noir, sentence by sentence. Docstrings quote the rule page and rulings."""

from __future__ import annotations

import pytest

from engine.board import Board, view_of
from engine.cards import DOWN, RANKS, SUITS
from engine.catalog import ruleset
from engine.errors import IllegalMoveError
from tests.engine.positions import (
    after,
    board,
    dealt,
    easy_board,
    legal,
    moves_of,
    run_down,
    sequence,
    shown,
    sizes,
)

GAME = "rouge-et-noir"
RUN = run_down("KS", "H")
RUNS = {
    f"f{4 + i}": run_down(f"K{a}", b) for i, (a, b) in enumerate(zip("SHDC", "HSCD", strict=True))
}
COLOURS = {f"f{i}": f"K{suit}" for i, suit in enumerate("HDSC")}


def rouge(**piles: str) -> Board:
    return board(GAME, **piles)


def test_the_columns_are_dealt_row_by_row() -> None:
    """'The first one card to each of columns 0 to 8, ... the ninth to column 0 alone'."""
    start = easy_board(ruleset(GAME))
    deck = [rank + suit for suit in SUITS for rank in RANKS][:45][::-1]
    at = 0
    columns: list[list[str]] = [[] for _ in range(9)]
    for columns_left in range(9, 0, -1):
        for column in range(columns_left):
            columns[column].append(deck[at])
            at += 1
    for column, cards in enumerate(columns):
        assert shown(start, f"t{column}").replace("?", "").split() == cards


@pytest.mark.parametrize("card", [rank + suit for rank in "A2K" for suit in SUITS])
def test_aces_start_a_foundation_of_their_colour(card: str) -> None:
    """'Foundations 1 and 2 are red, 3 and 4 black'; 'Only Aces of each color can start' one."""
    red, black = ["t0>f0", "t0>f1"], ["t0>f2", "t0>f3"]
    place = rouge(t0=card, t1="7S", rest="t1")
    homes = [move for move in moves_of(place, "t0") if ">f" in move]
    assert homes == ((red if card[1] in "HD" else black) if card[0] == "A" else [])


@pytest.mark.parametrize(
    ("foundation", "top", "fits", "others"),
    [
        ("f0", "AH", "2H 2D", "2S 3H"),
        ("f1", "AD", "2H", ""),
        ("f2", "AS", "2C", ""),
        ("f3", "AC", "2C", "2H"),
        ("f2", "QS", "KC", ""),
        ("f2", "KS", "", "AC"),
        ("f0", "5H", "", "4D"),
    ],
)
def test_foundations_go_up_by_colour(foundation: str, top: str, fits: str, others: str) -> None:
    """'Up by colour, Ace to King (any red 2 on a red Ace)'."""
    for card in f"{fits} {others}".split():
        place = rouge(**{foundation: top}, t0=card, t1="7S", rest="t1")
        assert (f"t0>{foundation}" in legal(place)) == (card in fits), card


@pytest.mark.parametrize(
    ("top", "fits", "others"),
    [
        ("TS", "9H", "9C 8H JH"),
        ("TC", "9D", ""),
        ("TD", "9C", ""),
        ("TH", "", "9D"),
        ("AS", "", "KH"),
        ("2S", "AH", ""),
    ],
)
def test_columns_build_down_in_alternating_colours(top: str, fits: str, others: str) -> None:
    for card in f"{fits} {others}".split():
        place = rouge(t0=card, t1=top, t2="6C", rest="t2")
        assert ("t0>t1" in legal(place)) == (card == fits), card


def test_a_deal_puts_one_card_on_each_column_from_left_to_right() -> None:
    start = dealt(GAME)
    stock = shown(start, "s").replace("?", "").split()
    row = after(start, "s>t")
    assert [shown(row, f"t{i}").split()[-1] for i in range(10)] == stock[:-11:-1]
    assert sizes(row, "t") == [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    assert sizes(row, "s") == [49]


def test_the_sixth_and_last_deal_has_nine_cards() -> None:
    five = after(dealt(GAME), *["s>t"] * 5)
    assert sizes(five, "s") == [9]
    last = after(five, "s>t")
    assert sizes(last, "s") == [0]
    grown = [b - a for a, b in zip(sizes(five, "t"), sizes(last, "t"), strict=True)]
    assert grown == [1] * 9 + [0]


def test_there_is_no_seventh_deal() -> None:
    """'There is no redeal; you go through the stock only once'."""
    place = after(dealt(GAME), *["s>t"] * 6)
    assert moves_of(place, "s") == []
    with pytest.raises(IllegalMoveError):
        after(place, "s>t")


def test_the_stock_is_dealt_by_the_row_only() -> None:
    """'Deal one card from the stock onto each tableau column', never onto a single one."""
    place = dealt(GAME)
    assert moves_of(place, "s") == ["s>t"]
    with pytest.raises(IllegalMoveError):
        after(place, "s>t9")


@pytest.mark.parametrize(("first", "other"), [("KS", "H"), ("KH", "S"), ("KC", "D"), ("KD", "S")])
def test_a_complete_run_is_removed_in_one_move(first: str, other: str) -> None:
    """'Foundations 5 to 8 take a whole King-to-Ace run ..., thirteen cards in one move'."""
    run = run_down(first, other)
    place = rouge(t0=f"6C {run}", t1="7S", rest="t1")
    homes = [move for move in moves_of(place, "t0") if move.endswith("x13") and ">f" in move]
    assert homes == ["t0>f4x13", "t0>f5x13", "t0>f6x13", "t0>f7x13"]
    gone = after(place, "t0>f6x13")
    assert shown(gone, "f6") == run
    assert shown(gone, "t0") == "6C"


def test_a_run_needs_an_empty_place() -> None:
    """'Four complete King-to-Ace sequences': one to each of the four places."""
    place = rouge(f4=run_down("KS", "H"), f6=run_down("KH", "S"), t0=run_down("KC", "D"), t1="7S")
    assert [m for m in legal(place) if m.endswith("x13") and ">f" in m] == ["t0>f5x13", "t0>f7x13"]


@pytest.mark.parametrize(
    "pile",
    [
        "KS",
        "AS",
        run_down("KS", "H", 12),
        run_down("KS", "H")[3:],
        run_down("KS", "S"),
        f"KS {run_down('QS', 'H', 12)}",
        f"KS {run_down('JH', 'S', 11)} AS",
        f"{RUN} 3C",
        f"?{RUN}",
    ],
)
def test_nothing_but_a_whole_run_at_the_end_of_a_column_goes_there(pile: str) -> None:
    """'From the end of a column; never anything else'."""
    if pile.startswith("?"):
        pile = pile.replace("KS", "QC KS", 1).replace("?QC KS", "?KS")
    place = rouge(t0=pile, t1="7C", rest="t1")
    assert not [m for m in legal(place) if m.split(">")[1][:2] in {"f4", "f5", "f6", "f7"}]


def test_four_runs_alone_are_not_won() -> None:
    """'The game is won when all 104 cards are on foundations'."""
    place = rouge(**RUNS, t0="7C", rest="t0")
    assert not place.won
    assert not rouge(**COLOURS, t0="7C", rest="t0").won


def test_a_foundation_may_mix_both_suits_of_its_colour() -> None:
    """'No Suit Restriction on Foundations'."""
    mixed = " ".join(
        card if i % 2 else card.replace("H", "D") for i, card in enumerate(sequence("A", "KH"))
    )
    assert len(shown(rouge(f0=mixed, t0="7C", rest="t0"), "f0").split()) == 13


def test_a_view_shows_no_card_that_lies_face_down() -> None:
    """'All other tableau cards are face-down until uncovered during play'."""
    start = dealt(GAME)
    for pile in view_of(start).piles:
        assert {card for card in pile if card & DOWN} <= {0x7F}
