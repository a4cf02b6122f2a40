"""Best-first search."""

from __future__ import annotations

from engine.solver.beam.row_heap import entry_of, pop, push, row_of
from engine.solver.compiled import compiled
from engine.solver.graph import indices as idx
from engine.solver.graph.going_home import send_home
from engine.solver.graph.indices import Ints
from engine.solver.graph.moves import list_moves
from engine.solver.graph.play import digest_of, find_next, play, set_talon, take_back, talon_of


@compiled
def points_of(t: Ints, m: Ints) -> int:
    """Return the points of the position in memory: more points mean nearer to a win."""
    columns = t[idx.COLUMNS]
    points = m[0] - m[0]
    turns, lines = t[idx.TURN], t[idx.LINE]
    for pile in range(columns):
        size = m[idx.SIZE + pile]
        if size == 0:
            points += t[idx.W_SPACE]
            continue
        hidden = m[idx.HIDDEN + pile]
        points -= t[idx.W_HIDDEN] * hidden
        at = idx.CARDS + pile * idx.STRIDE
        for line in range(4):
            m[idx.LOWEST + line] = 99
        card = m[at]
        earliest = t[turns + card]
        m[idx.LOWEST + t[lines + card]] = earliest
        for k in range(1, size):
            below = card
            card = m[at + k]
            turn = t[turns + card]
            line = idx.LOWEST + t[lines + card]
            if k > hidden and t[t[idx.RUNS] + below + 1] >> card & 1 == 1:
                points += t[idx.W_JOINED]
            else:
                if k >= hidden:
                    points -= t[idx.W_BROKEN]
                if turn > earliest:
                    points -= t[idx.W_LATE] + t[idx.W_LATENESS] * (turn - earliest)
            if turn > m[line]:
                points -= t[idx.W_LATE_LINE]
            earliest = min(earliest, turn)
            m[line] = min(m[line], turn)
    for pile in range(columns, columns + t[idx.CELLS]):
        if m[idx.SIZE + pile] == 0:
            points += t[idx.W_CELL]
    for pile in range(columns + t[idx.CELLS], t[idx.PILES]):
        points -= t[idx.W_RESERVE] * m[idx.SIZE + pile]
    left = m[idx.ALIVE]
    while left != 0:
        left &= left - 1
        points -= t[idx.W_TALON]
    return int(points + t[idx.W_HOME] * m[idx.COUNT_HOME])


@compiled
def is_new(t: Ints, m: Ints, key: int) -> bool:
    """Add a positive digest to the table of positions, and return whether it is new."""
    seen, mask = t[idx.SEEN], m[idx.SEEN_MASK]
    at = key & mask
    while m[seen + at] != 0:
        if m[seen + at] == key:
            return False
        at = (at + 1) & mask
    m[seen + at] = key
    m[idx.ENTERED] += 1
    return True


@compiled
def forget_seen(t: Ints, m: Ints) -> None:
    """Empty the table of positions."""
    for at in range(t[idx.SEEN], t[idx.SEEN] + m[idx.SEEN_MASK] + 1):
        m[at] = 0


@compiled
def keep(t: Ints, s: Ints, m: Ints, node: int) -> None:
    """Store the position in memory as a new row, and queue it."""
    row = m[idx.ROWS]
    at = row * t[idx.WIDTH]
    for pile in range(t[idx.PILES]):
        size = m[idx.SIZE + pile]
        s[at] = size
        s[at + 1] = m[idx.HIDDEN + pile]
        at += 2
        first = idx.CARDS + pile * idx.STRIDE
        for k in range(size):
            s[at + k] = m[first + k]
        at += size
    for f in range(t[idx.FOUNDATIONS]):
        s[at + f] = m[idx.TOPS + f]
    record = t[idx.RECORDS] + row * idx.RECORD
    m[record + idx.NODE] = node
    m[record + idx.R_ALIVE] = m[idx.ALIVE]
    m[record + idx.R_TALON] = talon_of(m)
    m[record + idx.R_HOME] = m[idx.AT_HOME]
    m[idx.ROWS] = row + 1
    push(m, t[idx.HEAP], m[idx.QUEUED], entry_of(points_of(t, m), row))
    m[idx.QUEUED] += 1


@compiled
def restore(t: Ints, s: Ints, m: Ints, row: int) -> None:
    """Load a row as the position in memory."""
    at = row * t[idx.WIDTH]
    home = t[idx.TOTAL] - t[idx.TOTAL]
    for pile in range(t[idx.PILES]):
        size = int(s[at])
        m[idx.SIZE + pile] = size
        m[idx.HIDDEN + pile] = s[at + 1]
        at += 2
        first = idx.CARDS + pile * idx.STRIDE
        mixture = 0
        for k in range(size):
            card = int(s[at + k])
            m[first + k] = card
            mixture ^= t[t[idx.RANDOM] + k * 52 + card]
        m[idx.HASH + pile] = mixture
        at += size
        home += size
    for f in range(t[idx.FOUNDATIONS]):
        m[idx.TOPS + f] = s[at + f]
    record = t[idx.RECORDS] + row * idx.RECORD
    m[idx.ALIVE] = m[record + idx.R_ALIVE]
    set_talon(m, m[record + idx.R_TALON])
    m[idx.AT_HOME] = m[record + idx.R_HOME]
    left = m[idx.ALIVE]
    while left != 0:
        left &= left - 1
        home += 1
    m[idx.COUNT_HOME] = t[idx.TOTAL] - home
    find_next(t, m)


@compiled
def add_nodes(t: Ints, m: Ints, parent: int, first: int) -> int:
    """Add a node for each played move from `first` on, and return the last."""
    node = parent
    for k in range(first, m[idx.PLAYED]):
        new = m[idx.NODES]
        m[t[idx.PARENT] + new] = node
        m[t[idx.MOVE] + new] = m[t[idx.UNDO] + k * idx.UNDO_RECORD + idx.U_MOVE]
        m[idx.NODES] = new + 1
        node = new
    return int(node)


@compiled
def note_best(t: Ints, m: Ints, node: int) -> None:
    """Record the node of the position with the most cards home so far."""
    m[idx.BEST] = m[idx.COUNT_HOME]
    m[idx.BEST_NODE] = node
    if m[idx.COUNT_HOME] == t[idx.TOTAL]:
        m[idx.WON] = node


@compiled
def search_best_first(t: Ints, s: Ints, m: Ints) -> None:
    """Search from the position in memory until a win, or until positions or memory run out.

    It sets `WON`, 0 without a win, and sets `CUT` to 1 if positions were discarded.
    """
    m[idx.ROWS] = 0
    m[idx.QUEUED] = 0
    m[idx.NODES] = 1
    m[idx.PLAYED] = 0
    m[idx.CUT] = 0
    m[idx.WON] = 0
    send_home(t, m)
    is_new(t, m, digest_of(t, m))
    root = m[0] - m[0]
    keep(t, s, m, add_nodes(t, m, root, root))
    if m[idx.COUNT_HOME] > m[idx.BEST]:
        note_best(t, m, m[idx.NODES] - 1)
    while m[idx.QUEUED] > 0 and m[idx.WON] == 0:
        if (
            m[idx.ROWS] + t[idx.LIST_SIZE] > t[idx.MOST_ROWS]
            or m[idx.NODES] + 52 * t[idx.LIST_SIZE] > t[idx.MOST_NODES]
            or m[idx.STEPS] >= m[idx.LIMIT]
        ):
            m[idx.CUT] = 1
            return
        row = row_of(pop(m, t[idx.HEAP], m[idx.QUEUED]))
        m[idx.QUEUED] -= 1
        restore(t, s, m, row)
        m[idx.PLAYED] = 0
        list_moves(t, m)
        node = m[t[idx.RECORDS] + row * idx.RECORD + idx.NODE]
        for k in range(m[idx.LISTED]):
            m[idx.STEPS] += 1
            play(t, m, m[t[idx.LIST] + k] & ((1 << 40) - 1))
            send_home(t, m)
            if is_new(t, m, digest_of(t, m)):
                last = add_nodes(t, m, node, root)
                keep(t, s, m, last)
                if m[idx.COUNT_HOME] > m[idx.BEST]:
                    note_best(t, m, last)
                    if m[idx.WON] != 0:
                        return
            while m[idx.PLAYED] > 0:
                take_back(t, m)
