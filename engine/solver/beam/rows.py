"""Moves on rows."""

from __future__ import annotations

from engine.solver.beam import indices as idx
from engine.solver.beam.indices import Ints
from engine.solver.compiled import compiled


@compiled
def encoded(source: int, target: int, count: int) -> int:
    """Return a move as one number.

    The target is the number of a pile, `columns + 2 + f` for foundation f, or the next number for a
    row.
    """
    return source << 17 | target << 7 | count


@compiled
def is_deal(move: int) -> bool:
    """Return whether a move deals from the stock or turns the waste over."""
    return move >> 17 == 0 or move >> 7 & 1023 == 0


@compiled
def record_of(t: Ints, row: int) -> int:
    """Return the offset of a row's record in `m`."""
    return int(t[idx.RECORDS] + row * t[idx.RECORD])


@compiled
def is_ordered(t: Ints, s: Ints, row: int) -> bool:
    """Return whether the order of tableau piles matters, because rows may be dealt."""
    base = row * t[idx.WIDTH]
    to_come = s[base + t[idx.ROOM]] > 0 or s[base + t[idx.WIDTH] - 1] < t[idx.REDEALS]
    return bool(t[idx.STOCK_ROW] == 1 and to_come)


@compiled
def copy_row(t: Ints, s: Ints, m: Ints, row: int, to: int) -> None:
    """Copy a position and its record."""
    width = t[idx.WIDTH]
    source, target = row * width, to * width
    for k in range(width):
        s[target + k] = s[source + k]
    source, target = record_of(t, row), record_of(t, to)
    for k in range(t[idx.RECORD]):
        m[target + k] = m[source + k]


@compiled
def shift(t: Ints, s: Ints, m: Ints, row: int, move: int) -> None:
    """Move cards from pile to pile, or remove them if the target is a foundation."""
    source, target, count = move >> 17, move >> 7 & 1023, move & 127
    piles = t[idx.COLUMNS] + 2
    hand = t[idx.HAND]
    base = row * t[idx.WIDTH]
    sizes = base + t[idx.ROOM]
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
    hashes = record_of(t, row) + idx.PILE_HASHES
    place = s[sizes + source] - count
    mixture = 0
    for k in range(count):
        m[hand + k] = s[first + k]
        mixture ^= t[t[idx.RANDOM] + (place + k) * t[idx.KINDS] + m[hand + k]]
    m[hashes + source] ^= mixture
    s[sizes + source] -= count
    m[t[idx.CHANGED] + source] = 1
    if target >= piles:
        for k in range(source_end, end):
            s[k - count] = s[k]
        return
    place = s[sizes + target]
    mixture = 0
    for k in range(count):
        mixture ^= t[t[idx.RANDOM] + (place + k) * t[idx.KINDS] + m[hand + k]]
    m[hashes + target] ^= mixture
    s[sizes + target] += count
    m[t[idx.CHANGED] + target] = 1
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
    """Turn the waste over into a new stock."""
    base = row * t[idx.WIDTH]
    sizes = base + t[idx.ROOM]
    waste = t[idx.COLUMNS] + 1
    size = int(s[sizes + waste])
    shift(t, s, m, row, encoded(waste, 0, size))
    mixture = 0
    for k in range(size):
        s[base + k] = m[t[idx.HAND] + size - 1 - k]
        mixture ^= t[t[idx.RANDOM] + k * t[idx.KINDS] + m[t[idx.HAND] + size - 1 - k]]
    m[record_of(t, row) + idx.PILE_HASHES] = mixture
    s[base + t[idx.WIDTH] - 1] += 1


@compiled
def tidy(t: Ints, s: Ints, m: Ints, row: int, pile: int) -> None:
    """Turn up the last card of a tableau pile that lost cards, or fill the pile if empty."""
    sizes = row * t[idx.WIDTH] + t[idx.ROOM]
    size = s[sizes + pile]
    hidden = sizes + t[idx.COLUMNS] + 2 + pile
    if size > 0:
        if s[hidden] >= size:
            s[hidden] = size - 1
            m[t[idx.CHANGED] + pile] = 1
        return
    for k in range(t[idx.FILLS]):
        place = t[t[idx.FILL] + k]
        if s[sizes + place] > 0:
            shift(t, s, m, row, encoded(place, pile, 1))
            return


@compiled
def deal_row(t: Ints, s: Ints, m: Ints, row: int) -> None:
    """Deal a card to each tableau pile from left to right while the stock lasts."""
    base = row * t[idx.WIDTH]
    sizes = base + t[idx.ROOM]
    hand, kinds, random = t[idx.HAND], t[idx.KINDS], t[idx.RANDOM]
    hashes = record_of(t, row) + idx.PILE_HASHES
    stock = int(s[sizes])
    number = min(stock, t[idx.COLUMNS])
    for k in range(number):
        stock -= 1
        m[hand + k] = s[base + stock]
        m[hashes] ^= t[random + stock * kinds + m[hand + k]]
    s[sizes] = stock
    m[t[idx.CHANGED]] = 1
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
        m[t[idx.CHANGED] + pile] = 1


@compiled
def run_at(t: Ints, s: Ints, end: int, most: int) -> int:
    """Return the length of the run before `end`, at most `most`."""
    carries = t[idx.CARRIES]
    run = 1
    while run < most and t[carries + s[end - run - 1] + 1] >> s[end - run] & 1 == 1:
        run += 1
    return run


@compiled
def send_runs(t: Ints, s: Ints, m: Ints, row: int) -> None:
    """Send complete runs to foundations that collect them, and set `SENT` to 1 if one goes."""
    piles = t[idx.COLUMNS] + 2
    base = row * t[idx.WIDTH]
    sizes = base + t[idx.ROOM]
    tops = sizes + 2 * piles
    for pile in range(1, t[idx.COLUMNS] + 1):
        up = int(s[sizes + pile]) - int(s[sizes + piles + pile])
        if up < idx.RUN:
            continue
        # The filling may come from either side, so ends are recomputed.
        end = base
        for before in range(pile + 1):
            end += s[sizes + before]
        if run_at(t, s, end, idx.RUN) < idx.RUN:
            continue
        head = int(s[end - idx.RUN])
        for f in range(t[idx.FOUNDATIONS]):
            heads = t[idx.HEADS] + t[t[idx.GROUP] + f] * (t[idx.KINDS] + 1)
            if s[tops + f] == idx.NONE and t[heads + head + 1] == 1:
                s[tops + f] = s[end - 1]
                shift(t, s, m, row, encoded(pile, piles + f, idx.RUN))
                tidy(t, s, m, row, pile)
                m[idx.SENT] = 1
                break


@compiled
def play(t: Ints, s: Ints, m: Ints, row: int, move: int) -> None:
    """Play a legal move on a row."""
    source, target, count = move >> 17, move >> 7 & 1023, move & 127
    piles = t[idx.COLUMNS] + 2
    if target == piles + t[idx.FOUNDATIONS]:
        deal_row(t, s, m, row)
        if t[idx.AUTOMATIC_RUNS] == 1:
            send_runs(t, s, m, row)
        return
    if target == 0:
        turn_over(t, s, m, row)
        return
    shift(t, s, m, row, move)
    if target >= piles:
        s[row * t[idx.WIDTH] + t[idx.ROOM] + 2 * piles + target - piles] = m[
            t[idx.HAND] + count - 1
        ]
    if 0 < source <= t[idx.COLUMNS]:
        tidy(t, s, m, row, source)
    if t[idx.AUTOMATIC_RUNS] == 1:
        send_runs(t, s, m, row)


@compiled
def hash_piles(t: Ints, s: Ints, m: Ints) -> None:
    """Compute the hashes of the piles of row 0."""
    at = 0
    for pile in range(t[idx.COLUMNS] + 2):
        mixture = 0
        for place in range(s[t[idx.ROOM] + pile]):
            mixture ^= t[t[idx.RANDOM] + place * t[idx.KINDS] + s[at]]
            at += 1
        m[t[idx.RECORDS] + idx.PILE_HASHES + pile] = mixture
