"""Which card may be placed on which: lookup tables by top card, computed from a game's rules.

Foundations of one group have the same tables, and so have most groups of a game's variants: tables
are computed once for each group.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from engine.cards import PACK_SIZE, RANKS, UNSEEN, Card, is_red, rank_of, suit_of
from engine.schema import Foundation, Rules

EMPTY = -1
"""Stands for the top card of an empty pile: the index of its row in a table."""

RUN_LENGTH = 13
"""The length of a run that goes to a foundation; a run in one direction cannot be longer."""

_ROWS = UNSEEN + 2
"""The rows of a table: one for each possible top card, and last the one for `EMPTY`."""

Fits = tuple[bytes, ...]
"""`fits[top][card]` is 1 where `card` may go on `top`; `fits[EMPTY][card]` for an empty pile."""

Takes = tuple[int, ...]
"""The same as bit sets: `takes[top]` has the `BITS` of all cards that may go on `top`."""

BITS: Takes = tuple(1 << byte if byte < PACK_SIZE else 0 for byte in range(_ROWS))
"""The bit of each card; 0 for a face-down card and for `EMPTY`."""


def _matches(match: str, upper: Card, lower: Card) -> bool:
    """Return whether the suits of two adjacent cards satisfy the rule `match`."""
    if match == "suit":
        return suit_of(upper) == suit_of(lower)
    if match == "colour":
        return is_red(upper) == is_red(lower)
    if match == "alternate":
        return is_red(upper) != is_red(lower)
    return True


def _steps(order: str) -> tuple[int, ...]:
    """Return the allowed differences in rank between a card and the one below it."""
    return {"up": (1,), "down": (-1,), "either": (1, -1), "any": tuple(range(-12, 13))}[order]


def _follows(card: Card, top: Card, order: str, match: str, *, wrap: bool) -> bool:
    """Return whether `card` may be placed on `top`, by rank and suit."""
    step = rank_of(card) - rank_of(top)
    steps = _steps(order)
    in_order = step in steps or (wrap and any((step - s) % 13 == 0 for s in steps))
    return in_order and _matches(match, card, top)


def _table(rows: dict[int, list[Card]]) -> Fits:
    """Return a table from the cards that each row takes; rows left out take none."""
    table = [bytearray(UNSEEN + 1) for _ in range(_ROWS)]
    for top, cards in rows.items():
        for card in cards:
            table[top][card] = 1
    return tuple(bytes(row) for row in table)


@cache
def takes_of(fits: Fits) -> Takes:
    """Return a table's rows as bit sets."""
    return tuple(map(set_of, fits))


def set_of(row: bytes) -> int:
    """Return the bit set of the cards at which a row has a 1."""
    return sum(BITS[card] for card in range(PACK_SIZE) if row[card])


ANY_CARD: Takes = ((0,) * (_ROWS - 1)) + ((1 << PACK_SIZE) - 1,)
"""The rows of a pile that takes any card when empty, and else nothing."""


@cache
def same_rank_cards(rank: int) -> int:
    """Return the bit set of the cards of a rank, 0 (Ace) to 12 (King)."""
    return sum(BITS[card] for card in range(PACK_SIZE) if rank_of(card) == rank)


def when_empty(cards: int) -> Takes:
    """Return the rows of a pile that takes the bit set `cards` when empty, and else nothing."""
    return (0,) * (_ROWS - 1) + (cards,)


def unless_empty(takes: Takes) -> Takes:
    """Return the same rows, except that an empty pile takes nothing."""
    return (*takes[:EMPTY], 0)


def tableau_fits(rules: Rules) -> Fits:
    """Return the table of what a tableau pile takes."""
    tableau = rules.tableau
    if tableau is None:
        return _table({})
    deck = range(PACK_SIZE)
    rows = {
        top: [c for c in deck if _follows(c, top, tableau.order, tableau.match, wrap=tableau.wrap)]
        for top in deck
    }
    rows[EMPTY] = [c for c in deck if _starts(c, tableau.empty)]
    return _table(rows)


def run_fits(rules: Rules) -> Fits:
    """Return the table of what builds on what in cards that move together.

    It is that of the tableau, unless `run_match` is stricter. The row of `EMPTY` has no meaning.
    """
    tableau = rules.tableau
    if tableau is None or tableau.run_match is None:
        return tableau_fits(rules)
    return tableau_fits(replace(rules, tableau=replace(tableau, match=tableau.run_match)))


@cache
def foundation_fits(group: Foundation) -> Fits:
    """Return the table of single cards that a foundation takes; one that takes runs takes none."""
    if group.takes == "run":
        return _table({})
    deck = [card for card in range(PACK_SIZE) if suit_of(card) in group.suits]
    rows = {
        top: [c for c in deck if _follows(c, top, group.order, group.match, wrap=group.wrap)]
        for top in deck
        if not _completes(top, group)
    }
    rows[EMPTY] = [c for c in deck if _starts(c, group.first)]
    return _table(rows)


def _completes(card: Card, group: Foundation) -> bool:
    """Return whether `card` is the last of a foundation: by its rank, or the thirteenth.

    Only a foundation with a fixed first rank and one direction has a thirteenth card. It does not
    come up unless the foundation wraps around or starts at the end of the ranks.
    """
    if RANKS[rank_of(card)] == group.last:
        return True
    if group.first in ("any", "same") or group.order == "either":
        return False
    (step,) = _steps(group.order)
    return (rank_of(card) + step - RANKS.index(group.first)) % 13 == 0


def turns_of(groups: Iterable[Foundation]) -> bytes:
    """Return for each card how many cards a foundation takes before it, at the least.

    It is 0 where that is not certain: a foundation may start with the card, or go either way.
    """
    return bytes(
        min((_turn(card, group) for group in groups if suit_of(card) in group.suits), default=0)
        for card in range(PACK_SIZE)
    )


def _turn(card: Card, group: Foundation) -> int:
    """Return how many cards lie on a foundation of the group when it takes `card`, at the least."""
    if group.first in ("any", "same") or group.order == "either":
        return 0
    if group.takes == "run":
        return len(RANKS)
    (step,) = _steps(group.order)
    return (rank_of(card) - RANKS.index(group.first)) * step % 13


def run_heads(group: Foundation) -> bytes:
    """Return a table row: 1 for each card that may head a run placed on the empty foundation."""
    heads = bytearray(UNSEEN + 1)
    if group.takes == "run":
        for card in range(PACK_SIZE):
            heads[card] = _starts(card, group.first) and suit_of(card) in group.suits
    return bytes(heads)


def _starts(card: Card, first: str) -> bool:
    """Return whether `card` is of the rank `first`, which may be `any`.

    It may also be `same`: then the rank depends on the deal, and every card may be of it.
    """
    return first in ("any", "same") or RANKS[rank_of(card)] == first
