"""A ruleset compiled for play: pile numbers, and lookup tables of the cards that each pile takes.

Everything that depends only on the rules is computed here, once, so that parsing, checking and
listing moves are table lookups. Tables are indexed by piles and groups, never by pairs of piles or
counts, so their size does not depend on the numbers of dealt cards.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache, reduce
from hashlib import sha256
from operator import or_
from sys import intern
from typing import Any, Final

from engine.cards import PACK_SIZE, pack
from engine.fits import (
    ANY_CARD,
    EMPTY,
    NO_CARD,
    RUN_LENGTH,
    Fits,
    Takes,
    foundation_fits,
    pair_fits,
    run_fits,
    run_heads,
    set_of,
    tableau_fits,
    takes_of,
    turns_of,
    unless_empty,
    when_empty,
)
from engine.schema import (
    MAX_NUMBER,
    Foundation,
    Place,
    Rules,
    covering_places,
    dealt_down,
    longest_run,
)


@dataclass(frozen=True, slots=True)
class Move:
    """A move of `count` cards from the pile `source` to the pile `target`, by pile number.

    A move that deals a row has the target `ROW`. The count is 1 for dealing a row, for dealing to
    the waste, whatever the number of cards, and for turning the waste over.
    """

    source: int
    target: int
    count: int = 1


ROW = -2  # the target of a move that deals a row of cards to the tableau
ENDLESS: Final = MAX_NUMBER  # `Ruleset.redeals` for unlimited redeals: more than any player makes
DIGEST_LENGTH: Final = 16  # the length of a ruleset's digest in hexadecimal digits: 64 bits
_DIGEST_LABEL: Final = b"samedeal rules 1"

MoveRow = tuple[int, tuple[Move, ...]]  # a source pile and its single-card moves, indexed by target

_FOUNDATION, _TABLEAU, _CELL = 1, 2, 4  # kinds of targets of single cards, as bits
_OF_PLACE: Final = {"foundation": _FOUNDATION, "tableau": _TABLEAU, "cell": _CELL}

# The number of targets is rounded up to a multiple of this, so that rules share move rows.
_WIDTH: Final = 32


@cache
def _moves_from(source: int, targets: int) -> tuple[Move, ...]:
    """Return the single-card moves from a pile, by target. All rules share them."""
    return tuple(Move(source, target) for target in range(targets))


class Ruleset:
    """One game's rules in one variant, compiled.

    Piles are numbered from 0: foundations, tableau, stock, waste, reserve, cells. Rulesets are
    compared by identity; the catalogue has one object per digest.
    """

    def __init__(self, game: str, variant: str, rules: Rules) -> None:
        self.game = game
        self.variant = variant
        self.rules = rules
        self.digest = digest_of(game, variant, rules)  # among all versions of all rules
        self.pack = pack(rules.packs, rules.suits)  # in the order of an unshuffled pack
        self.total = len(self.pack)
        self.home_at_start = sum(g.piles for g in rules.foundations if g.setup != "empty")
        laid = [part for part in (rules.tableau, rules.reserve) if part]
        self.in_stock = self.total - self.home_at_start - sum(sum(part.deal) for part in laid)
        self.down_at_start = sum(sum(dealt_down(part)) for part in laid)
        # The group of each foundation, by pile number.
        self.groups: tuple[Foundation, ...] = tuple(
            group for group in rules.foundations for _ in range(group.piles)
        )
        self._number_piles()
        self._prepare_tables()
        self._prepare_moves()

    def _number_piles(self) -> None:
        rules = self.rules
        tableau = rules.tableau
        first = len(self.groups)
        self.foundations = range(first)
        self.tableau = range(first, first + (len(tableau.deal) if tableau else 0))
        # A game without a stock gets one that is always empty.
        self.stock = self.tableau.stop
        self.waste: int | None = self.stock + 1 if rules.waste else None
        first = self.stock + (2 if rules.waste else 1)
        self.reserve = range(first, first + (len(rules.reserve.deal) if rules.reserve else 0))
        first = self.reserve.stop
        self.cells = range(first, first + (rules.cells.piles if rules.cells else 0))
        self.pile_names: tuple[str, ...] = (
            *(intern(f"f{i}") for i in range(len(self.foundations))),
            *(intern(f"t{i}") for i in range(len(self.tableau))),
            "s",
            *(("w",) if rules.waste else ()),
            *(intern(f"r{i}") for i in range(len(self.reserve))),
            *(intern(f"c{i}") for i in range(len(self.cells))),
        )
        self.pile_numbers = {name: pile for pile, name in enumerate(self.pile_names)}

    def _prepare_tables(self) -> None:
        """Compute the cards that each pile takes, and other properties of piles."""
        rules, tableau = self.rules, self.rules.tableau
        self.builds: Fits = tableau_fits(rules)  # the table of the cards that a tableau pile takes
        self.carries: Fits = run_fits(rules)  # within cards that move together
        # Each foundation's table of single cards: none if it takes runs.
        self.homes: tuple[Fits, ...] = tuple(foundation_fits(group) for group in self.groups)
        # For each foundation, a row with 1 for each card that may head a run placed on it.
        self.run_heads: tuple[bytes, ...] = tuple(run_heads(group) for group in self.groups)
        home_takes = tuple(map(takes_of, self.homes))
        build_takes = takes_of(self.builds)
        # The cards that each foundation and tableau pile takes: bit sets by top card.
        self.takes: tuple[Takes, ...] = (*home_takes, *[build_takes] * len(self.tableau))
        # Whether foundations take single cards, not only runs.
        self.sends_singles = any(map(any, home_takes))
        self.run_takes: tuple[int, ...] = tuple(map(set_of, self.run_heads))
        self.turns = turns_of(rules.foundations)  # the fewest cards below each card on a foundation
        # Whether an occupied tableau pile takes only certain cards.
        self.orders_tableau = tableau is not None and tableau.order != "any"
        redeals = rules.waste.redeals if rules.waste else 0
        self.redeals = ENDLESS if redeals == "any" else redeals  # of the waste
        self.turns_to_waste = rules.stock.turns  # cards per deal, while the stock has as many
        self.rows_need_cards = not rules.stock.row_on_empty
        self.stock_up = rules.stock.top == "up"  # the stock's top card is face up
        # Whether two cards go home together, as a move of one onto the other.
        self.pairs = any(group.takes == "pair" for group in rules.foundations)
        # Whether the move that empties the tableau brings all other cards home.
        self.clears = tableau is not None and tableau.cleared == "wins"
        self._prepare_peaks()
        places = {"stock": [self.stock], "waste": [self.stock + 1], "reserve": self.reserve}
        # The piles that fill an emptied tableau pile, by priority: the first nonempty one does.
        self.fill: tuple[int, ...] = tuple(
            pile for place in (tableau.fill if tableau else ()) for pile in places[place]
        )
        # The foundations that start with the rank of the first foundation's first card.
        self.same_rank = frozenset(f for f, g in enumerate(self.groups) if g.first == "same")
        self.gives_back = any(group.plays for group in self.groups)  # to the tableau
        # Whether the legality of a fitting move can depend on other piles.
        self.depends = bool(self.same_rank) or self.gives_back or self.peaks
        self.automatic = any(group.automatic for group in self.groups)  # runs leave by themselves
        # Whether a move of cards can affect more piles than its own two and those of `fill`.
        self.reaches_all = self.automatic or self.pairs or self.peaks or self.clears
        # Whether a move of cards from pile to pile has no effect on other piles.
        self.only_carries = not (self.reaches_all or self.fill or self.stock_up)

    def _prepare_peaks(self) -> None:
        """Compute which places of peaks cover which."""
        first, tableau, piles = self.tableau.start, self.rules.tableau, range(len(self.pile_names))
        covering = covering_places(tableau) if tableau else ()
        self.peaks = any(covering)  # cards of the tableau cover each other
        by_pile = dict(enumerate(covering, first))
        # For each pile, the piles whose cards cover its card, and those whose cards it covers.
        self.covered_by: tuple[tuple[int, ...], ...] = tuple(
            tuple(first + place for place in by_pile.get(pile, ())) for pile in piles
        )
        self.covers: tuple[tuple[int, ...], ...] = tuple(
            tuple(place for place in piles if pile in self.covered_by[place]) for pile in piles
        )

    def _prepare_moves(self) -> None:
        """Compute all possible moves, and the tables to list and check them."""
        rules, tableau = self.rules, self.rules.tableau
        moves = tableau.moves if tableau else "card"
        self.moves_runs = moves != "card"
        self.by_spaces = moves == "run-by-spaces"
        self.by_places = moves == "run-by-places"
        # The empty piles through which single moves can carry cards from one tableau pile to
        # another: those that take any of these cards and return it to the tableau.
        carries = tableau is not None and tableau.empty == "any"
        self.carrying_columns = self.tableau if carries else range(0)
        stores = tableau is not None and "cell" in tableau.plays
        returns = rules.cells is not None and "tableau" in rules.cells.plays
        self.carrying_cells = self.cells if stores and returns else range(0)
        self.whole_runs = moves == "whole-run"
        self.moves_any = moves == "any"  # in any order
        self.spreads_runs = self.moves_runs and tableau is not None and "tableau" in tableau.plays
        self.runs_home = 0  # the bit set of possible heads of runs that players move to foundations
        if tableau is not None and "foundation" in tableau.plays:
            by_hand = (f for f, group in enumerate(self.groups) if not group.automatic)
            self.runs_home = reduce(or_, (self.run_takes[f] for f in by_hand), 0)
        self._longest = longest_run(rules)  # of runs between tableau piles
        self._deals_rows = "row" in rules.stock.plays
        self._piles = len(self.pile_names)
        width = -(-self._piles // _WIDTH) * _WIDTH
        # The single-card moves, by source and target.
        self._singles = tuple(_moves_from(source, width) for source in range(self._piles))
        self.homeward = self._rows_from("foundation")  # sources of single cards to foundations
        # The same, to tableau piles, or to the other card of a pair.
        self.spreading = self.homeward if self.pairs else self._rows_from("tableau")
        self.storing = self._rows_from("cell")  # the same, to cells
        plays = [0] * len(self.pile_names)
        for place, rows in zip(
            _OF_PLACE.values(), (self.homeward, self.spreading, self.storing), strict=True
        ):
            for source, _ in rows:
                plays[source] |= place
        self._plays = bytes(plays)  # for each pile, the kinds of piles that its top card may go to
        kinds: dict[Sequence[int], int]
        kinds = {self.foundations: _FOUNDATION, self.tableau: _TABLEAU, self.cells: _CELL}
        if self.pairs:
            partners = tuple(source for source, _ in self.homeward)
            kinds = {self.foundations: _FOUNDATION, partners: _TABLEAU}
            takes = takes_of(pair_fits())
            others = range(len(self.groups), self._piles)
            self.takes = (
                *self.takes[: len(self.groups)],
                *(takes if pile in partners else NO_CARD for pile in others),
            )
        # For each pile, its kind as a target of single cards.
        self._kinds = bytes(
            next((kind for piles, kind in kinds.items() if pile in piles), 0)
            for pile in range(len(self.pile_names))
        )
        # The moves of the stock that do not depend on its top card.
        self.stock_moves = tuple(self._stock_moves())
        self.stock_targets = frozenset(move.target for move in self.stock_moves)
        # Whether the stock's top card goes only to empty foundations that it may start.
        self.stock_starts = "foundation" in rules.stock.plays and (
            rules.stock.to_foundation == "first"
        )
        # Sources and targets of single cards in groups. No pile takes its own top card.
        self.ways = tuple(self._ways())

    def __repr__(self) -> str:
        return f"<Ruleset {self.game} {self.variant}>"

    @property
    def size(self) -> int:
        """The approximate size of the rules in bytes, including their share of shared tables."""
        return 4_000 + 100 * len(self.pile_names) + 1_100 * len(self.rules.foundations)

    def move(self, source: int, target: int, count: int = 1) -> Move:
        """Return the move between existing piles, or to `ROW`."""
        if count == 1 and target != ROW:
            return self._singles[source][target]
        return Move(source, target, count)

    def move_of(self, source: int, target: int, count: int) -> Move | None:
        """Return the move that three non-negative numbers encode, whether legal or not.

        As a target, the number of piles stands for `ROW`. It is `None` if no position of the game
        allows the move.
        """
        piles = self._piles
        if target == piles:
            deals = self._deals_rows and source == self.stock and count == 1
            return Move(source, ROW) if deals else None
        if not (0 <= source < piles and 0 <= target < piles and count > 0):
            return None
        if count == 1:
            return self._singles[source][target]
        return Move(source, target, count) if count <= self._most(source, target) else None

    def _most(self, source: int, target: int) -> int:
        if self.run(source, target) is None:
            return 1
        return RUN_LENGTH if target in self.foundations else self._longest

    def single(self, source: int, target: int) -> Takes | None:
        """Return the cards that one pile takes from the top of another, by its own top card.

        It is `None` if that decides no move: for other kinds of piles, and for invalid numbers.
        """
        piles = self._piles
        if not (0 <= source < piles and 0 <= target < piles) or source == target:
            return None
        place = self._plays[source] & self._kinds[target]
        if place:
            return ANY_CARD if place == _CELL else self.takes[target]
        if self.stock_starts and source == self.stock and target in self.foundations:
            return when_empty(self.takes[target][EMPTY])
        return None

    def run(self, source: int, target: int) -> Takes | None:
        """Return the heads of runs that one pile takes from another; `None` if it takes none."""
        if source not in self.tableau or source == target:
            return None
        if self.spreads_runs and target in self.tableau:
            takes = self.takes[target]
            return unless_empty(takes) if self.by_spaces else takes
        if self.runs_home and target in self.foundations:
            heads = self.run_takes[target]
            return when_empty(heads) if heads and not self.groups[target].automatic else None
        return None

    def numbers_of(self, move: Move) -> tuple[int, int, int]:
        """Return (source, target, count) as `move_of` takes them."""
        target = len(self.pile_names) if move.target == ROW else move.target
        return move.source, target, move.count

    def written(self, move: Move) -> str:
        """Return a move's text, as in `notation`, with `?` for an invalid pile number."""
        source, target, names = move.source, move.target, self.pile_names
        if 0 <= source < self._piles and 0 <= target < self._piles:
            text = f"{names[source]}>{names[target]}"
        else:
            text = f"{self._name(source)}>{self._name(target)}"
        return text if move.count == 1 else f"{text}x{move.count}"

    def _name(self, pile: int) -> str:
        if 0 <= pile < len(self.pile_names):
            return self.pile_names[pile]
        return "t" if pile == ROW else "?"

    def named(self, source: str, target: str, count: int) -> Move | None:
        """Return the move between two piles by name, whether legal or not; `t` takes a row.

        It is `None` if the game has no such pile.
        """
        numbers = self.pile_numbers
        if target == "t" and count == 1 and self._deals_rows and source == "s":
            return Move(self.stock, ROW)
        if source not in numbers or target not in numbers:
            return None
        return self.move(numbers[source], numbers[target], count)

    def _rows_from(self, place: Place) -> tuple[MoveRow, ...]:
        """Return the source piles whose top card may go to a kind of place."""
        rules = self.rules
        sources: list[int] = []
        if rules.tableau and place in rules.tableau.plays:
            sources += self.tableau
        if rules.waste and place in rules.waste.plays:
            sources.append(self.stock + 1)
        if rules.reserve and place in rules.reserve.plays:
            sources += self.reserve
        if rules.cells and place in rules.cells.plays:
            sources += self.cells
        if place == "tableau":
            sources += (pile for pile, group in enumerate(self.groups) if group.plays)
        if place in rules.stock.plays and (
            place == "tableau" or rules.stock.to_foundation == "fitting"
        ):
            sources.append(self.stock)
        return tuple((source, self._singles[source]) for source in sources)

    def _ways(self) -> Iterator[tuple[tuple[int, ...], range]]:
        if self.peaks or self.pairs:
            return
        for rows, targets in ((self.spreading, self.tableau), (self.homeward, self.foundations)):
            sources = tuple(source for source, _ in rows)
            if self.same_rank and targets == self.foundations:
                continue
            own = set(sources) & set(targets)
            if not any(self.builds[card][card] for card in range(PACK_SIZE) if own):
                yield sources, targets

    def _stock_moves(self) -> Iterator[Move]:
        stock = self.rules.stock
        if "waste" in stock.plays:
            assert self.waste is not None
            yield self.move(self.stock, self.waste)
        if "row" in stock.plays:
            yield Move(self.stock, ROW)
        if "foundation" in stock.plays and stock.to_foundation == "any":
            yield from (self.move(self.stock, target) for target in self.foundations)

    def laid_out_suits(self) -> Iterator[tuple[int, str, str]]:
        """Yield (foundation, rank, suit) of each card laid out before the deal."""
        for pile, group in enumerate(self.groups):
            if group.setup == "laid-out":
                nth = pile - self.groups.index(group)
                yield pile, group.first, group.suits[nth % len(group.suits)]


def digest_of(game: str, variant: str, rules: Rules) -> str:
    """Return a ruleset's digest: the first digits of a SHA-256 in hexadecimal.

    It covers the game's id, the variant's id and every field that affects play.
    """
    parts = [game, variant, _canonical(rules)]
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return sha256(_DIGEST_LABEL + b"\0" + text.encode()).hexdigest()[:DIGEST_LENGTH]


def _canonical(value: Any) -> Any:
    """Return rules or a part of them as JSON values."""
    if isinstance(value, tuple):
        return [_canonical(each) for each in value]
    if not is_dataclass(value):
        return value
    return {
        field.name: _canonical(getattr(value, field.name))
        for field in fields(value)
        if field.name != "name"
        # Defaults are left out, so that a new field of the schema leaves the digests of rules that
        # do not use it unchanged.
        and (field.default is MISSING or getattr(value, field.name) != field.default)
    }
