"""The search: depth-first, with a table of all positions seen."""

from __future__ import annotations

from engine.solver.beam.hashes import mixed
from engine.solver.clearing import indices as idx
from engine.solver.clearing.indices import Ints
from engine.solver.compiled import compiled


@compiled
def count(cards: int) -> int:
    """Return the number of cards of a set."""
    found = cards - cards
    while cards != 0:
        cards &= cards - 1
        found += 1
    return int(found)


@compiled
def lowest(cards: int) -> int:
    """Return the card with the lowest number of a set that is not empty."""
    found = cards - cards
    while cards & 255 == 0:
        cards >>= 8
        found += 8
    while cards & 1 == 0:
        cards >>= 1
        found += 1
    return int(found)


@compiled
def top_of_waste(t: Ints, m: Ints, frame: int) -> int:
    """Return the set of the waste's top card; 0 if it is empty."""
    places = t[idx.PLACES]
    dealt = ((1 << m[frame + idx.FIRST]) - 1) << places & m[frame + idx.ALIVE]
    found = dealt
    while dealt != 0:
        found = dealt
        dealt &= dealt - 1
    return int(found)


@compiled
def available(t: Ints, m: Ints, frame: int) -> int:
    """Return the set of cards that can go home, alone or with another."""
    alive = m[frame + idx.ALIVE]
    left = alive & t[idx.PEAKS]
    found = left - left
    while left != 0:
        place = lowest(left)
        left &= left - 1
        if t[idx.ACROSS + place] & alive == 0:
            found |= 1 << place
    return int(found)


@compiled
def add(m: Ints, frame: int, move: int) -> None:
    """Add a move to a frame; the last one added is tried first."""
    m[frame + idx.MOVES + m[frame + idx.LEFT]] = move
    m[frame + idx.LEFT] += 1


@compiled
def list_builds(t: Ints, m: Ints, frame: int) -> None:
    """List the moves of a game in which single cards go home."""
    if m[frame + idx.SECOND] > 0:
        add(m, frame, idx.DEAL)
    free = available(t, m, frame)
    takes = t[idx.TAKES + m[frame + idx.FIRST]]
    while free != 0:
        place = lowest(free)
        free &= free - 1
        if takes >> t[idx.KINDS + place] & 1 == 1:
            add(m, frame, place)


@compiled
def list_pairs(t: Ints, m: Ints, frame: int) -> None:
    """List the moves of a game of pairs: a single one if it loses nothing."""
    alive = m[frame + idx.ALIVE]
    open_ = available(t, m, frame)
    top = top_of_waste(t, m, frame)
    free = open_ | top
    # Taking a card out of the waste changes which cards come up, unless they all do.
    safe = free if t[idx.TURNS] == 1 else open_
    alone = free & t[idx.ALONE]
    if alone & safe != 0:
        add(m, frame, lowest(alone & safe) | idx.NO_PARTNER << 6)
        return
    # A card of the peaks with only one partner left must go with it in any case.
    left = open_
    while left != 0:
        card = lowest(left)
        left &= left - 1
        partners = t[idx.PARTNERS + card] & alive
        if partners & safe == partners and partners & (partners - 1) == 0:
            add(m, frame, card | lowest(partners) << 6)
            return
    dealt = ((1 << m[frame + idx.FIRST]) - 1) << t[idx.PLACES]
    waiting = alive & ~t[idx.PEAKS] & ~dealt
    if waiting != 0:
        add(m, frame, idx.DEAL)
    elif top != 0 and (t[idx.ENDLESS] == 1 or m[frame + idx.SECOND] > 0):
        add(m, frame, idx.REDEAL)
    if alone != 0:
        add(m, frame, lowest(alone) | idx.NO_PARTNER << 6)
    left = free
    while left != 0:
        card = lowest(left)
        left &= left - 1
        partners = t[idx.PARTNERS + card] & left
        while partners != 0:
            add(m, frame, card | lowest(partners) << 6)
            partners &= partners - 1


@compiled
def is_hopeless(t: Ints, alive: int) -> bool:
    """Return whether a card that must go home has lost all partners."""
    left = alive & t[idx.GOAL] & ~t[idx.ALONE]
    while left != 0:
        if t[idx.PARTNERS + lowest(left)] & alive == 0:
            return True
        left &= left - 1
    return False


@compiled
def is_new(t: Ints, m: Ints, frame: int) -> bool:
    """Add a frame's position to the table, and return whether it is new."""
    bits = t[idx.CARDS]
    key = m[frame + idx.ALIVE] | m[frame + idx.FIRST] << bits | m[frame + idx.SECOND] << bits + 6
    mask = t[idx.MASK]
    seen = idx.FRAMES + idx.FRAME * (t[idx.DEEPEST] + 2)
    at = mixed(key) & mask
    while m[seen + at] != 0:
        if m[seen + at] == key:
            return False
        at = (at + 1) & mask
    m[seen + at] = key
    m[idx.ENTERED] += 1
    return True


@compiled
def play(t: Ints, m: Ints, frame: int, move: int) -> None:
    """Write the position after a move into the next frame."""
    after = frame + idx.FRAME
    alive, first, second = m[frame + idx.ALIVE], m[frame + idx.FIRST], m[frame + idx.SECOND]
    if move == idx.REDEAL:
        first = 0
        second -= 1 - t[idx.ENDLESS]
    elif move == idx.DEAL and t[idx.PAIRS] == 1:
        for _ in range(t[idx.TURNS]):
            waiting = alive >> (t[idx.PLACES] + first)
            if waiting != 0:
                first += lowest(waiting) + 1
    elif move == idx.DEAL:
        first = t[idx.STOCK + second]
        second -= 1
    else:
        card, partner = move & 63, move >> 6
        alive ^= 1 << card
        if t[idx.PAIRS] == 0:
            first = t[idx.KINDS + card]
        else:
            if partner != idx.NO_PARTNER:
                alive ^= 1 << partner
            # Cards that are home were as good as never dealt.
            while first > 0 and alive >> (t[idx.PLACES] + first - 1) & 1 == 0:
                first -= 1
    m[after + idx.ALIVE] = alive
    m[after + idx.FIRST] = first
    m[after + idx.SECOND] = second
    m[after + idx.LEFT] = 0
    m[after + idx.PLAYED] = move


@compiled
def keep_best(t: Ints, m: Ints, frame: int) -> None:
    """Note the current line if it wins, or no other brought more cards home."""
    home = t[idx.CARDS] - count(m[frame + idx.ALIVE])
    if home > m[idx.BEST] or m[idx.WON] == 1:
        m[idx.BEST] = home
        m[idx.BEST_DEPTH] = m[idx.DEPTH]
        best = idx.FRAMES + idx.FRAME * (t[idx.DEEPEST] + 2) + t[idx.MASK] + 1
        for k in range(1, m[idx.DEPTH] + 1):
            m[best + k - 1] = m[idx.FRAMES + k * idx.FRAME + idx.PLAYED]


@compiled
def search_depth_first(t: Ints, m: Ints) -> None:
    """Search from the first frame until a win, or until positions or memory run out.

    It sets `WON` to 1 after a win, and `CUT` to 1 if positions were discarded. The best line is
    behind the table of positions.
    """
    frame = m[idx.DEPTH] * idx.FRAME + idx.FRAMES
    if t[idx.PAIRS] == 1 and is_hopeless(t, m[frame + idx.ALIVE]):
        return
    is_new(t, m, frame)
    while True:
        if t[idx.PAIRS] == 1:
            list_pairs(t, m, frame)
        else:
            list_builds(t, m, frame)
        # Go to the next position that is new and not hopeless.
        while True:
            while m[frame + idx.LEFT] == 0:
                if m[idx.DEPTH] == 0:
                    return
                m[idx.DEPTH] -= 1
                frame -= idx.FRAME
            if m[idx.STEPS] >= t[idx.STEPS_LIMIT] or 8 * m[idx.ENTERED] > 7 * t[idx.MASK]:
                m[idx.CUT] = 1
                return
            m[idx.STEPS] += 1
            m[frame + idx.LEFT] -= 1
            move = m[frame + idx.MOVES + m[frame + idx.LEFT]]
            play(t, m, frame, move)
            after = frame + idx.FRAME
            alive = m[after + idx.ALIVE]
            m[idx.DEPTH] += 1
            if alive != m[frame + idx.ALIVE]:
                m[idx.WON] = int(alive & t[idx.GOAL] == 0)
                keep_best(t, m, after)
                if m[idx.WON] == 1:
                    return
            hopeless = t[idx.PAIRS] == 1 and move < idx.DEAL and is_hopeless(t, alive)
            if not hopeless and is_new(t, m, after):
                if m[idx.DEPTH] < t[idx.DEEPEST]:
                    frame = after
                    break
                m[idx.CUT] = 1
            m[idx.DEPTH] -= 1
