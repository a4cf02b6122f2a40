"""The list of moves of the position in memory."""

from __future__ import annotations

from engine.solver.compiled import compiled
from engine.solver.graph import indices as idx
from engine.solver.graph.binding import add_back, bound_moves
from engine.solver.graph.indices import Ints
from engine.solver.graph.offers import add_cell, add_column, add_home, add_spread
from engine.solver.graph.talon import add_talon


@compiled
def list_moves(t: Ints, m: Ints) -> None:
    """List the moves worth trying. Omitting the others loses no win."""
    m[idx.LISTED] = 0
    m[idx.WANTED] = 0
    m[idx.OFFERED] = 0
    spaces = 0
    space = idx.NONE
    for pile in range(t[idx.COLUMNS]):
        if m[idx.SIZE + pile] == 0:
            if spaces == 0:
                space = pile
            spaces += 1
    free = 0
    first = t[idx.COLUMNS]
    for pile in range(first, first + t[idx.CELLS]):
        if m[idx.SIZE + pile] == 0:
            free += 1
    # Other empty piles carry no cards.
    spaces *= t[idx.THROUGH_SPACES]
    free *= t[idx.THROUGH_CELLS]
    for pile in range(t[idx.PILES]):
        size = m[idx.SIZE + pile]
        if size == 0:
            continue
        if pile < first:
            add_column(t, m, pile, spaces, space, free)
            continue
        card = m[idx.CARDS + pile * idx.STRIDE + size - 1]
        is_cell = pile < first + t[idx.CELLS]
        if t[idx.CELL_HOME if is_cell else idx.RESERVE_HOME] == 1 and m[idx.NEXT] >> card & 1 == 1:
            add_home(t, m, pile, card, card - card)
        if t[idx.CELL_SPREAD if is_cell else idx.RESERVE_SPREAD] == 1:
            add_spread(t, m, pile, card, card - card, 600)
        if not is_cell and t[idx.RESERVE_CELL] == 1:
            add_cell(t, m, pile, card - card)
    if m[idx.ALIVE] != 0:
        add_talon(t, m)
    if t[idx.HOME_SPREAD] == 1 and m[idx.WANTED] & m[idx.AT_HOME] != 0:
        add_back(t, m)
    # Cards taken back from foundations could go on an empty pile.
    lazy = t[idx.LAZY_SPACES] == 1 and (
        (m[idx.OFFERED] | t[idx.HOME_SPREAD] * m[idx.AT_HOME]) & t[t[idx.BUILDS]] == 0
    )
    if m[idx.BOUND] != 0 or lazy:
        bound_moves(t, m, 1 if lazy else 0)


@compiled
def sort_moves(t: Ints, m: Ints) -> None:
    """Sort the list by ascending score."""
    first = t[idx.LIST]
    for k in range(1, m[idx.LISTED]):
        move = m[first + k]
        at = first + k
        while at > first and m[at - 1] > move:
            m[at] = m[at - 1]
            at -= 1
        m[at] = move
