"""A ruleset made ready for play: piles by number, and tables of what goes on what.

Everything that depends on the rules alone is worked out here, once, so that listing moves is
looking things up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import or_

from engine.cards import PACK_SIZE, RANKS, SUITS, UNSEEN, Card, is_red, rank_of, suit_of
from engine.schema import Foundation, Rules

EMPTY = -1
"""The index of the table row that says what an empty pile takes."""

_ROWS = UNSEEN + 2
"""A row for each byte that can lie on top of a pile, and the one for `EMPTY`, which is the last."""

Fits = tuple[bytes, ...]
"""`fits[top][card]` is 1 where `card` may go on `top`; `fits[EMPTY][card]` for an empty pile."""

Takes = tuple[int, ...]
"""The same as sets of cards: `takes[top]` has the `BITS` of the cards that may go on `top`."""

BITS: Takes = tuple(1 << byte if byte < PACK_SIZE else 0 for byte in range(_ROWS))
"""The bit of each card; none for a card that lies face down, nor for `EMPTY`."""


@dataclass(frozen=True, slots=True)
class Move:
    """A move: `count` cards from one pile to another, by pile number.

    Dealing a row has the target `ROW`; it and turning the waste over have a count of 1.
    """

    source: int
    target: int
    count: int = 1


ROW = -2
"""The target of a move that deals a row of cards to the tableau."""

MoveRow = tuple[int, tuple[Move, ...]]
"""A source, and its moves of one card by target."""

RUN_LENGTH = 13


class Ruleset:
    """One game's rules in one variant.

    Piles are numbered: foundations, then tableau, then stock, then waste. Compared by identity;
    the catalogue holds one object for each game and variant.
    """

    def __init__(self, game: str, variant: str, rules: Rules) -> None:
        self.game = game
        self.variant = variant
        self.rules = rules
        self.total = rules.packs * PACK_SIZE
        """The number of cards in play."""
        self.home_at_start = sum(g.piles for g in rules.foundations if g.setup != "empty")
        """The number of cards on foundations before the first move."""
        self.groups: tuple[Foundation, ...] = tuple(
            group for group in rules.foundations for _ in range(group.piles)
        )
        """The group of each foundation, by pile number."""
        tableau = rules.tableau
        first = len(self.groups)
        self.foundations = range(first)
        self.tableau = range(first, first + (len(tableau.deal) if tableau else 0))
        self.stock = self.tableau.stop
        self.waste: int | None = self.stock + 1 if rules.waste else None
        self.pile_names: tuple[str, ...] = (
            *(f"f{i}" for i in range(len(self.foundations))),
            *(f"t{i}" for i in range(len(self.tableau))),
            "s",
            *(("w",) if rules.waste else ()),
        )
        self.pile_numbers = {name: pile for pile, name in enumerate(self.pile_names)}
        self.builds: Fits = _tableau_fits(rules)
        """What a tableau pile takes."""
        self.homes: tuple[Fits, ...] = tuple(_foundation_fits(group) for group in self.groups)
        """What each foundation takes; a foundation of runs takes no single card."""
        self.run_heads: tuple[bytes, ...] = tuple(_run_heads(group) for group in self.groups)
        """For each foundation, 1 for a card that heads a run which it takes when empty."""
        home_takes = tuple(map(_takes, self.homes))
        build_takes = _takes(self.builds)
        self.takes: tuple[Takes, ...] = (*home_takes, *[build_takes] * len(self.tableau))
        """What each foundation and tableau pile takes, as sets."""
        self.run_takes: tuple[int, ...] = tuple(map(_set_of, self.run_heads))
        """For each foundation, the set of cards that head a run which it takes when empty."""
        self.moves_runs = tableau is not None and tableau.moves != "card"
        self.by_spaces = tableau is not None and tableau.moves == "run-by-spaces"
        self.redeals = rules.waste.redeals if rules.waste else 0
        """How often the waste may be turned over."""
        everywhere = (*range(len(self.pile_names)), ROW)
        self._moves = {
            (source, target): tuple(Move(source, target, n) for n in range(RUN_LENGTH + 1))
            for source in range(len(self.pile_names))
            for target in everywhere
        }
        self.homeward = self._rows_from("foundation")
        """The piles whose top card goes to foundations that take it."""
        self.spreading = self._rows_from("tableau")
        """The piles whose top card goes to tableau piles that take it."""
        self.spreads_runs = self.moves_runs and tableau is not None and "tableau" in tableau.plays
        """Whether runs go from tableau pile to tableau pile."""
        self.runs_home = 0
        """The set of cards that head a run which goes from the tableau to some foundation."""
        if tableau is not None and "foundation" in tableau.plays:
            self.runs_home = reduce(or_, self.run_takes, 0)
        self.stock_moves = tuple(self._stock_moves())
        """The moves that are legal whenever the stock has cards."""
        self.stock_starts = "foundation" in rules.stock.plays and (
            rules.stock.to_foundation == "first"
        )
        """Whether the stock's top card goes to empty foundations that it starts."""

    def __repr__(self) -> str:
        return f"<Ruleset {self.game} {self.variant}>"

    def move(self, source: int, target: int, count: int = 1) -> Move:
        """Return the one object for this move."""
        row = self._moves[source, target]
        return row[count] if count < len(row) else Move(source, target, count)

    def _rows_from(self, place: str) -> tuple[MoveRow, ...]:
        """Return the piles that play their top card to a kind of place, if it fits there."""
        rules = self.rules
        sources: list[int] = []
        if rules.tableau and place in rules.tableau.plays:
            sources += self.tableau
        if rules.waste and place in rules.waste.plays:
            sources.append(self.stock + 1)
        if place in rules.stock.plays and (
            place == "tableau" or rules.stock.to_foundation == "fitting"
        ):
            sources.append(self.stock)
        piles = range(len(self.pile_names))
        return tuple((s, tuple(self.move(s, target) for target in piles)) for s in sources)

    def _stock_moves(self) -> Iterator[Move]:
        """Yield the moves of the stock that depend on no other pile."""
        stock = self.rules.stock
        if "waste" in stock.plays:
            assert self.waste is not None
            yield self.move(self.stock, self.waste)
        if "row" in stock.plays:
            yield self.move(self.stock, ROW)
        if "foundation" in stock.plays and stock.to_foundation == "any":
            yield from (self.move(self.stock, target) for target in self.foundations)

    def laid_out_suits(self) -> Iterator[tuple[int, str, str]]:
        """Yield (foundation, rank, suit) of each card laid out before the deal."""
        for pile, group in enumerate(self.groups):
            if group.setup == "laid-out":
                nth = pile - self.groups.index(group)
                yield pile, group.first, group.suits[nth % len(group.suits)]


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


def _takes(fits: Fits) -> Takes:
    """Return the table's rows as sets."""
    return tuple(map(_set_of, fits))


def _set_of(row: bytes) -> int:
    """Return the set of the cards at which a row has a 1."""
    return sum(BITS[card] for card in range(PACK_SIZE) if row[card])


def _tableau_fits(rules: Rules) -> Fits:
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


def _foundation_fits(group: Foundation) -> Fits:
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


def _run_heads(group: Foundation) -> bytes:
    heads = bytearray(UNSEEN + 1)
    if group.takes == "run":
        for card in range(PACK_SIZE):
            heads[card] = _starts(card, group.first) and suit_of(card) in group.suits
    return bytes(heads)


def _starts(card: Card, first: str) -> bool:
    """Return whether `card` may start a pile that begins with `first`."""
    return first == "any" or RANKS[rank_of(card)] == first


def in_suit_order(rank: str, suit: str) -> Card:
    """Return the card of this rank and suit."""
    return SUITS.index(suit) * 13 + RANKS.index(rank)
