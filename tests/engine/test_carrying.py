"""Limited moves of sequences, against single moves: none moves more cards than these can carry."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from engine.board import Board
from engine.cards import Pile
from engine.moves import legal_moves
from engine.play import apply
from engine.ruleset import Move, Ruleset
from tests.engine.starts import built_start
from tests.engine.test_laws import walk
from tests.relatives import find_ruleset
from tests.sizes import cases

VARIANTS = [
    ("freecell", "standard"),
    ("freecell", "tableau.empty=K"),
    ("freecell", "tableau.empty=none"),
    ("freecell", "cells.plays=foundation"),
    ("freecell", "tableau.empty=K;cells.plays=foundation"),
    ("forty-thieves", "sequences"),
    ("deuces", "tableau.empty=9"),
]
LONGEST = 4  # of searched moves, in cards


def in_single_moves(rules: Ruleset) -> Ruleset:
    """Return the same rules with single moves only."""
    assert rules.rules.tableau is not None
    tableau = replace(rules.rules.tableau, moves="card")
    return Ruleset(rules.game, rules.variant, replace(rules.rules, tableau=tableau))


def can_carry(board: Board, move: Move) -> bool:
    """Return whether single moves through the empty places have the same effect as a move."""
    rules, piles = board.ruleset, board.piles
    aim = apply(board, move).piles
    # Of equivalent empty places, as many as there are other cards can be of use.
    columns = [p for p in rules.tableau if not piles[p] and p != move.target][: move.count - 1]
    cells = [p for p in rules.cells if not piles[p]][: move.count - 1]
    ends = move.source, move.target
    places = {*columns, *cells, *ends}
    start = Board(in_single_moves(rules), piles, board.redeals, board.moves)
    found: set[tuple[Pile, ...]] = {piles}
    waiting = [start]
    while waiting:
        at = waiting.pop()
        for single in legal_moves(at):
            if single.source in places and single.target in places:
                after = apply(at, single).piles
                if after == aim:
                    return True
                # Only the cards of the sequence move.
                still = all(after[p].startswith(aim[p][: len(piles[p])]) for p in ends)
                kinds = sorted(after[p] for p in columns), sorted(after[p] for p in cells)
                key = (*kinds[0], *kinds[1], *(after[p] for p in ends))
                if still and key not in found:
                    found.add(key)
                    waiting.append(Board(start.ruleset, after, board.redeals, board.moves))
    return False


@pytest.mark.parametrize(("game", "variant"), VARIANTS)
def test_no_sequence_moves_that_single_moves_cannot_carry(game: str, variant: str) -> None:
    rules = find_ruleset(game, variant)
    carried = 0
    for number in range(cases(15, 120)):
        chance = Random(number)
        for board in walk(built_start(rules, chance), 6, 0.0, chance):
            for move in legal_moves(board):
                if 1 < move.count <= LONGEST and move.source in rules.tableau:
                    carried += 1
                    assert can_carry(board, move), rules.written(move)
    assert (carried > 0) == bool(rules.carrying_columns or rules.carrying_cells)
