"""The moves of tableau piles and of single cards."""

from __future__ import annotations

from engine.solver.compiled import compiled
from engine.solver.graph import indices as idx
from engine.solver.graph.indices import Ints
from engine.solver.graph.play import encoded


@compiled
def add(t: Ints, m: Ints, move: int, score: int) -> None:
    """Append a move with its score to the list."""
    end = t[idx.LIST] + m[idx.LISTED]
    m[idx.LISTED] += 1
    m[end] = move | score << 40


@compiled
def add_home(t: Ints, m: Ints, source: int, card: int, bits: int) -> None:
    """Append the moves of a card to foundations, one per kind of top card."""
    for f in range(t[idx.FOUNDATIONS]):
        top = m[idx.TOPS + f]
        at = t[idx.HOMES] + t[t[idx.GROUP] + f] * 53
        if t[at + top + 1] >> card & 1 == 0:
            continue
        same = False
        for other in range(f):
            if t[t[idx.GROUP] + other] == t[t[idx.GROUP] + f] and m[idx.TOPS + other] == top:
                same = True
        if not same:
            add(t, m, encoded(source, idx.HOME + f, 1) | bits, 900)


@compiled
def add_spread(t: Ints, m: Ints, source: int, card: int, bits: int, score: int) -> None:
    """Append the moves of one card to tableau piles."""
    tried = False
    m[idx.WANTED] |= t[t[idx.PARENTS] + card]
    m[idx.OFFERED] |= 1 << card
    for pile in range(t[idx.COLUMNS]):
        size = m[idx.SIZE + pile]
        if size == 0:
            if not tried and t[t[idx.BUILDS]] >> card & 1 == 1:
                add(t, m, encoded(source, pile, 1) | bits, score - 200)
            tried = True
            continue
        top = m[idx.CARDS + pile * idx.STRIDE + size - 1]
        if pile != source and t[t[idx.BUILDS] + top + 1] >> card & 1 == 1:
            add(t, m, encoded(source, pile, 1) | bits, score)


@compiled
def add_cell(t: Ints, m: Ints, source: int, bits: int) -> None:
    """Append the move of one card to the first free cell."""
    for pile in range(t[idx.COLUMNS], t[idx.COLUMNS] + t[idx.CELLS]):
        if m[idx.SIZE + pile] == 0:
            add(t, m, encoded(source, pile, 1) | bits, 100)
            return


@compiled
def add_column(t: Ints, m: Ints, pile: int, spaces: int, space: int, free: int) -> None:
    """Append the moves of a tableau pile.

    `spaces` is the number of empty tableau piles, `space` the first of them, or `NONE`, and `free`
    the number of empty cells.
    """
    size = m[idx.SIZE + pile]
    hidden = m[idx.HIDDEN + pile]
    end = idx.CARDS + pile * idx.STRIDE + size
    card = m[end - 1]
    if t[idx.COLUMN_HOME] == 1 and m[idx.NEXT] >> card & 1 == 1:
        add_home(t, m, pile, card, card - card)
    if t[idx.COLUMN_SPREAD] == 1:
        by = t[idx.MOVES_BY]
        most = size - hidden
        onto = most
        onto_space = most
        if by == idx.SINGLE:
            most = min(most, 1)
        elif by != idx.ANY:
            run = 1
            while run < most and t[t[idx.RUNS] + m[end - run - 1] + 1] >> m[end - run] & 1 == 1:
                run += 1
            most = run
            if by == idx.BY_SPACES:
                onto, onto_space = 1 << spaces, 1
            elif by == idx.BY_PLACES:
                onto = (free + 1) << spaces
                onto_space = (free + 1) << max(spaces - 1, 0)
        builds = t[idx.BUILDS]
        movable = card - card
        for count in range(1, most + 1):
            movable |= 1 << m[end - count]
            if (
                t[idx.WHOLE_RUNS] == 0
                or count == most
                or m[idx.NEXT] >> m[end - count - 1] & 1 == 1
            ):
                m[idx.WANTED] |= t[t[idx.PARENTS] + m[end - count]]
        m[idx.OFFERED] |= movable & ~(1 << m[end - size])
        for target in range(t[idx.COLUMNS]):
            height = m[idx.SIZE + target]
            if target == pile or (height == 0 and target != space):
                continue
            top = idx.NONE
            limit = min(most, onto_space)
            if height > 0:
                top = m[idx.CARDS + target * idx.STRIDE + height - 1]
                limit = min(most, onto)
            accepts = t[builds + top + 1]
            if accepts & movable == 0:
                continue
            for count in range(1, limit + 1):
                if by == idx.WHOLE and 1 < count < size:
                    continue
                if accepts >> m[end - count] & 1 == 0:
                    continue
                move = encoded(pile, target, count)
                score = 500
                left = size - count
                if left == 0:
                    if height == 0:
                        continue
                    # Bound (see `binding`): until a card goes on the emptied pile, this one's cards
                    # are accessible and can be built on in place.
                    if t[idx.LAZY_SPACES] == 1:
                        move |= (pile + 1) << 18
                    score = 700
                elif left == hidden:
                    score = 700 + hidden
                elif count < most and height > 0 and t[idx.WHOLE_RUNS] == 1:
                    # Omitted unless the card below goes home next, and then bound. Otherwise that
                    # card and the target are interchangeable: they take the same cards, so a card
                    # for one can go on the other, until one of them goes home.
                    below = m[end - count - 1]
                    if m[idx.NEXT] >> below & 1 == 0:
                        continue
                    move |= (idx.BOUND_HOME + pile) << 18
                    score = 600
                if height == 0:
                    score -= 300 - count
                add(t, m, move, score)
    if t[idx.COLUMN_CELL] == 1:
        add_cell(t, m, pile, pile - pile)
