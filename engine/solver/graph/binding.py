"""Moves that bind the next one, and what they allow.

A move is put off until the one that it serves: any line that wins can be rearranged so.

- A card is taken back from a foundation only to put a card on it, or so that another one can be
  taken back. Put off, it leaves what it would cover free, and goes where its pile has gone by then.
  So the next move takes another card back, or puts one on the card taken back last. As long as
  moves are bound, no card goes home by itself.
- A pile whose base no empty pile takes is moved to another one only to empty its place; see
  `offers.add_column`.
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
    """Append the moves from foundations.

    `WANTED` are the cards on which those of tableau and talon that can be moved would fit. To take
    one of them back, no card of an earlier turn has to be: one needs those of its suit over it, and
    cards on which these fit.
    """
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
    """Keep of the list what a move that binds the next one allows.

    If there is nothing to put on an empty pile, no pile is emptied by a move that only serves that.
    """
    bound = m[idx.BOUND]
    kept = m[0] - m[0]
    for k in range(m[idx.LISTED]):
        move = m[t[idx.LIST] + k]
        allowed = bound == 0
        if bound >= idx.BOUND_HOME:
            allowed = move & 63 == bound - idx.BOUND_HOME and move >> 6 & 63 >= idx.HOME
        elif bound > 0:
            allowed = move >> 6 & 63 == bound - 1 or move & 63 >= idx.HOME
        if lazy == 1 and move & 63 < idx.TALON and move >> 18 & 127 == (move & 63) + 1:
            allowed = False
        if allowed:
            m[t[idx.LIST] + kept] = move
            kept += 1
    m[idx.LISTED] = kept
