"""Generation of the position after a move, which is kept if it is new."""

from __future__ import annotations

from engine.solver.beam import indices as idx
from engine.solver.beam.digests import digest_after, digest_of
from engine.solver.beam.evaluation import evaluate, find_phase
from engine.solver.beam.going_home import AUTOMATIC_AT, send_home
from engine.solver.beam.hashes import is_new, mixed
from engine.solver.beam.indices import Ints
from engine.solver.beam.move_tree import add_node
from engine.solver.beam.row_heap import entry_of, push
from engine.solver.beam.rows import copy_row, is_deal, play, record_of
from engine.solver.compiled import compiled


@compiled
def is_full(t: Ints, m: Ints) -> bool:
    """Return whether the memory has no room for another position."""
    # The search normally stops earlier, unless a position leads to very many others.
    return bool(
        m[idx.ROWS] >= t[idx.MOST_ROWS]
        or m[idx.NODES] + t[idx.TOTAL] >= t[idx.MOST_NODES]
        or m[idx.ENTERED] + 2 >= t[idx.CAPPED_MASK]
    )


@compiled
def offer(t: Ints, s: Ints, m: Ints, row: int, move: int, end: int) -> bool:
    """Generate the position after a move; keep it, and return `True`, if it is new.

    The source's cards end at `end` in `s`, which is unused for the stock and the redeal.
    """
    source, target = move >> 17, move >> 7 & 1023
    m[idx.STEPS] += 1
    if is_full(t, m):
        m[idx.CUT] = 1
        return False
    new = m[idx.ROWS]
    piles = t[idx.COLUMNS] + 2
    fills = 0 < source < piles - 1 and t[idx.FILLS] > 0
    dealing = is_deal(move)
    known = not dealing and not fills
    digest = 0
    if known:
        digest = digest_after(t, s, m, row, move, end)
        if not is_new(t, m, mixed(digest) | 1):
            return False
    copy_row(t, s, m, row, new)
    changed = t[idx.CHANGED]
    for pile in range(piles):
        m[changed + pile] = 0
    m[idx.SENT] = 0
    play(t, s, m, new, move)
    if not known or m[idx.SENT] > 0:
        digest = digest_of(t, s, m, new)
        if not is_new(t, m, mixed(digest) | 1):
            return False
    record = record_of(t, new)
    m[record + idx.FRESH] = 1 if source == piles - 1 or dealing else 0
    m[idx.AUTOMATIC] = 0
    if t[idx.P_HOME] != idx.NEVER:
        m[idx.ALL_PILES] = 1 if target >= piles else 0
        send_home(t, s, m, new, t[idx.P_HOME])
        if m[idx.AUTOMATIC] > 0:
            digest = digest_of(t, s, m, new)
            if not is_new(t, m, mixed(digest) | 1):
                return False
    m[record + idx.DIGEST] = digest
    if t[idx.TIMED] == 1 and (
        target >= piles or m[idx.AUTOMATIC] + m[idx.SENT] > 0 or m[changed] == 1
    ):
        find_phase(t, s, m, new)
    home = evaluate(t, s, m, new)
    node = add_node(t, m, m[record_of(t, row) + idx.NODE], move)
    for k in range(m[idx.AUTOMATIC]):
        node = add_node(t, m, node, m[t[idx.HAND] + AUTOMATIC_AT + k])
    m[record + idx.NODE] = node
    m[idx.ROWS] = new + 1
    if home > m[idx.BEST]:
        m[idx.BEST] = home
        m[idx.BEST_NODE] = node
        if home == t[idx.TOTAL]:
            m[idx.WON_NODE] = node
    return True


@compiled
def offer_queued(t: Ints, s: Ints, m: Ints, row: int, move: int, end: int) -> None:
    """Offer a position, and queue it for expansion unless the move is one of the stock."""
    if offer(t, s, m, row, move, end) and not is_deal(move):
        new = m[idx.ROWS] - 1
        push(m, t[idx.HEAP], m[idx.QUEUED], entry_of(m[record_of(t, new) + idx.KEY], new))
        m[idx.QUEUED] += 1
