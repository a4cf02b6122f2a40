"""Which card goes on which: tables by the card on top, worked out once from a game's rules."""

from __future__ import annotations

from engine.cards import PACK_SIZE, RANKS, UNSEEN, Card, is_red, rank_of, suit_of
from engine.schema import Foundation, Rules

EMPTY = -1
"""The index of the table row that says what an empty pile takes."""

RUN_LENGTH = 13
"""The cards of a run that goes to a foundation, and of the longest one that goes one way."""

_ROWS = UNSEEN + 2
"""A row for each byte that can lie on top of a pile, and the one for `EMPTY`, which is the last."""

Fits = tuple[bytes, ...]
"""`fits[top][card]` is 1 where `card` may go on `top`; `fits[EMPTY][card]` for an empty pile."""

Takes = tuple[int, ...]
"""The same as sets of cards: `takes[top]` has the `BITS` of the cards that may go on `top`."""

BITS: Takes = tuple(1 << byte if byte < PACK_SIZE else 0 for byte in range(_ROWS))
"""The bit of each card; none for a card that lies face down, nor for `EMPTY`."""


def _matches(match: str, upper: Card, lower: Card) -> bool:
    """Return whether the suits of two neighbours agree with `match`."""
    if match == "suit":
        return suit_of(upper) == suit_of(lower)
    if match == "colour":
        return is_red(upper) == is_red(lower)
    if match == "alternate":
        return is_red(upper) != is_red(lower)
    return True


def _steps(order: str) -> tuple[int, ...]:
    """Return the ranks' differences between a card and the one that it goes on."""
    return {"up": (1,), "down": (-1,), "either": (1, -1), "any": tuple(range(-12, 13))}[order]


def _follows(card: Card, top: Card, order: str, match: str, *, wrap: bool) -> bool:
    """Return whether `card` may follow `top` by rank and suit."""
    step = rank_of(card) - rank_of(top)
    steps = _steps(order)
    in_order = step in steps or (wrap and any((step - s) % 13 == 0 for s in steps))
    return in_order and _matches(match, card, top)


def _table(rows: dict[int, list[Card]]) -> Fits:
    """Return the table with a 1 at each card of each row."""
    table = [bytearray(UNSEEN + 1) for _ in range(_ROWS)]
    for top, cards in rows.items():
        for card in cards:
            table[top][card] = 1
    return tuple(bytes(row) for row in table)


def takes_of(fits: Fits) -> Takes:
    """Return the table's rows as sets."""
    return tuple(map(set_of, fits))


def set_of(row: bytes) -> int:
    """Return the set of the cards at which a row has a 1."""
    return sum(BITS[card] for card in range(PACK_SIZE) if row[card])


def when_empty(cards: int) -> Takes:
    """Return what a pile takes that takes these cards when it is empty, and nothing else."""
    return (0,) * (_ROWS - 1) + (cards,)


def unless_empty(takes: Takes) -> Takes:
    """Return what a pile takes that takes the same, but nothing when it is empty."""
    return (*takes[:EMPTY], 0)


def tableau_fits(rules: Rules) -> Fits:
    """Return what a tableau pile takes."""
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


def foundation_fits(group: Foundation) -> Fits:
    """Return what a foundation takes; one of runs takes no single card."""
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
    """Return whether `card` is the last that goes on a foundation which starts at a fixed rank."""
    if group.first == "any" or not group.wrap or group.order == "either":
        return False
    (step,) = _steps(group.order)
    return (rank_of(card) + step - RANKS.index(group.first)) % 13 == 0


def run_heads(group: Foundation) -> bytes:
    """Return a 1 for each card that heads a run which a foundation takes when it is empty."""
    heads = bytearray(UNSEEN + 1)
    if group.takes == "run":
        for card in range(PACK_SIZE):
            heads[card] = _starts(card, group.first) and suit_of(card) in group.suits
    return bytes(heads)


def _starts(card: Card, first: str) -> bool:
    """Return whether `card` may start a pile that begins with `first`."""
    return first == "any" or RANKS[rank_of(card)] == first
