"""Generation of a position's moves."""

from __future__ import annotations

from engine.solver.beam import indices as idx
from engine.solver.beam.indices import Ints
from engine.solver.beam.offers import offer, offer_queued
from engine.solver.beam.rows import encoded, is_ordered, run_at
from engine.solver.compiled import compiled


@compiled
def offer_home(t: Ints, s: Ints, m: Ints, row: int, source: int, kind: int, end: int) -> None:
    """Offer the moves of a top card to foundations that take it, one per kind of top card."""
    tops = row * t[idx.WIDTH] + t[idx.ROOM] + 2 * (t[idx.COLUMNS] + 2)
    group, homes, kinds = t[idx.GROUP], t[idx.HOMES], t[idx.KINDS]
    for f in range(t[idx.FOUNDATIONS]):
        top = s[tops + f]
        if t[homes + (t[group + f] * (kinds + 1) + top + 1) * kinds + kind] == 0:
            continue
        # Foundations of one group with equal tops are interchangeable.
        same = False
        for other in range(f):
            if t[group + other] == t[group + f] and s[tops + other] == top:
                same = True
        if not same:
            offer_queued(t, s, m, row, encoded(source, t[idx.COLUMNS] + 2 + f, 1), end)


@compiled
def offer_spread(t: Ints, s: Ints, m: Ints, row: int, source: int, kind: int, end: int) -> None:
    """Offer the moves of the top card of stock or waste to tableau piles."""
    base = row * t[idx.WIDTH]
    sizes = base + t[idx.ROOM]
    top_at = base + int(s[sizes])
    ordered = is_ordered(t, s, row)
    tried = False
    for column in range(1, t[idx.COLUMNS] + 1):
        top_at += s[sizes + column]
        at = t[idx.BUILDS]
        if s[sizes + column] > 0:
            at += (s[top_at - 1] + 1) * t[idx.KINDS]
        elif tried and not ordered:
            continue
        else:
            tried = True
        if t[at + kind] == 1:
            offer_queued(t, s, m, row, encoded(source, column, 1), end)


@compiled
def look_over(t: Ints, s: Ints, m: Ints, row: int) -> int:
    """Store the ends of piles and the kinds that each takes; return the kinds that go home.

    Both are bit sets of kinds. Only stock and tableau piles have entries.
    """
    accepts, accepted, ends = t[idx.ACCEPTS], t[idx.ACCEPTED], t[idx.ENDS]
    sizes = row * t[idx.WIDTH] + t[idx.ROOM]
    end = row * t[idx.WIDTH] + int(s[sizes])
    m[ends] = end
    for pile in range(1, t[idx.COLUMNS] + 1):
        size = int(s[sizes + pile])
        end += size
        m[ends + pile] = end
        m[accepted + pile] = t[accepts + (s[end - 1] + 1 if size > 0 else 0)]
    tops = sizes + 2 * (t[idx.COLUMNS] + 2)
    takes, group, kinds = t[idx.TAKES], t[idx.GROUP], t[idx.KINDS] + 1
    home = 0
    for f in range(t[idx.FOUNDATIONS]):
        home |= t[takes + t[group + f] * kinds + s[tops + f] + 1]
    return home


@compiled
def expand(t: Ints, s: Ints, m: Ints, row: int) -> None:
    """Offer the positions after all moves except stock moves and redeals."""
    columns = t[idx.COLUMNS]
    piles = columns + 2
    base = row * t[idx.WIDTH]
    sizes = base + t[idx.ROOM]
    waste = columns + 1
    ends, accepted = t[idx.ENDS], t[idx.ACCEPTED]
    ordered = is_ordered(t, s, row)
    home = look_over(t, s, m, row)
    spaces = 0
    space = 0
    wanted = 0
    for pile in range(columns, 0, -1):
        wanted |= m[accepted + pile]
        if s[sizes + pile] == 0:
            spaces += 1
            space = pile
    # Runs limited by empty piles can also move card by card.
    carried = 1 if t[idx.P_SINGLE] == 1 else 1 << spaces
    # An empty target cannot help to carry cards.
    to_space = t[idx.ROOM]
    if t[idx.RUNS] == idx.BY_SPACES:
        to_space = 1
    elif t[idx.RUNS] == idx.BY_PLACES:
        to_space = max(1, carried >> 1)
    longest = idx.RUN if t[idx.RUN_GROUPS] == 1 else 1
    if t[idx.RUNS] == idx.WHOLE:
        longest = t[idx.ROOM]
    elif t[idx.RUNS] != idx.SINGLE:
        longest = max(longest, carried)
    for pile in range(1, columns + 1):
        size = int(s[sizes + pile])
        if size == 0:
            continue
        end = m[ends + pile]
        kind = int(s[end - 1])
        run = run_at(t, s, end, min(longest, size - int(s[sizes + piles + pile])))
        if t[idx.COLUMN_HOME] == 1:
            if home >> kind & 1 == 1:
                offer_home(t, s, m, row, pile, kind, end)
            if run >= idx.RUN and t[idx.AUTOMATIC_RUNS] == 0:
                offer_run(t, s, m, row, pile, end)
        if t[idx.COLUMN_SPREAD] == 0:
            continue
        most = run
        if t[idx.RUNS] == idx.SINGLE:
            most = 1
        elif t[idx.RUNS] != idx.WHOLE:
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
            # Without rows to come, empty piles are interchangeable, and moving a whole pile to
            # one changes nothing.
            if height == 0 and not ordered and column != space:
                continue
            highest = min(most, to_space) if height == 0 else most
            for count in range(1, highest + 1):
                if (
                    height == 0
                    and count == size
                    and (not ordered or t[idx.P_WHOLE] == 0)
                    and t[idx.FILLS] == 0
                ):
                    continue
                if fits >> s[end - count] & 1 == 1:
                    offer_queued(t, s, m, row, encoded(pile, column, count), end)
    if s[sizes + waste] > 0:
        end = m[ends + columns] + int(s[sizes + waste])
        kind = int(s[end - 1])
        if t[idx.WASTE_HOME] == 1 and home >> kind & 1 == 1:
            offer_home(t, s, m, row, waste, kind, end)
        if t[idx.WASTE_SPREAD] == 1 and wanted >> kind & 1 == 1:
            offer_spread(t, s, m, row, waste, kind, end)


@compiled
def offer_run(t: Ints, s: Ints, m: Ints, row: int, pile: int, end: int) -> None:
    """Offer the move of a run of full length to an empty foundation that takes runs."""
    piles = t[idx.COLUMNS] + 2
    tops = row * t[idx.WIDTH] + t[idx.ROOM] + 2 * piles
    head = int(s[end - idx.RUN])
    tried = idx.NONE
    for f in range(t[idx.FOUNDATIONS]):
        group = t[t[idx.GROUP] + f]
        if (
            s[tops + f] == idx.NONE
            and group != tried
            and t[t[idx.HEADS] + group * (t[idx.KINDS] + 1) + head + 1] == 1
        ):
            offer_queued(t, s, m, row, encoded(pile, piles + f, idx.RUN), end)
            tried = group


@compiled
def may_deal_row(t: Ints, s: Ints, row: int) -> bool:
    """Return whether a row may be dealt, which may require that no fillable pile is empty."""
    if t[idx.ROWS_NEED_CARDS] == 0:
        return True
    sizes = row * t[idx.WIDTH] + t[idx.ROOM]
    empty = 0
    cards = 0
    for pile in range(1, t[idx.COLUMNS] + 1):
        cards += s[sizes + pile]
        empty += 1 if s[sizes + pile] == 0 else 0
    return bool(empty == 0 or cards < t[idx.COLUMNS])


@compiled
def must_wait(t: Ints, s: Ints, row: int) -> bool:
    """Return whether the stock has cards, but none can move."""
    left = s[row * t[idx.WIDTH] + t[idx.ROOM]] > 0
    return bool(t[idx.ROWS_ALONE] == 1 and left and not may_deal_row(t, s, row))


@compiled
def deal(t: Ints, s: Ints, m: Ints, row: int) -> None:
    """Offer the positions after the stock's moves, or after turning the waste over."""
    piles = t[idx.COLUMNS] + 2
    base = row * t[idx.WIDTH]
    sizes = base + t[idx.ROOM]
    waste = t[idx.COLUMNS] + 1
    size = int(s[sizes])
    if size == 0:
        if s[base + t[idx.WIDTH] - 1] < t[idx.REDEALS] and s[sizes + waste] > 0:
            offer(t, s, m, row, encoded(waste, 0, 1), base)
        return
    kind = int(s[base + size - 1])
    source = row - row
    if t[idx.STOCK_WASTE] == 1:
        offer(t, s, m, row, encoded(0, waste, 1), base)
    if t[idx.STOCK_ROW] == 1 and may_deal_row(t, s, row):
        offer(t, s, m, row, encoded(0, piles + t[idx.FOUNDATIONS], 1), base)
    if t[idx.STOCK_SPREAD] == 1:
        offer_spread(t, s, m, row, source, kind, base)
    if t[idx.STOCK_HOME] == idx.FITTING:
        offer_home(t, s, m, row, source, kind, base)
    tops = sizes + 2 * piles
    for f in range(t[idx.FOUNDATIONS]):
        at = (t[t[idx.GROUP] + f] * (t[idx.KINDS] + 1) + s[tops + f] + 1) * t[idx.KINDS]
        starts = (
            t[idx.STOCK_HOME] == idx.STARTING
            and s[tops + f] == idx.NONE
            and t[t[idx.HOMES] + at + kind] == 1
        )
        if starts or t[idx.STOCK_HOME] == idx.ANYWHERE:
            offer(t, s, m, row, encoded(0, piles + f, 1), base)


@compiled
def can_deal(t: Ints, s: Ints, m: Ints, row: int) -> bool:
    """Return whether the stock has cards, or the waste can be turned over."""
    base = row * t[idx.WIDTH]
    sizes = base + t[idx.ROOM]
    if s[sizes] > 0:
        return True
    return s[base + t[idx.WIDTH] - 1] < t[idx.REDEALS] and s[sizes + t[idx.COLUMNS] + 1] > 0
