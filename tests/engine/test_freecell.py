"""The rules of FreeCell, and the number of cards that move together."""

from __future__ import annotations

import pytest

from tests.engine.positions import after, board, legal, moves_of, moves_to, shown

GAME = "freecell"


@pytest.mark.parametrize(
    ("variant", "cells"), [("standard", 4), ("three-cells", 3), ("two-cells", 2), ("one-cell", 1)]
)
def test_a_cell_takes_any_one_card(variant: str, cells: int) -> None:
    place = board(GAME, variant, t0="9H 5C", t1="TS", rest="t1")
    stored = [move for move in moves_of(place, "t0") if ">c" in move]
    assert stored == [f"t0>c{cell}" for cell in range(cells)]
    held = after(place, "t0>c0")
    assert shown(held, "c0") == "5C"
    assert moves_to(held, "c0") == []


def test_a_card_of_a_cell_goes_home_or_where_it_builds_and_to_no_other_cell() -> None:
    place = board(GAME, f0="4S", c0="5S", t0="6H", t1="6C", t2="2C", rest="t2")
    assert moves_of(place, "c0") == ["c0>f0", "c0>t0", *[f"c0>t{column}" for column in range(3, 8)]]


@pytest.mark.parametrize(
    ("cells", "empty", "most"), [(0, 0, 1), (2, 0, 3), (4, 0, 5), (1, 1, 4), (2, 1, 6), (3, 1, 8)]
)
def test_free_places_limit_the_length_of_a_moved_run(cells: int, empty: int, most: int) -> None:
    """(C + 1) · 2^E with C empty cells and E empty columns."""
    full = {f"c{cell}": card for cell, card in enumerate(["AH", "3H", "5H", "7H"][cells:])}
    others = ["t2", "t3", "t4", "t5", "t6", "t7"][empty:]
    tops = dict(zip(others, ["KC", "KD", "QC", "QH", "JC", "JH"], strict=False))
    run = ["9D", "8S", "7D", "6S", "5D", "4S", "3D", "2S"]
    for count in range(2, 9):
        onto = {"S": "D", "D": "C"}[run[-count][1]]
        higher = "23456789T"["23456789T".index(run[-count][0]) + 1] + onto
        below = [card for card in run[:-count] if card != higher]
        piles = {"t0": " ".join([*below, "2C", *run[-count:]]), "t1": f"KS {higher}"}
        place = board(GAME, **piles, **tops, **full, rest=others[0])
        assert (f"t0>t1x{count}" in legal(place)) == (count <= most)


def test_an_empty_column_takes_any_card_and_halves_the_limit() -> None:
    tops = dict(zip(["t2", "t3", "t4", "t5", "t6"], ["KC", "KD", "QC", "QH", "JC"], strict=True))
    place = board(GAME, t0="2C 9S 8D 7S 6D 5S 4D 3S", t1="KS", **tops, c0="AH", c1="3H", rest="t2")
    onto_empty = [move for move in moves_of(place, "t0") if move.split(">")[1].startswith("t7")]
    assert onto_empty == ["t0>t7", "t0>t7x2", "t0>t7x3"]
