"""The points of a position: more points mean a likelier win."""

from __future__ import annotations

from engine.solver.beam import indices as idx
from engine.solver.beam.digests import PLACE_FACTOR, WASTE_SALT, digest_of_pile, phase_of
from engine.solver.beam.hashes import MASK, mixed
from engine.solver.beam.indices import Ints
from engine.solver.beam.rows import record_of
from engine.solver.beam.times import deals_made, find_times
from engine.solver.compiled import compiled

SPAN = 30  # the maximum lateness, in deals


@compiled
def points_of_column(t: Ints, s: Ints, m: Ints, row: int, pile: int, start: int) -> int:
    """Return the points of the tableau pile that starts at `start`."""
    sizes = row * t[idx.WIDTH] + t[idx.ROOM]
    size = int(s[sizes + pile])
    if size == 0:
        return int(t[idx.W_SPACE])
    hidden = int(s[sizes + t[idx.COLUMNS] + 2 + pile])
    lowest, lines, turns, times = t[idx.LOWEST], t[idx.LINE], t[idx.TURN], t[idx.TIMES]
    builds, kinds, orphans = t[idx.BUILDS], t[idx.KINDS], t[idx.ORPHAN]
    joined, late_joined = t[idx.W_JOINED], t[idx.W_LATE_JOINED]
    broken, late, late_line = t[idx.W_BROKEN], t[idx.W_LATE], t[idx.W_LATE_LINE]
    lateness, orphan_buried = t[idx.W_LATENESS], t[idx.W_ORPHAN_BURIED]
    long, mixed = t[idx.W_LONG], t[idx.W_MIXED]
    run = 0
    for line in range(t[idx.LINES]):
        m[lowest + line] = 99
    kind = int(s[start])
    earliest = m[times + kind]
    m[lowest + t[lines + kind]] = t[turns + kind]
    points = t[idx.W_BASE] * t[turns + kind] - t[idx.W_HIDDEN] * hidden
    if t[orphans + kind] == 1 and hidden == 0:
        points += t[idx.W_ORPHAN_BASE]
    for k in range(1, size):
        below = kind
        kind = int(s[start + k])
        time = m[times + kind]
        turn = t[turns + kind]
        line = lowest + t[lines + kind]
        if k > hidden and t[builds + (below + 1) * kinds + kind] == 1:
            if t[t[idx.CARRIES] + below + 1] >> kind & 1 == 1:
                run += 1
                points += joined + long * run
            else:
                # The card builds, but does not move with the run.
                run = 0
                points -= mixed
            if time > earliest:
                points -= late_joined
        else:
            run = 0
            if k >= hidden:
                points -= broken
            if time > earliest:
                points -= late + lateness * min(time - earliest, SPAN * idx.SCALE) // idx.SCALE
            if turn > m[line]:
                points -= late_line
            points -= orphan_buried * t[orphans + kind]
        earliest = min(earliest, time)
        m[line] = min(m[line], turn)
    return int(points)


@compiled
def points_of_waste(t: Ints, s: Ints, m: Ints, row: int, start: int) -> int:
    """Return the points of the waste, which starts at `start`."""
    size = int(s[row * t[idx.WIDTH] + t[idx.ROOM] + t[idx.COLUMNS] + 1])
    lowest, lines, turns, times = t[idx.LOWEST], t[idx.LINE], t[idx.TURN], t[idx.TIMES]
    late, lateness, late_line = t[idx.W_WASTE_LATE], t[idx.W_WASTE_LATENESS], t[idx.W_WASTE_LINE]
    for line in range(t[idx.LINES]):
        m[lowest + line] = 99
    earliest = 1 << 40
    points = -t[idx.W_WASTE_CARD] * size
    for k in range(start, start + size):
        kind = s[k]
        time = m[times + kind]
        turn = t[turns + kind]
        line = lowest + t[lines + kind]
        if time > earliest:
            points -= late + lateness * min(time - earliest, SPAN * idx.SCALE) // idx.SCALE
        if turn > m[line]:
            points -= late_line
        earliest = min(earliest, time)
        m[line] = min(m[line], turn)
    return int(points)


@compiled
def points_of(t: Ints, s: Ints, m: Ints, row: int, pile: int, start: int) -> int:
    """Return the points of a pile, from the cache if possible."""
    waste = t[idx.COLUMNS] + 1
    record = record_of(t, row)
    phase = m[record + idx.PHASE] ^ m[idx.SALT]
    number = m[record + idx.PILE_HASHES + pile] ^ phase
    if pile == waste:
        number ^= WASTE_SALT
    hidden = s[row * t[idx.WIDTH] + t[idx.ROOM] + waste + 1 + pile]
    # The same pile occurs in many positions. Its points depend on its cards and on the times, which
    # the phase identifies.
    key = digest_of_pile(number, hidden, 0)
    at = t[idx.CACHE] + 2 * (key & t[idx.CACHE_MASK])
    if m[at] == key:
        return int(m[at + 1])
    if m[idx.TIMES_OF] != phase:
        find_times(t, s, m, row)
        m[idx.TIMES_OF] = phase
    if pile == waste:
        points = points_of_waste(t, s, m, row, start)
    else:
        points = points_of_column(t, s, m, row, pile, start)
    m[at] = key
    m[at + 1] = points
    return points


@compiled
def evaluate(t: Ints, s: Ints, m: Ints, row: int) -> int:
    """Compute the points of changed piles and of the row; return the number of cards home."""
    waste = t[idx.COLUMNS] + 1
    sizes = row * t[idx.WIDTH] + t[idx.ROOM]
    record, changed = record_of(t, row), t[idx.CHANGED]
    points = record + idx.PILE_HASHES + waste + 1
    left = int(s[sizes])
    start = row * t[idx.WIDTH] + left
    total = 0
    for pile in range(1, waste + 1):
        if m[changed + pile] == 1:
            m[points + pile] = points_of(t, s, m, row, pile, start)
        total += m[points + pile]
        size = s[sizes + pile]
        start += size
        left += size
    runs = 0
    if t[idx.RUN_GROUPS] == 1:
        tops = sizes + 2 * (waste + 1)
        for f in range(t[idx.FOUNDATIONS]):
            if (
                t[t[idx.HEADS] + t[t[idx.GROUP] + f] * (t[idx.KINDS] + 1)] == 1
                and s[tops + f] != idx.NONE
            ):
                runs += 1
    home = t[idx.TOTAL] - left
    m[record + idx.KEY] = total + t[idx.W_HOME] * (home - idx.RUN * runs) + t[idx.W_RUN_HOME] * runs
    return int(home)


@compiled
def find_phase(t: Ints, s: Ints, m: Ints, row: int) -> None:
    """Set the row's phase, which identifies the times of its cards."""
    phase = 0
    if t[idx.TIMED] == 1:
        phase = mixed((phase_of(t, s, m, row) + deals_made(t, s, m, row) * PLACE_FACTOR) & MASK)
    record = record_of(t, row)
    # Other times change the points of all piles.
    if phase != m[record + idx.PHASE]:
        m[record + idx.PHASE] = phase
        for pile in range(t[idx.COLUMNS] + 2):
            m[t[idx.CHANGED] + pile] = 1
