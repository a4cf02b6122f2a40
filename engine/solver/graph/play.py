"""Playing and undoing moves on the position in memory."""

from __future__ import annotations

from engine.solver.beam.hashes import MASK, mixed
from engine.solver.compiled import compiled
from engine.solver.graph import indices as idx
from engine.solver.graph.indices import Ints


@compiled
def encoded(source: int, target: int, count: int) -> int:
    """Return a move as one number; see `play`."""
    return source | target << 6 | count << 12


@compiled
def put(t: Ints, m: Ints, pile: int, card: int) -> None:
    """Put a card on a pile."""
    size = m[idx.SIZE + pile]
    m[idx.CARDS + pile * idx.STRIDE + size] = card
    m[idx.SIZE + pile] = size + 1
    m[idx.HASH + pile] ^= t[t[idx.RANDOM] + size * 52 + card]


@compiled
def take(t: Ints, m: Ints, pile: int) -> int:
    """Take the top card off a pile and return it."""
    size = m[idx.SIZE + pile] - 1
    card = m[idx.CARDS + pile * idx.STRIDE + size]
    m[idx.SIZE + pile] = size
    m[idx.HASH + pile] ^= t[t[idx.RANDOM] + size * 52 + card]
    return int(card)


@compiled
def carry(t: Ints, m: Ints, source: int, target: int, count: int) -> None:
    """Move the top cards of a pile to another one."""
    first = m[idx.SIZE + source] - count
    at = idx.CARDS + source * idx.STRIDE + first
    random = t[idx.RANDOM]
    for k in range(count):
        card = m[at + k]
        m[idx.HASH + source] ^= t[random + (first + k) * 52 + card]
        put(t, m, target, card)
    m[idx.SIZE + source] = first


@compiled
def find_next(t: Ints, m: Ints) -> None:
    """Compute the set of cards that foundations take."""
    total = m[0] - m[0]
    for f in range(t[idx.FOUNDATIONS]):
        total |= t[t[idx.HOMES] + t[t[idx.GROUP] + f] * 53 + m[idx.TOPS + f] + 1]
    m[idx.NEXT] = total


@compiled
def talon_of(m: Ints) -> int:
    """Return the talon's state without its cards, and the bound pile, as one number."""
    return int(m[idx.WASTE] | m[idx.REDEALS] << 8 | m[idx.BOUND] << 24)


@compiled
def set_talon(m: Ints, talon: int) -> None:
    """Restore a state returned by `talon_of`."""
    m[idx.WASTE] = talon & 255
    m[idx.REDEALS] = talon >> 8 & 65535
    m[idx.BOUND] = talon >> 24


@compiled
def play(t: Ints, m: Ints, move: int) -> None:
    """Play a legal move, and store its undo record.

    A move is `source | target << 6 | count << 12 | bound << 18 | place << 25 | waste << 31 |
    turned << 37`. The last three describe the talon: the taken card's place in the deal, the number
    of cards in the waste then, and whether it is turned over first.
    """
    source, target, count = move & 63, move >> 6 & 63, move >> 12 & 63
    undo = t[idx.UNDO] + m[idx.PLAYED] * idx.UNDO_RECORD
    m[idx.PLAYED] += 1
    m[undo + idx.U_MOVE] = move
    m[undo + idx.U_ALIVE] = m[idx.ALIVE]
    m[undo + idx.U_TALON] = talon_of(m)
    m[undo + idx.U_TOP] = idx.NONE
    flags = move - move
    m[idx.BOUND] = move >> 18 & 127
    if source < idx.TALON and target < idx.TALON:
        carry(t, m, source, target, count)
    else:
        if source < idx.TALON:
            card = take(t, m, source)
        elif source == idx.TALON:
            place = move >> 25 & 63
            card = t[t[idx.DRAWN] + place]
            m[idx.ALIVE] &= ~(1 << place)
            m[idx.WASTE] = move >> 31 & 63
            m[idx.REDEALS] += move >> 37 & 1
        else:
            card = m[idx.TOPS + source - idx.HOME]
            m[undo + idx.U_TOP] = card
            m[idx.TOPS + source - idx.HOME] = t[t[idx.BEFORE] + card]
            m[idx.AT_HOME] &= ~(1 << card)
            m[idx.COUNT_HOME] -= 1
            find_next(t, m)
        if target < idx.TALON:
            put(t, m, target, card)
        else:
            m[undo + idx.U_TOP] = m[idx.TOPS + target - idx.HOME]
            m[idx.TOPS + target - idx.HOME] = card
            m[idx.AT_HOME] |= 1 << card
            m[idx.COUNT_HOME] += 1
            find_next(t, m)
    if source < t[idx.COLUMNS]:
        size = m[idx.SIZE + source]
        if size > 0:
            if m[idx.HIDDEN + source] == size:
                m[idx.HIDDEN + source] = size - 1
                flags = 1
        elif t[idx.FILLS] == 1:
            first = t[idx.COLUMNS] + t[idx.CELLS]
            for pile in range(first, first + t[idx.RESERVES]):
                if m[idx.SIZE + pile] > 0:
                    put(t, m, source, take(t, m, pile))
                    flags = 2 * (pile + 1)
                    break
    m[undo + idx.U_FLAGS] = flags


@compiled
def take_back(t: Ints, m: Ints) -> None:
    """Undo the last move."""
    m[idx.PLAYED] -= 1
    undo = t[idx.UNDO] + m[idx.PLAYED] * idx.UNDO_RECORD
    move, flags = m[undo + idx.U_MOVE], m[undo + idx.U_FLAGS]
    source, target, count = move & 63, move >> 6 & 63, move >> 12 & 63
    if flags == 1:
        m[idx.HIDDEN + source] += 1
    elif flags > 1:
        put(t, m, (flags >> 1) - 1, take(t, m, source))
    set_talon(m, m[undo + idx.U_TALON])
    m[idx.ALIVE] = m[undo + idx.U_ALIVE]
    if source < idx.TALON and target < idx.TALON:
        carry(t, m, target, source, count)
        return
    if target < idx.TALON:
        card = take(t, m, target)
    else:
        card = m[idx.TOPS + target - idx.HOME]
        m[idx.TOPS + target - idx.HOME] = m[undo + idx.U_TOP]
        m[idx.AT_HOME] &= ~(1 << card)
        m[idx.COUNT_HOME] -= 1
        find_next(t, m)
    if source < idx.TALON:
        put(t, m, source, card)
    elif source >= idx.HOME:
        m[idx.TOPS + source - idx.HOME] = card
        m[idx.AT_HOME] |= 1 << card
        m[idx.COUNT_HOME] += 1
        find_next(t, m)


@compiled
def digest_of(t: Ints, m: Ints) -> int:
    """Return the position's digest; piles of a kind are interchangeable."""
    total = mixed((m[idx.ALIVE] * 3 + 0x1F3D5B79A2C4E680) & MASK)
    total += mixed((talon_of(m) + 0x2A6C8E1043F7B59D) & MASK)
    for pile in range(t[idx.PILES]):
        number = m[idx.HASH + pile] ^ t[t[idx.SALT] + pile]
        total += mixed((number + m[idx.HIDDEN + pile] * 0x1B873593CC9E2D51) & MASK)
        total &= MASK
    for f in range(t[idx.FOUNDATIONS]):
        total += t[t[idx.ALIKE] + t[t[idx.GROUP] + f] * 53 + m[idx.TOPS + f] + 1]
        total &= MASK
    return mixed(total) | 1
