"""Depth-first search, which only needs memory for digests."""

from __future__ import annotations

from engine.solver.beam.hashes import MASK, mixed
from engine.solver.compiled import compiled
from engine.solver.graph import indices as idx
from engine.solver.graph.best_first import is_new
from engine.solver.graph.going_home import send_home
from engine.solver.graph.indices import Ints
from engine.solver.graph.moves import list_moves, sort_moves
from engine.solver.graph.play import digest_of, play, take_back


@compiled
def open_node(t: Ints, m: Ints, frame: int) -> None:
    """Push the moves of the position in memory onto the stack, above a frame."""
    list_moves(t, m)
    noise, salt = t[idx.NOISE], m[idx.SALT_OF_NOISE]
    if noise > 0:
        for k in range(m[idx.LISTED]):
            at = t[idx.LIST] + k
            m[at] += (mixed((m[at] * 2 + salt) & MASK) & noise) << 40
    sort_moves(t, m)
    first = t[idx.STACK] + frame + 2
    for k in range(m[idx.LISTED]):
        m[first + k] = m[t[idx.LIST] + k] & ((1 << 40) - 1)
    m[t[idx.STACK] + frame] = m[idx.LISTED]


@compiled
def search_depth_first(t: Ints, m: Ints) -> None:
    """Search from the position in memory until a win, or until positions or memory run out.

    A frame of the stack holds the number of moves left to try, the number of moves played up to its
    position, and the moves to try; its size follows it. The search sets `WON` to 1 after a win, and
    `CUT` to 1 if positions were discarded. The line is in the undo records.
    """
    m[idx.CUT] = 0
    m[idx.WON] = 0
    m[idx.PLAYED] = 0
    send_home(t, m)
    is_new(t, m, digest_of(t, m))
    if m[idx.COUNT_HOME] == t[idx.TOTAL]:
        m[idx.WON] = 1
        return
    stack = t[idx.STACK]
    frame = m[0] - m[0]
    m[stack + 1] = m[idx.PLAYED]
    open_node(t, m, frame)
    while True:
        while m[idx.PLAYED] > m[stack + frame + 1]:
            take_back(t, m)
        left = m[stack + frame]
        if left == 0:
            if frame == 0:
                return
            frame -= m[stack + frame - 1]
            continue
        m[stack + frame] = left - 1
        if m[idx.STEPS] >= m[idx.LIMIT] or 8 * m[idx.ENTERED] > 7 * m[idx.SEEN_MASK]:
            m[idx.CUT] = 1
            return
        m[idx.STEPS] += 1
        play(t, m, m[stack + frame + 1 + left])
        send_home(t, m)
        if not is_new(t, m, digest_of(t, m)):
            continue
        if m[idx.COUNT_HOME] == t[idx.TOTAL]:
            m[idx.WON] = 1
            return
        size = m[stack + frame] + 1 + 3
        if (
            frame + size + t[idx.LIST_SIZE] + 8 > t[idx.STACK_SIZE]
            or m[idx.PLAYED] >= m[idx.DEEPEST]
        ):
            m[idx.CUT] = 1
            continue
        m[stack + frame + size - 1] = size
        frame += size
        m[stack + frame + 1] = m[idx.PLAYED]
        open_node(t, m, frame)
