"""Hashes, and the table of positions seen since the last deal."""

from __future__ import annotations

from engine.solver.beam import indices as idx
from engine.solver.beam.indices import Ints
from engine.solver.compiled import compiled

# Hashes are below 2**62, so that 64-bit and Python integers give the same results.
MASK = (1 << 62) - 1

FACTOR = 0x2545F4914F6CDD1D & MASK
FIRST_MASK = 1023  # the initial mask of the table of positions: its size minus 1


@compiled
def mixed(number: int) -> int:
    """Return a number below 2**62 with its bits mixed."""
    number ^= number >> 29
    number = (number * FACTOR) & MASK
    return number ^ (number >> 32)


@compiled
def is_new(t: Ints, m: Ints, key: int) -> bool:
    """Add a positive hash to the table of positions, and return whether it is new."""
    seen, mask = t[idx.SEEN], m[idx.SEEN_MASK]
    at = key & mask
    while m[seen + at] != 0:
        if m[seen + at] == key:
            return False
        at = (at + 1) & mask
    m[seen + at] = key
    m[idx.ENTERED] += 1
    if 2 * m[idx.ENTERED] > mask and mask < t[idx.CAPPED_MASK]:
        widen_seen(t, m)
    return True


@compiled
def widen_seen(t: Ints, m: Ints) -> None:
    """Double the table of positions, which starts small to fit the processor's cache."""
    seen, keys = t[idx.SEEN], t[idx.FILLED]
    number = 0
    for at in range(m[idx.SEEN_MASK] + 1):
        if m[seen + at] != 0:
            m[keys + number] = m[seen + at]
            m[seen + at] = 0
            number += 1
    m[idx.SEEN_MASK] = mask = 2 * m[idx.SEEN_MASK] + 1
    for k in range(number):
        at = m[keys + k] & mask
        while m[seen + at] != 0:
            at = (at + 1) & mask
        m[seen + at] = m[keys + k]


@compiled
def forget_seen(t: Ints, m: Ints) -> None:
    """Empty the table of positions."""
    for at in range(t[idx.SEEN], t[idx.SEEN] + m[idx.SEEN_MASK] + 1):
        m[at] = 0
    m[idx.ENTERED] = 0
