"""Digests, which identify equal positions, and signatures, which group similar ones."""

from __future__ import annotations

from engine.solver.beam import indices as idx
from engine.solver.beam.hashes import MASK, mixed
from engine.solver.beam.indices import Ints
from engine.solver.beam.rows import is_ordered, record_of
from engine.solver.compiled import compiled

HIDDEN_FACTOR = 0x1B873593CC9E2D51 & MASK

PLACE_FACTOR = 0x165667B19E3779F9 & MASK

REDEAL_FACTOR = 0x0A0761D6478BD643

STOCK_SALT = 0x1F3D5B79A2C4E680

WASTE_SALT = 0x2A6C8E1043F7B59D


@compiled
def digest_of_pile(pile_hash: int, hidden: int, place: int) -> int:
    """Return a tableau pile's contribution to a digest.

    `hidden` is the number of face-down cards; `place` is the number of the pile if the order of
    piles matters, else 0.
    """
    return mixed(pile_hash ^ (hidden * HIDDEN_FACTOR & MASK) ^ (place * PLACE_FACTOR & MASK))


@compiled
def digest_of(t: Ints, s: Ints, m: Ints, row: int) -> int:
    """Return a position's digest: a sum over its piles."""
    piles = t[idx.COLUMNS] + 2
    sizes = row * t[idx.WIDTH] + t[idx.ROOM]
    hidden = sizes + piles
    hashes = record_of(t, row) + idx.PILE_HASHES
    ordered = 1 if is_ordered(t, s, row) else 0
    total = mixed(m[hashes] ^ STOCK_SALT) + mixed(m[hashes + piles - 1] ^ WASTE_SALT)
    # Tableau piles are interchangeable, except while rows are dealt to them from left to right.
    for pile in range(1, piles - 1):
        total += digest_of_pile(m[hashes + pile], s[hidden + pile], pile * ordered)
        total &= MASK
    return (total + phase_of(t, s, m, row)) & MASK


@compiled
def phase_of(t: Ints, s: Ints, m: Ints, row: int) -> int:
    """Return the digest of the foundations and redeals."""
    tops = row * t[idx.WIDTH] + t[idx.ROOM] + 2 * (t[idx.COLUMNS] + 2)
    alike, group, kinds = t[idx.ALIKE], t[idx.GROUP], t[idx.KINDS] + 1
    total = s[tops + t[idx.FOUNDATIONS]] * REDEAL_FACTOR
    # Foundations of a group are interchangeable, too, and enter by the cards that they take.
    for f in range(t[idx.FOUNDATIONS]):
        total = (total + t[alike + t[group + f] * kinds + s[tops + f] + 1]) & MASK
    return total & MASK


@compiled
def digest_after(t: Ints, s: Ints, m: Ints, row: int, move: int, end: int) -> int:
    """Return the digest after a move from tableau or waste that refills no pile.

    The source's cards end at `end` in `s`.
    """
    source, target, count = move >> 17, move >> 7 & 1023, move & 127
    piles, kinds, random = t[idx.COLUMNS] + 2, t[idx.KINDS], t[idx.RANDOM]
    sizes = row * t[idx.WIDTH] + t[idx.ROOM]
    hidden = sizes + piles
    hashes = record_of(t, row) + idx.PILE_HASHES
    ordered = 1 if is_ordered(t, s, row) else 0
    total = m[record_of(t, row) + idx.DIGEST]
    left = s[sizes + source] - count
    at = random + left * kinds
    mixture = 0
    for k in range(end - count, end):
        mixture ^= t[at + s[k]]
        at += kinds
    before = m[hashes + source]
    if source == piles - 1:
        total += mixed(before ^ mixture ^ WASTE_SALT) - mixed(before ^ WASTE_SALT)
    else:
        down = int(s[hidden + source])
        total -= digest_of_pile(before, down, source * ordered)
        down = left - 1 if 0 < left <= down else down
        total += digest_of_pile(before ^ mixture, down, source * ordered)
    if target >= piles:
        f = target - piles
        alike = t[idx.ALIKE] + t[t[idx.GROUP] + f] * (kinds + 1) + 1
        total += t[alike + s[end - 1]] - t[alike + s[hidden + piles + f]]
    else:
        at = random + s[sizes + target] * kinds
        mixture = 0
        for k in range(end - count, end):
            mixture ^= t[at + s[k]]
            at += kinds
        before = m[hashes + target]
        down = int(s[hidden + target])
        total -= digest_of_pile(before, down, target * ordered)
        total += digest_of_pile(before ^ mixture, down, target * ordered)
    return total & MASK


@compiled
def signature_of(t: Ints, s: Ints, m: Ints, row: int) -> int:
    """Return a hash of the face-down cards, the foundations and the waste.

    A beam's positions should vary in these.
    """
    piles = t[idx.COLUMNS] + 2
    hidden = row * t[idx.WIDTH] + t[idx.ROOM] + piles
    total = 0
    for pile in range(1, piles - 1):
        total = (total * 32 + s[hidden + pile]) & MASK
    total = mixed(total) + mixed(m[record_of(t, row) + idx.PILE_HASHES + piles - 1])
    return mixed((total + phase_of(t, s, m, row)) & MASK) | 1
