"""The moves of stock and waste."""

from __future__ import annotations

from engine.solver.compiled import compiled
from engine.solver.graph import indices as idx
from engine.solver.graph.indices import Ints
from engine.solver.graph.offers import add, add_cell, add_home, add_spread
from engine.solver.graph.play import encoded


@compiled
def add_talon(t: Ints, m: Ints) -> None:
    """Append the moves of the cards of stock and waste that dealing can bring up."""
    left = m[idx.ALIVE]
    waste = m[idx.WASTE]
    number = 0
    for place in range(t[idx.STOCK_SIZE]):
        number += left >> place & 1
    turns = t[idx.TURNS]
    again = t[idx.REDEALS_MOST] < 0 or m[idx.REDEALS] < t[idx.REDEALS_MOST]
    # Deals turn cards up in groups, of which the top card can be played. After the last group, the
    # waste may be turned over, and groups are dealt from the start.
    nth = 0
    for place in range(t[idx.STOCK_SIZE]):
        if left >> place & 1 == 0:
            continue
        nth += 1
        now = nth >= waste and nth > 0 and ((nth - waste) % turns == 0 or nth == number)
        later = again and (nth % turns == 0 or nth == number)
        if not (now or later):
            continue
        if t[idx.STOCK_TO] != idx.TO_WASTE and nth > 1:
            break
        turned = 0
        after = nth - 1
        if t[idx.STOCK_TO] == idx.TO_WASTE:
            if t[idx.REDEALS_MOST] < 0:
                if after % turns == 0 or after == number - 1:
                    after = 0
            elif not now:
                turned = 1
        else:
            after = 0
        bits = place << 25 | after << 31 | turned << 37
        card = t[t[idx.DRAWN] + place]
        if t[idx.WASTE_HOME] == 1 and m[idx.NEXT] >> card & 1 == 1:
            add_home(t, m, idx.TALON, card, bits)
        elif t[idx.STOCK_TO] == idx.TO_ANY:
            for f in range(t[idx.FOUNDATIONS]):
                add(t, m, encoded(idx.TALON, idx.HOME + f, 1) | bits, 100)
        if t[idx.WASTE_SPREAD] == 1:
            add_spread(t, m, idx.TALON, card, bits, 450)
        if t[idx.WASTE_CELL] == 1:
            add_cell(t, m, idx.TALON, bits)
