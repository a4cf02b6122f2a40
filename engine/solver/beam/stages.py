"""The search of one beam, stage by stage, from one position."""

from __future__ import annotations

from engine.solver.beam import indices as idx
from engine.solver.beam.digests import PLACE_FACTOR, digest_of, signature_of
from engine.solver.beam.evaluation import evaluate, find_phase
from engine.solver.beam.hashes import FIRST_MASK, MASK, forget_seen, is_new, mixed
from engine.solver.beam.indices import Ints
from engine.solver.beam.move_generator import can_deal, deal, expand, must_wait
from engine.solver.beam.move_tree import drop_nodes
from engine.solver.beam.row_heap import entry_of, pop, push, row_of
from engine.solver.beam.rows import copy_row, hash_piles, record_of
from engine.solver.compiled import compiled


@compiled
def select(t: Ints, s: Ints, m: Ints, first: int) -> None:
    """Keep the best rows from `first` on, up to the beam's width, and move them to the front.

    A signature may take only a share of the width. Any room left goes to the best other rows.
    """
    heap, capped, chosen = t[idx.HEAP], t[idx.CAPPED], t[idx.MARKS]
    rows = m[idx.ROWS]
    queued = rows - first
    for row in range(first, rows):
        push(m, heap, row - first, entry_of(m[record_of(t, row) + idx.KEY], row))
    if queued > t[idx.P_WIDTH]:
        m[idx.CUT] = 1
    mask = t[idx.CAPPED_MASK]
    size = queued
    number = 0
    passed = 0
    entries = 0
    while size > 0 and number < t[idx.P_WIDTH]:
        entry = pop(m, heap, size)
        size -= 1
        key = signature_of(t, s, m, row_of(entry))
        at = key & mask
        while m[capped + at] != 0 and m[capped + at] != key:
            at = (at + 1) & mask
        if m[capped + at] == 0:
            m[capped + at] = key
            m[t[idx.KEPT] + at] = 0
            m[t[idx.FILLED] + entries] = at
            entries += 1
        if m[t[idx.KEPT] + at] < t[idx.P_CAP]:
            m[t[idx.KEPT] + at] += 1
            m[chosen + number] = row_of(entry)
            number += 1
        else:
            # The free end of the heap's array stores the skipped rows.
            passed += 1
            m[heap + queued - passed] = entry
    for k in range(entries):
        m[capped + m[t[idx.FILLED] + k]] = 0
    k = 1
    while k <= passed and number < t[idx.P_WIDTH]:
        m[chosen + number] = row_of(m[heap + queued - k])
        number += 1
        k += 1
    for k in range(queued):
        m[heap + k] = 0
    for k in range(number):
        m[heap + m[chosen + k] - first] = 1
    number = 0
    for row in range(first, rows):
        if m[heap + row - first] == 1:
            copy_row(t, s, m, row, number)
            number += 1
    m[idx.ROWS] = number


@compiled
def has_room(t: Ints, s: Ints, m: Ints) -> bool:
    """Return whether the memory has room for the successors of another position."""
    rows = 64 * (t[idx.COLUMNS] + 1)
    return (
        m[idx.ROWS] + rows < t[idx.MOST_ROWS]
        and m[idx.NODES] + rows + t[idx.TOTAL] < t[idx.MOST_NODES]
        # Discarded positions take entries, and some take two: with and without automatic moves.
        and m[idx.ENTERED] + 2 * rows < t[idx.CAPPED_MASK]
    )


@compiled
def explore(t: Ints, s: Ints, m: Ints) -> bool:
    """Expand the best rows and their successors, within the limits, by all but stock moves.

    Return whether a row has moves of the stock.
    """
    m[idx.QUEUED] = 0
    forget_seen(t, m)
    dealing = False
    for row in range(m[idx.ROWS]):
        if is_new(t, m, mixed(m[record_of(t, row) + idx.DIGEST]) | 1):
            push(m, t[idx.HEAP], m[idx.QUEUED], entry_of(m[record_of(t, row) + idx.KEY], row))
            m[idx.QUEUED] += 1
            if can_deal(t, s, m, row):
                dealing = True
    limit = t[idx.P_WIDTH] * (t[idx.P_EFFORT] if dealing else t[idx.P_LAST]) // idx.SCALE
    done = 0
    while (
        m[idx.QUEUED] > 0
        and done < limit
        and m[idx.STEPS] < m[idx.BUDGET]
        and has_room(t, s, m)
        and m[idx.WON_NODE] == idx.NONE
    ):
        entry = pop(m, t[idx.HEAP], m[idx.QUEUED])
        m[idx.QUEUED] -= 1
        expand(t, s, m, row_of(entry))
        done += 1
    if m[idx.QUEUED] > 0:
        m[idx.CUT] = 1
    return dealing


@compiled
def deal_all(t: Ints, s: Ints, m: Ints) -> None:
    """Generate the positions after the next deal, those after the best rows first."""
    heap, order = t[idx.HEAP], t[idx.MARKS]
    number = 0
    for row in range(m[idx.ROWS]):
        # If the stock's cards only go to the waste, a deal commutes with all moves that do not take
        # the waste's top card. It is enough to deal after a move that takes it, or if no move was
        # made since the last deal: other moves can follow the deal.
        deferred = t[idx.DEFERS] == 1 and m[record_of(t, row) + idx.FRESH] == 0
        if not deferred and not must_wait(t, s, row):
            push(m, heap, number, entry_of(m[record_of(t, row) + idx.KEY], row))
            number += 1
    queued = number
    if number > t[idx.P_WIDTH] * t[idx.P_DEALT]:
        number = t[idx.P_WIDTH] * t[idx.P_DEALT]
        m[idx.CUT] = 1
    for k in range(number):
        m[order + k] = row_of(pop(m, heap, queued - k))
    for k in range(number):
        if not has_room(t, s, m) or m[idx.WON_NODE] != idx.NONE:
            m[idx.CUT] = 1
            break
        deal(t, s, m, m[order + k])


@compiled
def begin(t: Ints, s: Ints, m: Ints) -> None:
    """Make row 0 the only position, and compute its record."""
    m[idx.ROWS] = 1
    m[idx.NODES] = 1
    row = m[idx.ROWS] - 1
    m[idx.WON_NODE] = idx.NONE
    m[idx.CUT] = 0
    m[idx.BEST_NODE] = 0
    record = record_of(t, row)
    m[record + idx.NODE] = 0
    m[record + idx.FRESH] = 1
    m[idx.SEEN_MASK] = FIRST_MASK
    m[idx.SALT] = mixed((m[idx.SALT] + PLACE_FACTOR) & MASK)
    m[idx.TIMES_OF] = idx.NONE
    hash_piles(t, s, m)
    m[record + idx.PHASE] = idx.NONE
    m[idx.AUTOMATIC] = 0
    find_phase(t, s, m, row)
    m[idx.BEST] = evaluate(t, s, m, row)
    m[record + idx.DIGEST] = digest_of(t, s, m, row)


@compiled
def search(t: Ints, s: Ints, m: Ints) -> None:
    """Search from row 0 until a win, or until positions or budget are exhausted.

    It sets `WON_NODE`, `NONE` without a win; `BEST` and `BEST_NODE`; `CUT`, to 1 if positions were
    discarded for lack of width; and it adds to `STEPS`.
    """
    begin(t, s, m)
    while m[idx.ROWS] > 0:
        dealing = explore(t, s, m)
        if m[idx.WON_NODE] != idx.NONE or not dealing:
            break
        if m[idx.STEPS] >= m[idx.BUDGET]:
            m[idx.CUT] = 1
            break
        first = m[idx.ROWS]
        deal_all(t, s, m)
        if m[idx.WON_NODE] != idx.NONE:
            break
        select(t, s, m, first)
        drop_nodes(t, m)
    forget_seen(t, m)
