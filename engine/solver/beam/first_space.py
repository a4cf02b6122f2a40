"""A proof of loss: no tableau pile can ever be emptied.

A win empties every pile. Until the first one is empty, a card of the tableau or the waste can only
move home, or onto one of few cards if piles are built in suit. So a search can often visit all
positions up to then, and the board is lost if it meets no empty pile. It is depth-first and omits
what a whole search of the beam omits: deals are deferred, and cards go home when that is safe.
"""

from __future__ import annotations

from array import array
from typing import Final

from engine.board import Board
from engine.ruleset import Ruleset
from engine.solver.beam import indices as idx
from engine.solver.beam.hashes import is_new, mixed
from engine.solver.beam.indices import Ints
from engine.solver.beam.layout import Layout
from engine.solver.beam.move_generator import can_deal, deal, expand
from engine.solver.beam.plans import first_weights, style_of, whole_plan
from engine.solver.beam.random_numbers import numbers
from engine.solver.beam.rows import copy_row, record_of
from engine.solver.beam.stages import begin
from engine.solver.compiled import compiled

ROWS: Final = 1 << 13  # the most positions waiting for expansion

# The outcomes of a search: positions were left, an empty pile was met, or none can be.
LIMITED, REACHED, NEVER = range(3)


def applies(ruleset: Ruleset) -> bool:
    """Return whether the proof is worth trying.

    Piles must be built in suit, not be filled, and begin with several cards: one is soon gone.
    """
    tableau = ruleset.rules.tableau
    return (
        tableau is not None
        and tableau.match == "suit"
        and min(tableau.deal) > 1
        and ruleset.rules.stock.plays == ("waste",)
        and not ruleset.fill
    )


def search_first_space(board: Board, limit: int) -> tuple[int, int, int]:
    """Search for an empty tableau pile in about `limit` positions.

    Returns:
        The outcome, the number of generated positions, and the most cards home in them.
    """
    if not all(board.piles[pile] for pile in board.ruleset.tableau):
        return REACHED, 0, board.home
    layout = Layout(board, ROWS)
    t = layout.tables
    settings = whole_plan(first_weights(style_of(board.ruleset)), ROWS, regular=layout.regular)
    t[: len(settings)] = settings
    t[idx.TIMED] = 0  # nothing uses the points, which are cheaper without times
    # One table has all positions, not only those since the last deal.
    seen = 1 << (2 * limit).bit_length()
    t[idx.SEEN], t[idx.CAPPED_MASK] = layout.size, seen - 1
    memory = numbers([0]) * (layout.size + seen)
    memory[idx.BUDGET] = limit
    positions = array("b", [0]) * (ROWS * t[idx.WIDTH])
    positions[: len(layout.row)] = layout.row
    outcome = int(visit_all(t, positions, memory))
    return outcome, memory[idx.STEPS], memory[idx.BEST]


@compiled
def has_space(t: Ints, s: Ints, row: int) -> bool:
    """Return whether a tableau pile is empty."""
    sizes = row * t[idx.WIDTH] + t[idx.ROOM]
    empty = 0
    for pile in range(1, t[idx.COLUMNS] + 1):
        empty += 1 if s[sizes + pile] == 0 else 0
    return empty > 0


@compiled
def visit_all(t: Ints, s: Ints, m: Ints) -> int:
    """Visit all positions before the first empty pile, from that in row 0 on.

    Rows from 1 on are a stack of the positions to expand; row 0 is the one being expanded.
    """
    begin(t, s, m)
    row = m[idx.ROWS] - 1
    m[idx.SEEN_MASK] = t[idx.CAPPED_MASK]
    is_new(t, m, mixed(m[record_of(t, row) + idx.DIGEST]) | 1)
    copy_row(t, s, m, row, 1)
    m[idx.ROWS] = 2
    while m[idx.ROWS] > 1:
        top = m[idx.ROWS] - 1
        m[idx.ROWS] = top
        m[idx.NODES] = 1
        m[idx.QUEUED] = 0
        copy_row(t, s, m, top, row)
        if m[record_of(t, row) + idx.FRESH] == 1 and can_deal(t, s, m, row):
            deal(t, s, m, row)
        expand(t, s, m, row)
        if m[idx.CUT] == 1 or m[idx.STEPS] >= m[idx.BUDGET]:
            return LIMITED
        for new in range(top, m[idx.ROWS]):
            if has_space(t, s, new):
                return REACHED
    return NEVER
