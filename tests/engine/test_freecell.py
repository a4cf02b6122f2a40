"""The rules of FreeCell, and the number of cards that move together."""

from __future__ import annotations

import pytest

from tests.engine.positions import board, legal

GAME = "freecell"


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
