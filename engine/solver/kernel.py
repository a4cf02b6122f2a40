"""The hot part of the beam search: positions in flat arrays of integers.

All of it is integer arithmetic on three flat arrays, so that compiled, interpreted and ported to
another language it generates the same positions in the same order. Only the hashes may differ
elsewhere: they serve to recognise equal positions, and no decision depends on their values.

- `t`, the tables: a ruleset, the cards of one position, weights and a plan. Constants below name
  the indices of its numbers, and those at which it keeps where a table begins, in `t` or in `m`.
- `s`, the positions, in small integers; `t[WIDTH]` of them are a row.
- `m`, the memory of the search: first its counters, then what `layout.MEMORY` lists.

Piles are numbered from the stock, 0, over the tableau, 1 to `t[COLUMNS]`, to the waste. A row has

- the cards of all piles, pile after pile, each from bottom to top; room for `t[ROOM]`;
- the number of cards of each pile;
- the number of cards of each pile that lie face down;
- the top card of each foundation, or `NONE`;
- how often the waste has been turned over.

A card is stored as its kind: cards that no rule tells apart have the same kind.

This is one file because Numba notices a change only in the file of the function that it has kept.
"""

from __future__ import annotations

from array import array
from typing import TypeAlias

from engine.solver.compiled import compiled

Ints: TypeAlias = "array[int]"

NONE = -1
"""Stands for the top card of an empty foundation, and for no pile."""

RUN = 13
"""The length of a run that goes to a foundation."""

SCALE = 1024
"""Weights, points and shares are fixed-point numbers: this is 1."""

MASK = (1 << 62) - 1
"""Hashes are below 2**62, so that 64-bit integers and Python's own give the same."""

FACTOR = 0x2545F4914F6CDD1D & MASK
FIRST_MASK = 1023
"""The table of positions begins with one entry more."""

HIDDEN_FACTOR = 0x1B873593CC9E2D51 & MASK
PLACE_FACTOR = 0x165667B19E3779F9 & MASK
REDEAL_FACTOR = 0x0A0761D6478BD643
STOCK_SALT = 0x1F3D5B79A2C4E680
WASTE_SALT = 0x2A6C8E1043F7B59D

MAX_ROWS = 1 << 20
"""Rows are numbered below this; a heap's entry is points and row in one integer."""

BIAS = 1 << 30
"""Added to points, so that the entries of a heap are positive."""

SPAN = 30
"""Lateness counts up to as many deals."""

AUTOMATIC_AT = 128
"""Where the moves that cards make by themselves begin in `t[HAND]`."""

SINGLE, WHOLE, BY_SPACES = range(3)
"""How runs move, `t[RUNS]`: not, whole, or as far as empty piles carry them."""

NOWHERE, FITTING, STARTING, ANYWHERE = range(4)
"""To which foundations the stock's top card goes, `t[STOCK_HOME]`."""

NEVER, SAFELY, LATER, EARLY = range(4)
"""How cards go home by themselves, `t[P_HOME]`; see `may_go_home`."""

# The indices of `t`. First the weights of the evaluation, in points.
(W_HOME, W_RUN_HOME, W_SPACE, W_JOINED, W_BROKEN, W_HIDDEN, W_LATE, W_LATE_LINE) = range(8)
(W_LATENESS, W_LATE_JOINED, W_ORPHAN_BASE, W_ORPHAN_BURIED, W_BASE, W_WASTE_LATE) = range(8, 14)
(W_WASTE_LINE, W_WASTE_LATENESS, W_WASTE_CARD, W_FIRST_COPY, W_TURN, W_TIME) = range(14, 20)
WEIGHTS = 20

# The plan of one beam: how wide it is, how many positions are expanded between two deals for each
# one kept, times SCALE, and after the last deal; how many are dealt to; how many may share a
# signature; how cards go home by themselves; whether only sound prunings are used; and whether
# runs that empty piles carry are moved card by card. Then, for each kind, how many points later
# than computed it is needed.
(P_WIDTH, P_EFFORT, P_LAST, P_DEALT, P_CAP, P_HOME, P_WHOLE) = range(WEIGHTS, WEIGHTS + 7)
P_SINGLE = WEIGHTS + 7
DELAYS = WEIGHTS + 8
MOST_KINDS = 52

# The rules; `layout.Layout` explains them.
(KINDS, COLUMNS, FOUNDATIONS, ROOM, TOTAL, WIDTH, REDEALS, RUNS) = range(80, 88)
(COLUMN_HOME, COLUMN_SPREAD, WASTE_HOME, WASTE_SPREAD) = range(88, 92)
(STOCK_WASTE, STOCK_ROW, STOCK_SPREAD, STOCK_HOME, FILLS) = range(92, 97)
(TIMED, LINES, DEALS, STOCK, MOST_ROWS, MOST_NODES, CAPPED_MASK) = range(97, 104)
(CACHE_MASK, RUN_GROUPS, DEFERS) = range(104, 107)

# Where the tables begin.
(BUILDS, GROUP, HOMES, ALIKE, HEADS, FILL, LINE, TURN, SLOTS, BY_LINE, ORPHAN) = range(110, 121)
(KIDS_AT, KIDS, FIRST_DRAW, LAST_DRAW, RANDOM, ACCEPTS, TAKES) = range(121, 128)

# Where the parts of the memory begin.
(HASHES, POINTS, KEYS, NODE, HEAP, SEEN, FILLED, PARENT, MOVE, MARKS, HAND) = range(130, 141)
(CHANGED, TIMES, LOWEST, COUNTS, CAPPED, KEPT, FRESH, DIGESTS, PHASES, CACHE) = range(141, 151)
(ENDS, ACCEPTED) = range(151, 153)
TABLES = 160

# The counters, the first numbers of the memory.
(STEPS, BUDGET, ROWS, NODES, BEST, BEST_NODE, WON_NODE, QUEUED, ENTERED, AUTOMATIC, CUT) = range(11)
(SALT, TIMES_OF, ALL_PILES, SEEN_MASK) = range(11, 15)
COUNTERS = 15


@compiled
def mixed(number: int) -> int:
    """Return a number below 2**62 with its bits mixed."""
    number ^= number >> 29
    number = (number * FACTOR) & MASK
    return number ^ (number >> 32)


# ---- The heap ----


@compiled
def push(m: Ints, heap: int, size: int, entry: int) -> None:
    """Put an entry into a heap of this size; the largest is first."""
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
    """Take the largest entry out of a heap of this size, which is not empty."""
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
    """Return a heap's entry; of equal points, the lower row is first."""
    return (points + BIAS) * MAX_ROWS + (MAX_ROWS - 1 - row)


@compiled
def row_of(entry: int) -> int:
    """Return the row of a heap's entry."""
    return MAX_ROWS - 1 - entry % MAX_ROWS


# ---- Hash tables ----


@compiled
def is_new(t: Ints, m: Ints, key: int) -> bool:
    """Enter a positive hash into the table of positions, and return whether it was not there."""
    seen, mask = t[SEEN], m[SEEN_MASK]
    at = key & mask
    while m[seen + at] != 0:
        if m[seen + at] == key:
            return False
        at = (at + 1) & mask
    m[seen + at] = key
    m[ENTERED] += 1
    if 2 * m[ENTERED] > mask and mask < t[CAPPED_MASK]:
        widen_seen(t, m)
    return True


@compiled
def widen_seen(t: Ints, m: Ints) -> None:
    """Make the table of positions twice as large: a small one stays in the processor's cache."""
    seen, keys = t[SEEN], t[FILLED]
    number = 0
    for at in range(m[SEEN_MASK] + 1):
        if m[seen + at] != 0:
            m[keys + number] = m[seen + at]
            m[seen + at] = 0
            number += 1
    m[SEEN_MASK] = mask = 2 * m[SEEN_MASK] + 1
    for k in range(number):
        at = m[keys + k] & mask
        while m[seen + at] != 0:
            at = (at + 1) & mask
        m[seen + at] = m[keys + k]


@compiled
def forget_seen(t: Ints, m: Ints) -> None:
    """Empty the table of positions."""
    for at in range(t[SEEN], t[SEEN] + m[SEEN_MASK] + 1):
        m[at] = 0
    m[ENTERED] = 0


# ---- Playing on a row ----


@compiled
def encoded(source: int, target: int, count: int) -> int:
    """Return a move as one number.

    Args:
        source: the number of a pile.
        target: the number of a pile; `columns + 2 + f` for foundation f; after those, a row.
        count: the number of cards.
    """
    return source << 17 | target << 7 | count


@compiled
def is_deal(move: int) -> bool:
    """Return whether the stock's top card is moved, or the waste is turned over."""
    return move >> 17 == 0 or move >> 7 & 1023 == 0


@compiled
def copy_row(t: Ints, s: Ints, m: Ints, source: int, target: int) -> None:
    """Copy a position and all that is known of it."""
    width, piles = t[WIDTH], t[COLUMNS] + 2
    at, to = source * width, target * width
    for k in range(width):
        s[to + k] = s[at + k]
    at, to = t[HASHES] + source * piles, t[HASHES] + target * piles
    for k in range(piles):
        m[to + k] = m[at + k]
    at, to = t[POINTS] + source * piles, t[POINTS] + target * piles
    for k in range(piles):
        m[to + k] = m[at + k]
    m[t[KEYS] + target] = m[t[KEYS] + source]
    m[t[NODE] + target] = m[t[NODE] + source]
    m[t[DIGESTS] + target] = m[t[DIGESTS] + source]
    m[t[PHASES] + target] = m[t[PHASES] + source]
    m[t[FRESH] + target] = m[t[FRESH] + source]


@compiled
def shift(t: Ints, s: Ints, m: Ints, row: int, move: int) -> None:
    """Move cards from pile to pile; out of all piles, if the target is a foundation."""
    source, target, count = move >> 17, move >> 7 & 1023, move & 127
    piles = t[COLUMNS] + 2
    hand = t[HAND]
    base = row * t[WIDTH]
    sizes = base + t[ROOM]
    end = base
    source_end = base
    target_end = base
    for pile in range(piles):
        end += s[sizes + pile]
        if pile == source:
            source_end = end
        if pile == target:
            target_end = end
    first = source_end - count
    hashes = row * piles
    place = s[sizes + source] - count
    mixture = 0
    for k in range(count):
        m[hand + k] = s[first + k]
        mixture ^= t[t[RANDOM] + (place + k) * t[KINDS] + m[hand + k]]
    m[t[HASHES] + hashes + source] ^= mixture
    s[sizes + source] -= count
    m[t[CHANGED] + source] = 1
    if target >= piles:
        for k in range(source_end, end):
            s[k - count] = s[k]
        return
    place = s[sizes + target]
    mixture = 0
    for k in range(count):
        mixture ^= t[t[RANDOM] + (place + k) * t[KINDS] + m[hand + k]]
    m[t[HASHES] + hashes + target] ^= mixture
    s[sizes + target] += count
    m[t[CHANGED] + target] = 1
    if source < target:
        for k in range(source_end, target_end):
            s[k - count] = s[k]
        for k in range(count):
            s[target_end - count + k] = m[hand + k]
    else:
        for k in range(first - 1, target_end - 1, -1):
            s[k + count] = s[k]
        for k in range(count):
            s[target_end + k] = m[hand + k]


@compiled
def turn_over(t: Ints, s: Ints, m: Ints, row: int) -> None:
    """Turn the waste over to be the stock again."""
    base = row * t[WIDTH]
    sizes = base + t[ROOM]
    waste = t[COLUMNS] + 1
    size = int(s[sizes + waste])
    shift(t, s, m, row, encoded(waste, 0, size))
    mixture = 0
    for k in range(size):
        s[base + k] = m[t[HAND] + size - 1 - k]
        mixture ^= t[t[RANDOM] + k * t[KINDS] + m[t[HAND] + size - 1 - k]]
    m[t[HASHES] + row * (t[COLUMNS] + 2)] = mixture
    s[base + t[WIDTH] - 1] += 1


@compiled
def tidy(t: Ints, s: Ints, m: Ints, row: int, pile: int) -> None:
    """After a tableau pile gave cards away, turn its last card up, or fill it if it is empty."""
    sizes = row * t[WIDTH] + t[ROOM]
    size = s[sizes + pile]
    hidden = sizes + t[COLUMNS] + 2 + pile
    if size > 0:
        if s[hidden] >= size:
            s[hidden] = size - 1
            m[t[CHANGED] + pile] = 1
        return
    for k in range(t[FILLS]):
        place = t[t[FILL] + k]
        if s[sizes + place] > 0:
            shift(t, s, m, row, encoded(place, pile, 1))
            return


@compiled
def deal_row(t: Ints, s: Ints, m: Ints, row: int) -> None:
    """Deal a card to each tableau pile from left to right, as far as the stock goes."""
    base = row * t[WIDTH]
    sizes = base + t[ROOM]
    hand, kinds, random = t[HAND], t[KINDS], t[RANDOM]
    hashes = t[HASHES] + row * (t[COLUMNS] + 2)
    stock = int(s[sizes])
    number = min(stock, t[COLUMNS])
    for k in range(number):
        stock -= 1
        m[hand + k] = s[base + stock]
        m[hashes] ^= t[random + stock * kinds + m[hand + k]]
    s[sizes] = stock
    m[t[CHANGED]] = 1
    to = base + stock
    for pile in range(1, number + 1):
        size = int(s[sizes + pile])
        at = to + number + 1 - pile
        for k in range(size):
            s[to + k] = s[at + k]
        kind = m[hand + pile - 1]
        s[to + size] = kind
        s[sizes + pile] = size + 1
        to += size + 1
        m[hashes + pile] ^= t[random + size * kinds + kind]
        m[t[CHANGED] + pile] = 1


@compiled
def play(t: Ints, s: Ints, m: Ints, row: int, move: int) -> None:
    """Play a legal move on a row."""
    source, target, count = move >> 17, move >> 7 & 1023, move & 127
    piles = t[COLUMNS] + 2
    if target == piles + t[FOUNDATIONS]:
        deal_row(t, s, m, row)
        return
    if target == 0:
        turn_over(t, s, m, row)
        return
    shift(t, s, m, row, move)
    if target >= piles:
        s[row * t[WIDTH] + t[ROOM] + 2 * piles + target - piles] = m[t[HAND] + count - 1]
    if 0 < source <= t[COLUMNS]:
        tidy(t, s, m, row, source)


@compiled
def digest_of_pile(pile_hash: int, hidden: int, place: int) -> int:
    """Return what a tableau pile adds to a digest.

    Args:
        pile_hash: the hash of its cards.
        hidden: how many of them lie face down.
        place: the number of the pile where their order matters, else 0.
    """
    return mixed(pile_hash ^ (hidden * HIDDEN_FACTOR & MASK) ^ (place * PLACE_FACTOR & MASK))


@compiled
def digest_of(t: Ints, s: Ints, m: Ints, row: int) -> int:
    """Return a position's digest: a sum over its piles.

    Tableau piles are interchangeable, except while rows are dealt to them from left to right. So
    are foundations of one group; only which cards they take is counted.
    """
    piles = t[COLUMNS] + 2
    sizes = row * t[WIDTH] + t[ROOM]
    hidden = sizes + piles
    hashes = t[HASHES] + row * piles
    ordered = 1 if t[STOCK_ROW] == 1 and s[sizes] > 0 else 0
    total = mixed(m[hashes] ^ STOCK_SALT) + mixed(m[hashes + piles - 1] ^ WASTE_SALT)
    for pile in range(1, piles - 1):
        total += digest_of_pile(m[hashes + pile], s[hidden + pile], pile * ordered)
        total &= MASK
    return (total + phase_of(t, s, m, row)) & MASK


@compiled
def phase_of(t: Ints, s: Ints, m: Ints, row: int) -> int:
    """Return the digest of the foundations and redeals."""
    tops = row * t[WIDTH] + t[ROOM] + 2 * (t[COLUMNS] + 2)
    alike, group, kinds = t[ALIKE], t[GROUP], t[KINDS] + 1
    total = s[tops + t[FOUNDATIONS]] * REDEAL_FACTOR
    for f in range(t[FOUNDATIONS]):
        total = (total + t[alike + t[group + f] * kinds + s[tops + f] + 1]) & MASK
    return total & MASK


@compiled
def digest_after(t: Ints, s: Ints, m: Ints, row: int, move: int, end: int) -> int:
    """Return the digest after a move from tableau or waste that fills no emptied pile.

    Args:
        t: the tables.
        s: the positions.
        m: the memory.
        row: the row.
        move: the move.
        end: where the source's cards end in `s`.
    """
    source, target, count = move >> 17, move >> 7 & 1023, move & 127
    piles, kinds, random = t[COLUMNS] + 2, t[KINDS], t[RANDOM]
    sizes = row * t[WIDTH] + t[ROOM]
    hidden = sizes + piles
    hashes = t[HASHES] + row * piles
    ordered = 1 if t[STOCK_ROW] == 1 and s[sizes] > 0 else 0
    total = m[t[DIGESTS] + row]
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
        alike = t[ALIKE] + t[t[GROUP] + f] * (kinds + 1) + 1
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
    """Return a hash of what positions of a beam should differ in.

    That is the numbers of face-down cards, the foundations and the waste.
    """
    piles = t[COLUMNS] + 2
    hidden = row * t[WIDTH] + t[ROOM] + piles
    total = 0
    for pile in range(1, piles - 1):
        total = (total * 32 + s[hidden + pile]) & MASK
    total = mixed(total) + mixed(m[t[HASHES] + row * piles + piles - 1])
    return mixed((total + phase_of(t, s, m, row)) & MASK) | 1


# ---- Evaluation ----


@compiled
def count_foundations(t: Ints, s: Ints, m: Ints, row: int) -> None:
    """Fill `counts`: how far each foundation of cards is, and the extremes of each line."""
    counts = t[COUNTS]
    tops = row * t[WIDTH] + t[ROOM] + 2 * (t[COLUMNS] + 2)
    most = t[FOUNDATIONS]
    fewest = t[FOUNDATIONS] + t[LINES]
    for line in range(t[LINES]):
        m[counts + most + line] = 0
        m[counts + fewest + line] = 99
        m[t[LOWEST] + line] = 0
    for f in range(t[FOUNDATIONS]):
        top = s[tops + f]
        m[counts + f] = 0
        if top == NONE or t[t[HEADS] + t[t[GROUP] + f] * (t[KINDS] + 1)] == 1:
            continue
        line = t[t[LINE] + top]
        size = t[t[TURN] + top] + 1
        m[counts + f] = size
        m[t[LOWEST] + line] += 1
        m[counts + most + line] = max(m[counts + most + line], size)
        m[counts + fewest + line] = min(m[counts + fewest + line], size)
    for line in range(t[LINES]):
        if m[t[LOWEST] + line] < t[t[SLOTS] + line]:
            m[counts + fewest + line] = 0


@compiled
def find_times(t: Ints, s: Ints, m: Ints, row: int) -> None:
    """Compute for each kind when its cards are needed, in points: early is low.

    A card is needed in the order of its line, and not before the stock has brought the cards that
    go home before it: a first copy of each on the first foundation, the last on the last. To that
    the beam adds a delay.
    """
    times = t[TIMES]
    if t[TIMED] == 0:
        for kind in range(t[KINDS]):
            m[times + kind] = t[t[TURN] + kind] * t[W_TURN]
        return
    count_foundations(t, s, m, row)
    most = t[COUNTS] + t[FOUNDATIONS]
    fewest = most + t[LINES]
    drawn = deals_made(t, s, m, row)
    by_line, first_draw, last_draw = t[BY_LINE], t[FIRST_DRAW], t[LAST_DRAW]
    share, for_time, for_turn = t[W_FIRST_COPY], t[W_TIME], t[W_TURN]
    for line in range(t[LINES]):
        first = drawn
        last = drawn
        started = m[most + line]
        for turn in range(m[fewest + line], 13):
            kind = t[by_line + line * 13 + turn]
            if kind == NONE:
                continue
            last = max(last, t[last_draw + kind])
            time = last * SCALE
            if turn >= started:
                first = max(first, t[first_draw + kind])
                last = max(last, first)
                time = first * share + last * (SCALE - share)
            m[times + kind] = (time * for_time) // SCALE + turn * for_turn + t[DELAYS + kind]


@compiled
def deals_made(t: Ints, s: Ints, m: Ints, row: int) -> int:
    """Return the number of deals up to a position; all, once the waste was turned over."""
    base = row * t[WIDTH]
    if t[STOCK] == 0 or s[base + t[WIDTH] - 1] > 0:
        return int(t[DEALS])
    return int((t[STOCK] - s[base + t[ROOM]]) * t[DEALS] // t[STOCK])


@compiled
def points_of_column(t: Ints, s: Ints, m: Ints, row: int, pile: int, start: int) -> int:
    """Return the points of a tableau pile, whose cards begin at `start`."""
    sizes = row * t[WIDTH] + t[ROOM]
    size = int(s[sizes + pile])
    if size == 0:
        return int(t[W_SPACE])
    hidden = int(s[sizes + t[COLUMNS] + 2 + pile])
    lowest, lines, turns, times = t[LOWEST], t[LINE], t[TURN], t[TIMES]
    builds, kinds, orphans = t[BUILDS], t[KINDS], t[ORPHAN]
    joined, late_joined = t[W_JOINED], t[W_LATE_JOINED]
    broken, late, late_line = t[W_BROKEN], t[W_LATE], t[W_LATE_LINE]
    lateness, orphan_buried = t[W_LATENESS], t[W_ORPHAN_BURIED]
    for line in range(t[LINES]):
        m[lowest + line] = 99
    kind = int(s[start])
    earliest = m[times + kind]
    m[lowest + t[lines + kind]] = t[turns + kind]
    points = t[W_BASE] * t[turns + kind] - t[W_HIDDEN] * hidden
    if t[orphans + kind] == 1 and hidden == 0:
        points += t[W_ORPHAN_BASE]
    for k in range(1, size):
        below = kind
        kind = int(s[start + k])
        time = m[times + kind]
        turn = t[turns + kind]
        line = lowest + t[lines + kind]
        if k > hidden and t[builds + (below + 1) * kinds + kind] == 1:
            points += joined
            if time > earliest:
                points -= late_joined
        else:
            if k >= hidden:
                points -= broken
            if time > earliest:
                points -= late + lateness * min(time - earliest, SPAN * SCALE) // SCALE
            if turn > m[line]:
                points -= late_line
            points -= orphan_buried * t[orphans + kind]
        earliest = min(earliest, time)
        m[line] = min(m[line], turn)
    return int(points)


@compiled
def points_of_waste(t: Ints, s: Ints, m: Ints, row: int, start: int) -> int:
    """Return the points of the waste, whose cards begin at `start`."""
    size = int(s[row * t[WIDTH] + t[ROOM] + t[COLUMNS] + 1])
    lowest, lines, turns, times = t[LOWEST], t[LINE], t[TURN], t[TIMES]
    late, lateness, late_line = t[W_WASTE_LATE], t[W_WASTE_LATENESS], t[W_WASTE_LINE]
    for line in range(t[LINES]):
        m[lowest + line] = 99
    earliest = 1 << 40
    points = -t[W_WASTE_CARD] * size
    for k in range(start, start + size):
        kind = s[k]
        time = m[times + kind]
        turn = t[turns + kind]
        line = lowest + t[lines + kind]
        if time > earliest:
            points -= late + lateness * min(time - earliest, SPAN * SCALE) // SCALE
        if turn > m[line]:
            points -= late_line
        earliest = min(earliest, time)
        m[line] = min(m[line], turn)
    return int(points)


@compiled
def points_of(t: Ints, s: Ints, m: Ints, row: int, pile: int, start: int) -> int:
    """Return the points of a pile, from the cache if it has them.

    The same pile occurs in many positions. Its points depend on its cards and on the times, which
    the row's phase identifies.
    """
    waste = t[COLUMNS] + 1
    phase = m[t[PHASES] + row] ^ m[SALT]
    number = m[t[HASHES] + row * (waste + 1) + pile] ^ phase
    if pile == waste:
        number ^= WASTE_SALT
    hidden = s[row * t[WIDTH] + t[ROOM] + waste + 1 + pile]
    key = digest_of_pile(number, hidden, 0)
    at = t[CACHE] + 2 * (key & t[CACHE_MASK])
    if m[at] == key:
        return int(m[at + 1])
    if m[TIMES_OF] != phase:
        find_times(t, s, m, row)
        m[TIMES_OF] = phase
    if pile == waste:
        points = points_of_waste(t, s, m, row, start)
    else:
        points = points_of_column(t, s, m, row, pile, start)
    m[at] = key
    m[at + 1] = points
    return points


@compiled
def evaluate(t: Ints, s: Ints, m: Ints, row: int) -> int:
    """Compute the points of the piles that changed, and of the row.

    Returns:
        The number of cards on foundations.
    """
    waste = t[COLUMNS] + 1
    sizes = row * t[WIDTH] + t[ROOM]
    points, changed = t[POINTS] + row * (waste + 1), t[CHANGED]
    left = int(s[sizes])
    start = row * t[WIDTH] + left
    total = 0
    for pile in range(1, waste + 1):
        if m[changed + pile] == 1:
            m[points + pile] = points_of(t, s, m, row, pile, start)
        total += m[points + pile]
        size = s[sizes + pile]
        start += size
        left += size
    runs = 0
    if t[RUN_GROUPS] == 1:
        tops = sizes + 2 * (waste + 1)
        for f in range(t[FOUNDATIONS]):
            if t[t[HEADS] + t[t[GROUP] + f] * (t[KINDS] + 1)] == 1 and s[tops + f] != NONE:
                runs += 1
    home = t[TOTAL] - left
    m[t[KEYS] + row] = total + t[W_HOME] * (home - RUN * runs) + t[W_RUN_HOME] * runs
    return int(home)


@compiled
def find_phase(t: Ints, s: Ints, m: Ints, row: int) -> None:
    """Set the row's phase: what the times depend on, which all piles' points do."""
    phase = 0
    if t[TIMED] == 1:
        phase = mixed((phase_of(t, s, m, row) + deals_made(t, s, m, row) * PLACE_FACTOR) & MASK)
    if phase != m[t[PHASES] + row]:
        m[t[PHASES] + row] = phase
        for pile in range(t[COLUMNS] + 2):
            m[t[CHANGED] + pile] = 1


# ---- Generating positions ----


@compiled
def fitting(t: Ints, s: Ints, m: Ints, row: int, kind: int) -> int:
    """Return the first foundation that takes a card of this kind, or `NONE`."""
    tops = row * t[WIDTH] + t[ROOM] + 2 * (t[COLUMNS] + 2)
    for f in range(t[FOUNDATIONS]):
        top = s[tops + f]
        if t[t[HOMES] + (t[t[GROUP] + f] * (t[KINDS] + 1) + top + 1) * t[KINDS] + kind] == 1:
            return f
    return NONE


@compiled
def may_go_home(t: Ints, s: Ints, m: Ints, kind: int, how: int) -> bool:
    """Return whether a card that some foundation takes goes there by itself, in a regular game.

    `SAFELY`: every card that could be built on it is home, so that it serves no other card in the
    tableau; and each other card of its kind can go home at once as well, so that none of them needs
    its place there. No win is lost: take any line of moves, and leave out the moves of this card.
    What is left is still a line, since what the card covers is free sooner, and nothing needs the
    card below it.

    `LATER` and `EARLY` are heuristics: of two cards of a kind, the other may be the one that has
    to leave. `EARLY` lets also those be left that can go home themselves.
    """
    fewest = t[FOUNDATIONS] + t[LINES]
    turn = t[t[TURN] + kind]
    if how == SAFELY and m[t[COUNTS] + fewest + t[t[LINE] + kind]] < turn:
        return False
    if how != SAFELY and turn <= 1:
        return True
    slack = 1 if how == EARLY else 0
    for k in range(t[t[KIDS_AT] + kind], t[t[KIDS_AT] + kind + 1]):
        kid = t[t[KIDS] + k]
        if m[t[COUNTS] + fewest + t[t[LINE] + kid]] + slack <= t[t[TURN] + kid]:
            return False
    return True


@compiled
def send_home(t: Ints, s: Ints, m: Ints, row: int, how: int) -> None:
    """Let the cards go home that go there by themselves, and note their moves in `hand`.

    Only the piles that changed are looked at, as long as no foundation does.
    """
    piles = t[COLUMNS] + 2
    sizes = row * t[WIDTH] + t[ROOM]
    changed = t[CHANGED]
    all_piles = m[ALL_PILES] == 1
    counted = False
    again = True
    while again:
        again = False
        end = row * t[WIDTH] + int(s[sizes])
        for pile in range(1, piles):
            end += s[sizes + pile]
            if not (all_piles or m[changed + pile] == 1) or s[sizes + pile] == 0:
                continue
            if t[WASTE_HOME if pile == piles - 1 else COLUMN_HOME] == 0:
                continue
            kind = int(s[end - 1])
            f = fitting(t, s, m, row, kind)
            if f == NONE:
                continue
            if pile < piles - 1 or how == SAFELY:
                if not counted:
                    count_foundations(t, s, m, row)
                    counted = True
                if not may_go_home(t, s, m, kind, how):
                    continue
            play(t, s, m, row, encoded(pile, piles + f, 1))
            number = m[AUTOMATIC]
            m[t[HAND] + AUTOMATIC_AT + number] = encoded(pile, piles + f, 1)
            m[AUTOMATIC] = number + 1
            if pile == piles - 1:
                m[t[FRESH] + row] = 1
            again = True
            all_piles = True
            counted = False
            break


@compiled
def add_node(t: Ints, m: Ints, parent: int, move: int) -> int:
    """Add a node to the tree of moves and return it."""
    node = m[NODES]
    m[t[PARENT] + node] = parent
    m[t[MOVE] + node] = move
    m[NODES] = node + 1
    return int(node)


@compiled
def offer(t: Ints, s: Ints, m: Ints, row: int, move: int, end: int) -> bool:
    """Generate the position after a move, and keep it as a new row if it is new.

    Args:
        t: the tables.
        s: the positions.
        m: the memory.
        row: the row before the move.
        move: the move.
        end: where the source's cards end in `s`; not used for moves of the stock and the redeal.

    Returns:
        Whether it was kept.
    """
    source, target = move >> 17, move >> 7 & 1023
    m[STEPS] += 1
    new = m[ROWS]
    piles = t[COLUMNS] + 2
    fills = 0 < source < piles - 1 and t[FILLS] > 0
    dealing = is_deal(move)
    known = not dealing and not fills
    digest = 0
    if known:
        digest = digest_after(t, s, m, row, move, end)
        if not is_new(t, m, mixed(digest) | 1):
            return False
    copy_row(t, s, m, row, new)
    changed = t[CHANGED]
    for pile in range(piles):
        m[changed + pile] = 0
    play(t, s, m, new, move)
    if not known:
        digest = digest_of(t, s, m, new)
        if not is_new(t, m, mixed(digest) | 1):
            return False
    m[t[FRESH] + new] = 1 if source == piles - 1 or dealing else 0
    m[AUTOMATIC] = 0
    if t[P_HOME] != NEVER:
        m[ALL_PILES] = 1 if target >= piles else 0
        send_home(t, s, m, new, t[P_HOME])
        if m[AUTOMATIC] > 0:
            digest = digest_of(t, s, m, new)
            if not is_new(t, m, mixed(digest) | 1):
                return False
    m[t[DIGESTS] + new] = digest
    if t[TIMED] == 1 and (target >= piles or m[AUTOMATIC] > 0 or m[changed] == 1):
        find_phase(t, s, m, new)
    home = evaluate(t, s, m, new)
    node = add_node(t, m, m[t[NODE] + row], move)
    for k in range(m[AUTOMATIC]):
        node = add_node(t, m, node, m[t[HAND] + AUTOMATIC_AT + k])
    m[t[NODE] + new] = node
    m[ROWS] = new + 1
    if home > m[BEST]:
        m[BEST] = home
        m[BEST_NODE] = node
        if home == t[TOTAL]:
            m[WON_NODE] = node
    return True


@compiled
def offer_queued(t: Ints, s: Ints, m: Ints, row: int, move: int, end: int) -> None:
    """Offer a position; queue it to be expanded, unless the move is one of the stock."""
    if offer(t, s, m, row, move, end) and not is_deal(move):
        new = m[ROWS] - 1
        push(m, t[HEAP], m[QUEUED], entry_of(m[t[KEYS] + new], new))
        m[QUEUED] += 1


@compiled
def offer_home(t: Ints, s: Ints, m: Ints, row: int, source: int, kind: int, end: int) -> None:
    """Offer the moves of a top card to foundations that take it, one for each kind of top.

    Foundations of one group with equal tops are interchangeable.
    """
    tops = row * t[WIDTH] + t[ROOM] + 2 * (t[COLUMNS] + 2)
    group, homes, kinds = t[GROUP], t[HOMES], t[KINDS]
    for f in range(t[FOUNDATIONS]):
        top = s[tops + f]
        if t[homes + (t[group + f] * (kinds + 1) + top + 1) * kinds + kind] == 0:
            continue
        same = False
        for other in range(f):
            if t[group + other] == t[group + f] and s[tops + other] == top:
                same = True
        if not same:
            offer_queued(t, s, m, row, encoded(source, t[COLUMNS] + 2 + f, 1), end)


@compiled
def offer_spread(t: Ints, s: Ints, m: Ints, row: int, source: int, kind: int, end: int) -> None:
    """Offer the moves of the top card of stock or waste to tableau piles."""
    base = row * t[WIDTH]
    sizes = base + t[ROOM]
    top_at = base + int(s[sizes])
    ordered = t[STOCK_ROW] == 1 and s[sizes] > 0
    tried = False
    for column in range(1, t[COLUMNS] + 1):
        top_at += s[sizes + column]
        at = t[BUILDS]
        if s[sizes + column] > 0:
            at += (s[top_at - 1] + 1) * t[KINDS]
        elif tried and not ordered:
            continue
        else:
            tried = True
        if t[at + kind] == 1:
            offer_queued(t, s, m, row, encoded(source, column, 1), end)


@compiled
def look_over(t: Ints, s: Ints, m: Ints, row: int) -> int:
    """Note where stock and tableau piles end and, as sets of bits, which kinds go on each pile.

    Returns:
        The kinds that go to foundations, as a set of bits.
    """
    accepts, accepted, ends = t[ACCEPTS], t[ACCEPTED], t[ENDS]
    sizes = row * t[WIDTH] + t[ROOM]
    end = row * t[WIDTH] + int(s[sizes])
    m[ends] = end
    for pile in range(1, t[COLUMNS] + 1):
        size = int(s[sizes + pile])
        end += size
        m[ends + pile] = end
        m[accepted + pile] = t[accepts + (s[end - 1] + 1 if size > 0 else 0)]
    tops = sizes + 2 * (t[COLUMNS] + 2)
    takes, group, kinds = t[TAKES], t[GROUP], t[KINDS] + 1
    home = 0
    for f in range(t[FOUNDATIONS]):
        home |= t[takes + t[group + f] * kinds + s[tops + f] + 1]
    return home


@compiled
def run_at(t: Ints, s: Ints, end: int, most: int) -> int:
    """Return how many of the cards before `end`, at most so many, are a run."""
    accepts = t[ACCEPTS]
    run = 1
    while run < most and t[accepts + s[end - run - 1] + 1] >> s[end - run] & 1 == 1:
        run += 1
    return run


@compiled
def expand(t: Ints, s: Ints, m: Ints, row: int) -> None:
    """Offer all positions that a move leads to, except those of the stock and of the redeal."""
    columns = t[COLUMNS]
    piles = columns + 2
    base = row * t[WIDTH]
    sizes = base + t[ROOM]
    waste = columns + 1
    ends, accepted = t[ENDS], t[ACCEPTED]
    ordered = t[STOCK_ROW] == 1 and s[sizes] > 0
    home = look_over(t, s, m, row)
    spaces = 0
    space = 0
    wanted = 0
    for pile in range(columns, 0, -1):
        wanted |= m[accepted + pile]
        if s[sizes + pile] == 0:
            spaces += 1
            space = pile
    # What empty piles carry at once can as well be moved card by card.
    carried = 1 if t[P_SINGLE] == 1 else 1 << spaces
    longest = RUN if t[RUN_GROUPS] == 1 else 1
    if t[RUNS] == WHOLE:
        longest = t[ROOM]
    elif t[RUNS] == BY_SPACES:
        longest = max(longest, carried)
    for pile in range(1, columns + 1):
        size = int(s[sizes + pile])
        if size == 0:
            continue
        end = m[ends + pile]
        kind = int(s[end - 1])
        run = run_at(t, s, end, min(longest, size - int(s[sizes + piles + pile])))
        if t[COLUMN_HOME] == 1:
            if home >> kind & 1 == 1:
                offer_home(t, s, m, row, pile, kind, end)
            if run >= RUN:
                offer_run(t, s, m, row, pile, end)
        if t[COLUMN_SPREAD] == 0:
            continue
        most = run
        if t[RUNS] == SINGLE:
            most = 1
        elif t[RUNS] == BY_SPACES:
            most = min(run, carried)
        movable = 0
        for count in range(1, most + 1):
            movable |= 1 << s[end - count]
        if movable & wanted == 0:
            continue
        for column in range(1, columns + 1):
            fits = m[accepted + column] & movable
            if fits == 0 or column == pile:
                continue
            height = int(s[sizes + column])
            # Without rows to come, all empty piles are alike, and moving a whole pile to one
            # changes nothing.
            if height == 0 and not ordered and column != space:
                continue
            highest = 1 if height == 0 and t[RUNS] == BY_SPACES else most
            for count in range(1, highest + 1):
                if (
                    height == 0
                    and count == size
                    and (not ordered or t[P_WHOLE] == 0)
                    and t[FILLS] == 0
                ):
                    continue
                if fits >> s[end - count] & 1 == 1:
                    offer_queued(t, s, m, row, encoded(pile, column, count), end)
    if s[sizes + waste] > 0:
        end = m[ends + columns] + int(s[sizes + waste])
        kind = int(s[end - 1])
        if t[WASTE_HOME] == 1 and home >> kind & 1 == 1:
            offer_home(t, s, m, row, waste, kind, end)
        if t[WASTE_SPREAD] == 1 and wanted >> kind & 1 == 1:
            offer_spread(t, s, m, row, waste, kind, end)


@compiled
def offer_run(t: Ints, s: Ints, m: Ints, row: int, pile: int, end: int) -> None:
    """Offer the move of a run of full length to an empty foundation that takes runs."""
    piles = t[COLUMNS] + 2
    tops = row * t[WIDTH] + t[ROOM] + 2 * piles
    head = int(s[end - RUN])
    tried = NONE
    for f in range(t[FOUNDATIONS]):
        group = t[t[GROUP] + f]
        if (
            s[tops + f] == NONE
            and group != tried
            and t[t[HEADS] + group * (t[KINDS] + 1) + head + 1] == 1
        ):
            offer_queued(t, s, m, row, encoded(pile, piles + f, RUN), end)
            tried = group


@compiled
def deal(t: Ints, s: Ints, m: Ints, row: int) -> None:
    """Offer the positions that the stock's moves lead to, or turning the waste over."""
    piles = t[COLUMNS] + 2
    base = row * t[WIDTH]
    sizes = base + t[ROOM]
    waste = t[COLUMNS] + 1
    size = int(s[sizes])
    if size == 0:
        if s[base + t[WIDTH] - 1] < t[REDEALS] and s[sizes + waste] > 0:
            offer(t, s, m, row, encoded(waste, 0, 1), base)
        return
    kind = int(s[base + size - 1])
    source = row - row
    if t[STOCK_WASTE] == 1:
        offer(t, s, m, row, encoded(0, waste, 1), base)
    if t[STOCK_ROW] == 1:
        offer(t, s, m, row, encoded(0, piles + t[FOUNDATIONS], 1), base)
    if t[STOCK_SPREAD] == 1:
        offer_spread(t, s, m, row, source, kind, base)
    if t[STOCK_HOME] == FITTING:
        offer_home(t, s, m, row, source, kind, base)
    tops = sizes + 2 * piles
    for f in range(t[FOUNDATIONS]):
        at = (t[t[GROUP] + f] * (t[KINDS] + 1) + s[tops + f] + 1) * t[KINDS]
        starts = t[STOCK_HOME] == STARTING and s[tops + f] == NONE and t[t[HOMES] + at + kind] == 1
        if starts or t[STOCK_HOME] == ANYWHERE:
            offer(t, s, m, row, encoded(0, piles + f, 1), base)


@compiled
def can_deal(t: Ints, s: Ints, m: Ints, row: int) -> bool:
    """Return whether the stock has cards, or the waste can be turned over."""
    base = row * t[WIDTH]
    sizes = base + t[ROOM]
    if s[sizes] > 0:
        return True
    return s[base + t[WIDTH] - 1] < t[REDEALS] and s[sizes + t[COLUMNS] + 1] > 0


# ---- The beam ----


@compiled
def select(t: Ints, s: Ints, m: Ints, first: int) -> None:
    """Keep the best rows from `first` on, as many as the beam is wide, and move them to the front.

    No more than a share of the width may have the same signature; if that leaves room, the best of
    the others take it.
    """
    heap, capped, chosen = t[HEAP], t[CAPPED], t[MARKS]
    rows = m[ROWS]
    queued = rows - first
    for row in range(first, rows):
        push(m, heap, row - first, entry_of(m[t[KEYS] + row], row))
    if queued > t[P_WIDTH]:
        m[CUT] = 1
    mask = t[CAPPED_MASK]
    size = queued
    number = 0
    passed = 0
    entries = 0
    while size > 0 and number < t[P_WIDTH]:
        entry = pop(m, heap, size)
        size -= 1
        key = signature_of(t, s, m, row_of(entry))
        at = key & mask
        while m[capped + at] != 0 and m[capped + at] != key:
            at = (at + 1) & mask
        if m[capped + at] == 0:
            m[capped + at] = key
            m[t[KEPT] + at] = 0
            m[t[FILLED] + entries] = at
            entries += 1
        if m[t[KEPT] + at] < t[P_CAP]:
            m[t[KEPT] + at] += 1
            m[chosen + number] = row_of(entry)
            number += 1
        else:
            # The end of the heap's array is free by now, and keeps those that were passed over.
            passed += 1
            m[heap + queued - passed] = entry
    for k in range(entries):
        m[capped + m[t[FILLED] + k]] = 0
    k = 1
    while k <= passed and number < t[P_WIDTH]:
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
    m[ROWS] = number


@compiled
def drop_nodes(t: Ints, m: Ints) -> None:
    """Keep only the nodes that lead to a row or to the best position so far."""
    marks = t[MARKS]
    nodes = m[NODES]
    for node in range(nodes):
        m[marks + node] = 0
    for row in range(m[ROWS]):
        m[marks + m[t[NODE] + row]] = 1
    m[marks + m[BEST_NODE]] = 1
    for node in range(nodes - 1, 0, -1):
        if m[marks + node] == 1:
            m[marks + m[t[PARENT] + node]] = 1
    m[marks] = 0
    number = 1
    for node in range(1, nodes):
        if m[marks + node] == 1:
            m[t[PARENT] + number] = m[marks + m[t[PARENT] + node]]
            m[t[MOVE] + number] = m[t[MOVE] + node]
            m[marks + node] = number
            number += 1
    for row in range(m[ROWS]):
        m[t[NODE] + row] = m[marks + m[t[NODE] + row]]
    m[BEST_NODE] = m[marks + m[BEST_NODE]]
    m[NODES] = number


@compiled
def has_room(t: Ints, s: Ints, m: Ints) -> bool:
    """Return whether the memory has room for the positions after one more.

    Positions are entered that are not kept, and some twice, with and without what goes home.
    """
    rows = 64 * (t[COLUMNS] + 1)
    return (
        m[ROWS] + rows < t[MOST_ROWS]
        and m[NODES] + rows + t[TOTAL] < t[MOST_NODES]
        and m[ENTERED] + 2 * rows < t[CAPPED_MASK]
    )


@compiled
def explore(t: Ints, s: Ints, m: Ints) -> bool:
    """Expand the best rows and what they lead to, without the stock's moves, as far as allowed.

    Returns:
        Whether some row has moves of the stock.
    """
    m[QUEUED] = 0
    forget_seen(t, m)
    dealing = False
    for row in range(m[ROWS]):
        if is_new(t, m, mixed(m[t[DIGESTS] + row]) | 1):
            push(m, t[HEAP], m[QUEUED], entry_of(m[t[KEYS] + row], row))
            m[QUEUED] += 1
            if can_deal(t, s, m, row):
                dealing = True
    limit = t[P_WIDTH] * (t[P_EFFORT] if dealing else t[P_LAST]) // SCALE
    done = 0
    while (
        m[QUEUED] > 0
        and done < limit
        and m[STEPS] < m[BUDGET]
        and has_room(t, s, m)
        and m[WON_NODE] == NONE
    ):
        entry = pop(m, t[HEAP], m[QUEUED])
        m[QUEUED] -= 1
        expand(t, s, m, row_of(entry))
        done += 1
    if m[QUEUED] > 0:
        m[CUT] = 1
    return dealing


@compiled
def deal_all(t: Ints, s: Ints, m: Ints) -> None:
    """Generate the positions after the next deal, those after the best rows first.

    Where the stock's cards go to the waste and nothing else takes them, a deal commutes with all
    moves that do not take the waste's top card. So it is enough to deal where such a move was the
    last, or where none was made since the last deal: the others can be made after the deal.
    """
    heap, order = t[HEAP], t[MARKS]
    number = 0
    for row in range(m[ROWS]):
        if t[DEFERS] == 0 or m[t[FRESH] + row] == 1:
            push(m, heap, number, entry_of(m[t[KEYS] + row], row))
            number += 1
    queued = number
    if number > t[P_WIDTH] * t[P_DEALT]:
        number = t[P_WIDTH] * t[P_DEALT]
        m[CUT] = 1
    for k in range(number):
        m[order + k] = row_of(pop(m, heap, queued - k))
    for k in range(number):
        if not has_room(t, s, m) or m[WON_NODE] != NONE:
            m[CUT] = 1
            break
        deal(t, s, m, m[order + k])


@compiled
def begin(t: Ints, s: Ints, m: Ints) -> None:
    """Make the position in row 0 the only one, and compute what is kept of it."""
    m[ROWS] = 1
    m[NODES] = 1
    row = m[ROWS] - 1
    m[WON_NODE] = NONE
    m[CUT] = 0
    m[BEST_NODE] = 0
    m[t[NODE]] = 0
    m[t[FRESH]] = 1
    m[SEEN_MASK] = FIRST_MASK
    m[SALT] = mixed((m[SALT] + PLACE_FACTOR) & MASK)
    m[TIMES_OF] = NONE
    hash_piles(t, s, m)
    m[t[PHASES]] = NONE
    m[AUTOMATIC] = 0
    find_phase(t, s, m, row)
    m[BEST] = evaluate(t, s, m, row)
    m[t[DIGESTS]] = digest_of(t, s, m, row)


@compiled
def search(t: Ints, s: Ints, m: Ints) -> None:
    """Search from the position in row 0, until it is won, nothing is left or the budget is used.

    It sets `WON_NODE`, or leaves `NONE`; `BEST` and `BEST_NODE`; `CUT`, to 1 if positions were left
    out for want of width; and it adds to `STEPS`.
    """
    begin(t, s, m)
    while m[ROWS] > 0:
        dealing = explore(t, s, m)
        if m[WON_NODE] != NONE or not dealing:
            break
        if m[STEPS] >= m[BUDGET]:
            m[CUT] = 1
            break
        first = m[ROWS]
        deal_all(t, s, m)
        if m[WON_NODE] != NONE:
            break
        select(t, s, m, first)
        drop_nodes(t, m)
    forget_seen(t, m)


@compiled
def hash_piles(t: Ints, s: Ints, m: Ints) -> None:
    """Compute the hashes of the piles of row 0."""
    at = 0
    for pile in range(t[COLUMNS] + 2):
        mixture = 0
        for place in range(s[t[ROOM] + pile]):
            mixture ^= t[t[RANDOM] + place * t[KINDS] + s[at]]
            at += 1
        m[t[HASHES] + pile] = mixture
