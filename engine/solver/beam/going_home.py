"""Cards that go to foundations automatically."""

from __future__ import annotations

from engine.solver.beam import indices as idx
from engine.solver.beam.indices import Ints
from engine.solver.beam.rows import encoded, play, record_of
from engine.solver.beam.times import count_foundations
from engine.solver.compiled import compiled

AUTOMATIC_AT = 128  # the start of the automatic moves in the hand


@compiled
def fitting(t: Ints, s: Ints, m: Ints, row: int, kind: int) -> int:
    """Return the first foundation that takes a card of this kind, or `NONE`."""
    tops = row * t[idx.WIDTH] + t[idx.ROOM] + 2 * (t[idx.COLUMNS] + 2)
    for f in range(t[idx.FOUNDATIONS]):
        top = s[tops + f]
        if (
            t[
                t[idx.HOMES]
                + (t[t[idx.GROUP] + f] * (t[idx.KINDS] + 1) + top + 1) * t[idx.KINDS]
                + kind
            ]
            == 1
        ):
            return f
    return idx.NONE


@compiled
def may_go_home(t: Ints, s: Ints, m: Ints, kind: int, how: int) -> bool:
    """Return whether a card that fits a foundation goes home automatically, in a regular game.

    `SAFELY`: all cards that could be built on it are home, so it serves no other card in the
    tableau; and all other cards of its kind can go home immediately, too, so none of them needs its
    place. This loses no win: in any line, omit the moves of this card. The rest is still a line,
    since the covered cards are free sooner, and no card needs to lie on this one.

    `LATER` and `EARLY` are heuristics: of two cards of a kind, the other may have to leave first.
    `EARLY` also ignores cards that could be built on it if they can go home themselves.
    """
    fewest = t[idx.FOUNDATIONS] + t[idx.LINES]
    turn = t[t[idx.TURN] + kind]
    if how == idx.SAFELY and m[t[idx.COUNTS] + fewest + t[t[idx.LINE] + kind]] < turn:
        return False
    if how != idx.SAFELY and turn <= 1:
        return True
    slack = 1 if how == idx.EARLY else 0
    for k in range(t[t[idx.KIDS_AT] + kind], t[t[idx.KIDS_AT] + kind + 1]):
        kid = t[t[idx.KIDS] + k]
        if m[t[idx.COUNTS] + fewest + t[t[idx.LINE] + kid]] + slack <= t[t[idx.TURN] + kid]:
            return False
    return True


@compiled
def send_home(t: Ints, s: Ints, m: Ints, row: int, how: int) -> None:
    """Send cards home automatically, and record their moves in `hand`."""
    piles = t[idx.COLUMNS] + 2
    sizes = row * t[idx.WIDTH] + t[idx.ROOM]
    changed = t[idx.CHANGED]
    # Only changed piles are examined until a foundation changes.
    all_piles = m[idx.ALL_PILES] == 1
    counted = False
    again = True
    while again:
        again = False
        end = row * t[idx.WIDTH] + int(s[sizes])
        for pile in range(1, piles):
            end += s[sizes + pile]
            if not (all_piles or m[changed + pile] == 1) or s[sizes + pile] == 0:
                continue
            if t[idx.WASTE_HOME if pile == piles - 1 else idx.COLUMN_HOME] == 0:
                continue
            kind = int(s[end - 1])
            f = fitting(t, s, m, row, kind)
            if f == idx.NONE:
                continue
            if pile < piles - 1 or how == idx.SAFELY:
                if not counted:
                    count_foundations(t, s, m, row)
                    counted = True
                if not may_go_home(t, s, m, kind, how):
                    continue
            play(t, s, m, row, encoded(pile, piles + f, 1))
            number = m[idx.AUTOMATIC]
            m[t[idx.HAND] + AUTOMATIC_AT + number] = encoded(pile, piles + f, 1)
            m[idx.AUTOMATIC] = number + 1
            if pile == piles - 1:
                m[record_of(t, row) + idx.FRESH] = 1
            again = True
            all_piles = True
            counted = False
            break
