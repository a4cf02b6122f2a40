"""Which card may be placed on which: lookup tables by top card, computed from a game's rules.

A table depends on a few keywords of the rules, never on numbers of piles or cards. All rules with
the same keywords share it, and the most recently used tables are cached. All rules together have
about 1,500 different rows, each stored once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache, lru_cache
from typing import Final

from engine.cards import PACK_SIZE, RANKS, RED_SUITS, SUITS, UNSEEN, Card, is_red, rank_of, suit_of
from engine.schema import Foundation, Rules

EMPTY = -1  # the top card of an empty pile: the index of its row in a table

# The length of a run that moves to a foundation, and the maximum of one in one direction.
RUN_LENGTH = 13

# The number of rows of a table: one for each possible top card, then one for `EMPTY`.
_ROWS = UNSEEN + 2

# `fits[top][card]` is 1 where `card` may go on `top`; `fits[EMPTY][card]` for an empty pile.
Fits = tuple[bytes, ...]

# A table as bit sets: `takes[top]` has the `BITS` of all cards that may go on `top`.
Takes = tuple[int, ...]

# The bit of each card; 0 for a face-down card and for `EMPTY`.
BITS: Takes = tuple(1 << byte if byte < PACK_SIZE else 0 for byte in range(_ROWS))


# The number of cached tables of a kind. Each takes 1 kB, since rows are shared.
MAX_TABLES: Final = 512


def _suits_with(match: str, top: Card) -> str:
    if match == "suit":
        return suit_of(top)
    if match == "any":
        return SUITS
    return "".join(s for s in SUITS if (s in RED_SUITS) == (is_red(top) == (match == "colour")))


def _steps(order: str) -> tuple[int, ...]:
    """Return the allowed differences in rank between a card and the one below it."""
    return {"up": (1,), "down": (-1,), "either": (1, -1), "any": tuple(range(-12, 13))}[order]


@cache
def _followers(top: Card, order: str, match: str, *, wrap: bool) -> int:
    count = len(RANKS)
    ranks = {rank_of(top) + step for step in _steps(order)}
    ranks = {rank % count for rank in ranks} if wrap else ranks & set(range(count))
    return _cards(ranks, _suits_with(match, top))


def _cards(ranks: Iterable[int], suits: str) -> int:
    return sum(same_rank_cards(rank) for rank in ranks) & _of_suits(frozenset(suits))


@cache
def _of_suits(suits: frozenset[str]) -> int:
    return sum(BITS[card] for card in range(PACK_SIZE) if suit_of(card) in suits)


@cache
def same_rank_cards(rank: int) -> int:
    """Return the bit set of the cards of a rank, 0 (Ace) to 12 (King)."""
    return sum(BITS[card] for card in range(PACK_SIZE) if rank_of(card) == rank)


def _starters(first: str) -> int:
    """Return the bit set of the cards of the rank `first`, which may be `any`."""
    # With `same`, the rank depends on the deal.
    if first in ("any", "same"):
        return ALL_CARDS
    return same_rank_cards(RANKS.index(first)) if first in RANKS else 0


@cache
def _row(cards: int) -> bytes:
    """Return a bit set as a row of a table."""
    # The cache also makes equal rows the same object.
    return bytes(cards >> card & 1 for card in range(UNSEEN + 1))


def _table(cards: Iterable[int], empty: int) -> Fits:
    """Return the table of the bit sets that each top card takes, and that an empty pile takes."""
    rows = [*map(_row, cards)]
    rows += [_row(0)] * (_ROWS - 1 - len(rows))
    return (*rows, _row(empty))


@lru_cache(MAX_TABLES)
def takes_of(fits: Fits) -> Takes:
    """Return a table's rows as bit sets."""
    return tuple(map(set_of, fits))


@cache
def set_of(row: bytes) -> int:
    """Return a row of a table as a bit set."""
    return sum(BITS[card] for card in range(PACK_SIZE) if row[card])


ALL_CARDS: Final = (1 << PACK_SIZE) - 1

# The rows of a pile that takes any card when empty, and nothing otherwise.
ANY_CARD: Takes = ((0,) * (_ROWS - 1)) + (ALL_CARDS,)

# The rows of a pile that takes nothing.
NO_CARD: Takes = (0,) * _ROWS


@lru_cache(MAX_TABLES)
def when_empty(cards: int) -> Takes:
    """Return the rows of a pile that takes `cards` when empty, and nothing otherwise."""
    return (0,) * (_ROWS - 1) + (cards,)


@lru_cache(MAX_TABLES)
def unless_empty(takes: Takes) -> Takes:
    """Return `takes` with nothing for an empty pile."""
    return (*takes[:EMPTY], 0)


def tableau_fits(rules: Rules) -> Fits:
    """Return the table of the cards that a tableau pile takes."""
    tableau = rules.tableau
    if tableau is None:
        return _table((), 0)
    return _tableau_fits(tableau.order, tableau.match, tableau.empty, wrap=tableau.wrap)


@lru_cache(MAX_TABLES)
def _tableau_fits(order: str, match: str, empty: str, *, wrap: bool) -> Fits:
    deck = range(PACK_SIZE)
    followers = (_followers(top, order, match, wrap=wrap) for top in deck)
    return _table(followers, _starters(empty))


def run_fits(rules: Rules) -> Fits:
    """Return the table of builds within cards that move together; the row of `EMPTY` is unused."""
    tableau = rules.tableau
    # `run_match` can only be stricter than `match`.
    if tableau is None or tableau.run_match is None:
        return tableau_fits(rules)
    return tableau_fits(replace(rules, tableau=replace(tableau, match=tableau.run_match)))


@cache
def pair_fits() -> Fits:
    """Return the table of the cards that go home together with each card, as a pair."""
    partners = (len(RANKS) - 2 - rank_of(card) for card in range(PACK_SIZE))
    return _table((same_rank_cards(rank) for rank in partners), 0)


@lru_cache(MAX_TABLES)
def foundation_fits(group: Foundation) -> Fits:
    """Return the table of single cards that a foundation takes: none if it takes runs.

    One that takes pairs takes only Kings alone.
    """
    if group.takes == "run":
        return _table((), 0)
    if group.takes == "pair":
        alone = same_rank_cards(len(RANKS) - 1)
        return _table((alone,) * PACK_SIZE, alone)
    suits = _of_suits(frozenset(group.suits))
    followers = (
        0
        if suit_of(top) not in group.suits or _completes(top, group)
        else _followers(top, group.order, group.match, wrap=group.wrap) & suits
        for top in range(PACK_SIZE)
    )
    return _table(followers, _starters(group.first) & suits)


def _completes(card: Card, group: Foundation) -> bool:
    """Return whether `card` completes a foundation: by its rank, or as the thirteenth card."""
    if RANKS[rank_of(card)] == group.last:
        return True
    # Only a foundation with a fixed first rank and one direction has a thirteenth card, and only if
    # it wraps around or starts at an end of the ranks.
    if group.first in ("any", "same") or group.order == "either":
        return False
    (step,) = _steps(group.order)
    return (rank_of(card) + step - RANKS.index(group.first)) % 13 == 0


def turns_of(groups: Iterable[Foundation]) -> bytes:
    """Return for each card the minimum number of cards below it on a foundation.

    It is 0 if the order is not fixed: a foundation may start with the card, or go either way.
    """
    return bytes(
        min((_turn(card, group) for group in groups if suit_of(card) in group.suits), default=0)
        for card in range(PACK_SIZE)
    )


def _turn(card: Card, group: Foundation) -> int:
    if group.first in ("any", "same") or group.order == "either":
        return 0
    if group.takes == "run":
        return len(RANKS)
    (step,) = _steps(group.order)
    return (rank_of(card) - RANKS.index(group.first)) * step % 13


def run_heads(group: Foundation) -> bytes:
    """Return a table row: 1 for each card that may head a run placed on the empty foundation."""
    heads = _starters(group.first) & _of_suits(frozenset(group.suits))
    return _row(heads if group.takes == "run" else 0)
