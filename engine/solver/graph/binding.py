"""Moves that restrict the next move to their purpose.

Any winning line can be rearranged so that a move comes directly before the move that it serves.

- A card leaves a foundation only to take a card, or to let another card leave. Postponing that
  keeps its target uncovered; if the target's pile has moved by then, the card goes there. So the
  next move takes another card back, or puts one on the last card taken back. Meanwhile, no card
  goes home automatically.
- A pile whose base does not fit an empty pile is moved onto another one only to empty its place;
  see `offers.add_column`.
- Part of a run is moved only to send the card below it home; see there, too.
"""

from __future__ import annotations

from engine.solver.compiled import compiled
from engine.solver.graph import indices as idx
from engine.solver.graph.indices import Ints
from engine.solver.graph.offers import add
from engine.solver.graph.play import encoded


@compiled
def add_back(t: Ints, m: Ints) -> None:
    """Append the moves from foundations."""
    # `WANTED` are the cards on which movable cards of tableau and talon would fit. Taking one back
    # never requires a card of an earlier turn: only the cards of its suit above it, and cards on
    # which those fit.
    wanted = m[idx.WANTED] & m[idx.AT_HOME]
    least = 99
    for card in range(52):
        if wanted >> card & 1 == 1:
            least = min(least, t[t[idx.TURN] + card])
    for f in range(t[idx.FOUNDATIONS]):
        card = m[idx.TOPS + f]
        if card == idx.NONE or t[t[idx.TURN] + card] < least:
            continue
        tried = False
        for pile in range(t[idx.COLUMNS]):
            size = m[idx.SIZE + pile]
            top = idx.NONE
            if size == 0:
                if tried:
                    continue
                tried = True
            else:
                top = m[idx.CARDS + pile * idx.STRIDE + size - 1]
            if t[t[idx.BUILDS] + top + 1] >> card & 1 == 1:
                add(t, m, encoded(idx.HOME + f, pile, 1) | (pile + 1) << 18, 50)


@compiled
def bound_moves(t: Ints, m: Ints, lazy: int) -> None:
    """Restrict the list of moves after a binding move."""
    bound = m[idx.BOUND]
    kept = m[0] - m[0]
    for k in range(m[idx.LISTED]):
        move = m[t[idx.LIST] + k]
        allowed = bound == 0
        if bound >= idx.BOUND_HOME:
            allowed = move & 63 == bound - idx.BOUND_HOME and move >> 6 & 63 >= idx.HOME
        elif bound > 0:
            allowed = move >> 6 & 63 == bound - 1 or move & 63 >= idx.HOME
        # The move only empties a pile, and no card could go there.
        if lazy == 1 and move & 63 < idx.TALON and move >> 18 & 127 == (move & 63) + 1:
            allowed = False
        if allowed:
            m[t[idx.LIST] + kept] = move
            kept += 1
    m[idx.LISTED] = kept
