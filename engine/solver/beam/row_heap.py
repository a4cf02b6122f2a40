"""A heap of rows, with the most points first."""

from __future__ import annotations

from engine.solver.beam.indices import Ints
from engine.solver.compiled import compiled

# The limit of row numbers. A heap's entry combines points and row in one integer.
MAX_ROWS = 1 << 20

BIAS = 1 << 30  # an offset of points that makes entries of a heap positive


@compiled
def push(m: Ints, heap: int, size: int, entry: int) -> None:
    """Push an entry onto a heap of this size; the largest is first."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if m[heap + above] >= entry:
            break
        m[heap + at] = m[heap + above]
        at = above
    m[heap + at] = entry


@compiled
def pop(m: Ints, heap: int, size: int) -> int:
    """Pop the largest entry of a nonempty heap of this size."""
    top = m[heap + 0]
    entry = m[heap + size - 1]
    size -= 1
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and m[heap + below + 1] > m[heap + below]:
            below += 1
        if m[heap + below] <= entry:
            break
        m[heap + at] = m[heap + below]
        at = below
    m[heap + at] = entry
    return int(top)


@compiled
def entry_of(points: int, row: int) -> int:
    """Return a heap's entry; ties go to the lower row."""
    return (points + BIAS) * MAX_ROWS + (MAX_ROWS - 1 - row)


@compiled
def row_of(entry: int) -> int:
    """Return the row of a heap's entry."""
    return MAX_ROWS - 1 - entry % MAX_ROWS
