"""Cards that go home automatically."""

from __future__ import annotations

from engine.solver.compiled import compiled
from engine.solver.graph import indices as idx
from engine.solver.graph.indices import Ints
from engine.solver.graph.play import encoded, play


@compiled
def home_of(t: Ints, m: Ints, card: int) -> int:
    """Return the first foundation that takes a card, or `NONE`."""
    for f in range(t[idx.FOUNDATIONS]):
        if t[t[idx.HOMES] + t[t[idx.GROUP] + f] * 53 + m[idx.TOPS + f] + 1] >> card & 1 == 1:
            return f
    return idx.NONE


@compiled
def is_safe(t: Ints, m: Ints, card: int) -> bool:
    """Return whether a card that fits a foundation can go home without losing a win."""
    home = m[idx.AT_HOME]
    # If foundations give cards back, all cards that could ever lie above it must be home, so that
    # nothing needs it in the tableau.
    if t[idx.HOME_SPREAD] == 1:
        return bool(t[t[idx.UNDER] + card] & ~home == 0)
    kids = t[t[idx.KIDS] + card]
    if kids & ~home == 0:
        return True
    # It is enough that the cards that could lie on it, and those that could lie on these, can go.
    ready = home | m[idx.NEXT]
    return bool((kids | t[t[idx.GRANDKIDS] + card]) & ~ready == 0)


@compiled
def can_return(t: Ints, m: Ints, pile: int, card: int) -> bool:
    """Return whether the top card of a pile could be taken back to its place.

    If so, sending it home loses no win: it can return before it is needed, possibly after other
    cards in any order, which `binding` allows.
    """
    if pile >= t[idx.COLUMNS]:
        return False
    size = m[idx.SIZE + pile]
    top = idx.NONE
    if size > 1:
        if m[idx.HIDDEN + pile] == size - 1:
            return False
        top = m[idx.CARDS + pile * idx.STRIDE + size - 2]
    return bool(t[t[idx.BUILDS] + top + 1] >> card & 1 == 1)


@compiled
def safe_home(t: Ints, m: Ints) -> int:
    """Return a safe move to a foundation, or `NONE`."""
    if t[idx.REGULAR] == 0 or m[idx.BOUND] != 0:
        return idx.NONE
    columns, cells = t[idx.COLUMNS], t[idx.CELLS]
    for pile in range(t[idx.PILES]):
        size = m[idx.SIZE + pile]
        if size == 0:
            continue
        card = m[idx.CARDS + pile * idx.STRIDE + size - 1]
        if m[idx.NEXT] >> card & 1 == 0 or not (
            is_safe(t, m, card) or (t[idx.HOME_SPREAD] == 1 and can_return(t, m, pile, card))
        ):
            continue
        allowed = t[idx.RESERVE_HOME]
        if pile < columns:
            allowed = t[idx.COLUMN_HOME] & (1 - t[idx.FILLS])
        elif pile < columns + cells:
            allowed = t[idx.CELL_HOME]
        if allowed == 1:
            return encoded(pile, idx.HOME + home_of(t, m, card), 1)
    return idx.NONE


@compiled
def send_home(t: Ints, m: Ints) -> None:
    """Play all safe moves to foundations."""
    move = safe_home(t, m)
    while move != idx.NONE:
        play(t, m, move)
        move = safe_home(t, m)
