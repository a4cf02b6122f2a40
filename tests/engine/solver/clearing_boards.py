"""Rules with overlapping peaks, and boards of them."""

from __future__ import annotations

from random import Random

from engine.board import Board
from engine.catalog import ruleset
from engine.moves import brings_home, legal_moves
from engine.play import apply
from engine.ruleset import Ruleset
from engine.solver import method_of
from tests.engine.positions import VARIANTS
from tests.engine.starts import easy_start


def places(count: int) -> str:
    return "tableau.deal=" + ",".join("1" * count)


RULES = [
    *(each for each in VARIANTS if method_of(ruleset(*each)) == "clearing"),
    ("pyramid", f"{places(10)};stock.turns=3;waste.redeals=any"),
    ("pyramid", f"{places(10)};stock.turns=2;waste.redeals=1"),
    ("pyramid", f"{places(11)};tableau.face_up=2;tableau.peaks=2"),
    ("tripeaks", f"foundations.0.match=alternate;{places(16)}"),
    ("tripeaks", f"foundations.0.order=up;{places(11)};tableau.peaks=2;tableau.cleared=goes-on"),
    ("tripeaks", f"foundations.0.setup=empty;foundations.0.last=K;{places(6)};tableau.peaks=1"),
    ("tripeaks", "packs=2"),
]
"""Games and variants that the search decides, and changes with other values of their keys."""


def played(rules: Ruleset, chance: Random) -> Board:
    """Return a board of an easy deal after many moves, most of them home."""
    board = easy_start(rules, chance)
    for _ in range(chance.randrange(20, 50)):
        moves = legal_moves(board)
        home = [move for move in moves if brings_home(rules, move)]
        if moves:
            board = apply(board, chance.choice(home or moves))
    return board
