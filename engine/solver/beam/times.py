"""Estimates of when each card is needed."""

from __future__ import annotations

from engine.solver.beam import indices as idx
from engine.solver.beam.indices import Ints
from engine.solver.compiled import compiled


@compiled
def count_foundations(t: Ints, s: Ints, m: Ints, row: int) -> None:
    """Fill `counts`: the progress of each foundation, and the extremes of each line."""
    counts = t[idx.COUNTS]
    tops = row * t[idx.WIDTH] + t[idx.ROOM] + 2 * (t[idx.COLUMNS] + 2)
    most = t[idx.FOUNDATIONS]
    fewest = t[idx.FOUNDATIONS] + t[idx.LINES]
    for line in range(t[idx.LINES]):
        m[counts + most + line] = 0
        m[counts + fewest + line] = 99
        m[t[idx.LOWEST] + line] = 0
    for f in range(t[idx.FOUNDATIONS]):
        top = s[tops + f]
        m[counts + f] = 0
        if top == idx.NONE or t[t[idx.HEADS] + t[t[idx.GROUP] + f] * (t[idx.KINDS] + 1)] == 1:
            continue
        line = t[t[idx.LINE] + top]
        size = t[t[idx.TURN] + top] + 1
        m[counts + f] = size
        m[t[idx.LOWEST] + line] += 1
        m[counts + most + line] = max(m[counts + most + line], size)
        m[counts + fewest + line] = min(m[counts + fewest + line], size)
    for line in range(t[idx.LINES]):
        if m[t[idx.LOWEST] + line] < t[t[idx.SLOTS] + line]:
            m[counts + fewest + line] = 0


@compiled
def find_times(t: Ints, s: Ints, m: Ints, row: int) -> None:
    """Compute the time at which each kind's cards are needed, in points: early is low."""
    times = t[idx.TIMES]
    if t[idx.TIMED] == 0:
        for kind in range(t[idx.KINDS]):
            m[times + kind] = t[t[idx.TURN] + kind] * t[idx.W_TURN]
        return
    count_foundations(t, s, m, row)
    most = t[idx.COUNTS] + t[idx.FOUNDATIONS]
    fewest = most + t[idx.LINES]
    drawn = deals_made(t, s, m, row)
    by_line, first_draw, last_draw = t[idx.BY_LINE], t[idx.FIRST_DRAW], t[idx.LAST_DRAW]
    share, for_time, for_turn = t[idx.W_FIRST_COPY], t[idx.W_TIME], t[idx.W_TURN]
    # A card is needed in the order of its line, after the stock has brought the preceding cards:
    # the first copies for the first foundation, the last copies for the last. The beam adds delays.
    for line in range(t[idx.LINES]):
        first = drawn
        last = drawn
        started = m[most + line]
        for turn in range(m[fewest + line], 13):
            kind = t[by_line + line * 13 + turn]
            if kind == idx.NONE:
                continue
            last = max(last, t[last_draw + kind])
            time = last * idx.SCALE
            if turn >= started:
                first = max(first, t[first_draw + kind])
                last = max(last, first)
                time = first * share + last * (idx.SCALE - share)
            m[times + kind] = (
                (time * for_time) // idx.SCALE + turn * for_turn + t[idx.DELAYS + kind]
            )


@compiled
def deals_made(t: Ints, s: Ints, m: Ints, row: int) -> int:
    """Return the number of deals before a position; all deals once the waste was turned over."""
    base = row * t[idx.WIDTH]
    if t[idx.STOCK] == 0 or s[base + t[idx.WIDTH] - 1] > 0:
        return int(t[idx.DEALS])
    return int((t[idx.STOCK] - s[base + t[idx.ROOM]]) * t[idx.DEALS] // t[idx.STOCK])
