"""A ruleset as the tables of a search."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from functools import lru_cache

from engine.cards import PACK_SIZE, RANKS, SUITS, Card, rank_of
from engine.fits import EMPTY, Fits, same_rank_cards
from engine.ruleset import ENDLESS, Ruleset
from engine.solver.beam.random_numbers import Xorshift, numbers, random_numbers
from engine.solver.graph import indices as idx
from engine.solver.graph.indices import NONE
from engine.solver.graph.suits import is_by_suit, turns_home

SUIT = PACK_SIZE // len(SUITS)  # cards of a suit

BY = {
    "card": idx.SINGLE,
    "run": idx.RUN,
    "run-by-spaces": idx.BY_SPACES,
    "run-by-places": idx.BY_PLACES,
    "whole-run": idx.WHOLE,
    "any": idx.ANY,
}


@lru_cache(maxsize=8)
def tables_of(ruleset: Ruleset, base: Card | None) -> Tables:
    """Return the tables of a ruleset and the card of `suits.base_of`, which must not change."""
    return Tables(ruleset, base)


class Tables:
    """A ruleset in the form of the search."""

    def __init__(self, ruleset: Ruleset, base: Card | None) -> None:
        self._ruleset = ruleset
        self._base = base
        # The engine's number of each pile.
        self.piles = [*ruleset.tableau, *ruleset.cells, *ruleset.reserve]
        self.homes = _homes(ruleset, base)
        self._foundations = list(zip(ruleset.groups, self.homes, strict=True))
        self._groups = list(dict.fromkeys(self._foundations))
        self._builds = _sets(ruleset.builds)
        self.numbers: array[int] = numbers([0] * idx.TABLES)  # `t`, but for weights and the board
        self._set_rules()
        self._add_tables()

    def _set_rules(self) -> None:
        ruleset, t = self._ruleset, self.numbers
        rules = ruleset.rules
        tableau, stock, waste = rules.tableau, rules.stock, rules.waste
        assert tableau is not None
        t[idx.COLUMNS] = len(ruleset.tableau)
        t[idx.CELLS] = len(ruleset.cells)
        t[idx.RESERVES] = len(ruleset.reserve)
        t[idx.PILES] = len(self.piles)
        t[idx.FOUNDATIONS] = len(ruleset.foundations)
        t[idx.TOTAL] = ruleset.total
        t[idx.WIDTH] = ruleset.total + 2 * len(self.piles) + len(ruleset.foundations)
        t[idx.MOVES_BY] = BY[tableau.moves]
        t[idx.THROUGH_SPACES] = len(ruleset.carrying_columns) > 0
        t[idx.THROUGH_CELLS] = len(ruleset.carrying_cells) > 0
        cells, reserve = rules.cells, rules.reserve
        for plays, home, spread, cell in (
            (tableau.plays, idx.COLUMN_HOME, idx.COLUMN_SPREAD, idx.COLUMN_CELL),
            (cells.plays if cells else (), idx.CELL_HOME, idx.CELL_SPREAD, None),
            (
                reserve.plays if reserve else (),
                idx.RESERVE_HOME,
                idx.RESERVE_SPREAD,
                idx.RESERVE_CELL,
            ),
            (waste.plays if waste else (), idx.WASTE_HOME, idx.WASTE_SPREAD, idx.WASTE_CELL),
        ):
            t[home], t[spread] = "foundation" in plays, "tableau" in plays
            if cell is not None:
                t[cell] = "cell" in plays
        if "waste" in stock.plays:
            t[idx.STOCK_TO] = idx.TO_WASTE
        elif "foundation" in stock.plays:
            t[idx.WASTE_HOME] = 1
            is_any = stock.to_foundation == "any"
            t[idx.STOCK_TO] = idx.TO_ANY if is_any else idx.TO_FOUNDATION
        t[idx.TURNS] = stock.turns
        t[idx.REDEALS_MOST] = NONE if ruleset.redeals == ENDLESS else ruleset.redeals
        t[idx.HOME_SPREAD] = ruleset.gives_back
        t[idx.FILLS] = bool(ruleset.fill)
        t[idx.REGULAR] = self._is_regular()
        t[idx.WHOLE_RUNS] = (
            tableau.moves == "run"
            and tableau.order in ("up", "down")
            and ruleset.carries == ruleset.builds
            and not cells
        )
        t[idx.LAZY_SPACES] = (
            tableau.empty != "any" and tableau.moves in {"run", "any"} and not cells
        )

    def _is_regular(self) -> bool:
        """Return whether `going_home.is_safe` is defined, unless stock and waste have cards."""
        ruleset, t = self._ruleset, self.numbers
        # Each suit has one foundation, all in the same order, and all piles can send cards home.
        return is_by_suit(ruleset) and all(
            t[home] == 1 or number == 0
            for home, number in (
                (idx.COLUMN_HOME, t[idx.COLUMNS]),
                (idx.CELL_HOME, t[idx.CELLS]),
                (idx.RESERVE_HOME, t[idx.RESERVES]),
            )
        )

    def _add_tables(self) -> None:
        """Append the tables, and set their offsets."""
        cards = range(PACK_SIZE)
        kids = self._builds[1:]
        grandkids = [union_of(kids[kid] for kid in _members(kids[card])) for card in cards]
        turn = turns_home(self._ruleset, self._base)
        by_turn = {(card // SUIT, turn[card]): card for card in cards}
        before = [by_turn.get((card // SUIT, turn[card] - 1), NONE) for card in cards]
        wide = Xorshift(0x85EBCA6B)
        salts = [wide.wide() for _ in range(2 + len(self._ruleset.reserve))]
        for index, values in (
            (idx.BUILDS, self._builds),
            (idx.RUNS, _sets(self._ruleset.carries)),
            (idx.HOMES, [value for _, home in self._groups for value in home]),
            (idx.GROUP, [self._groups.index(each) for each in self._foundations]),
            (idx.KIDS, kids),
            (idx.GRANDKIDS, grandkids),
            (idx.PARENTS, [union_of(1 << p for p in cards if kids[p] >> c & 1) for c in cards]),
            (idx.UNDER, _closures(kids)),
            (idx.TURN, turn),
            (idx.LINE, [card // SUIT for card in cards]),
            (idx.BEFORE, before),
            (idx.RANDOM, random_numbers((PACK_SIZE + 1) * PACK_SIZE)),
            (
                idx.SALT,
                [
                    *[salts[0]] * len(self._ruleset.tableau),
                    *[salts[1]] * len(self._ruleset.cells),
                    *salts[2:],
                ],
            ),
            (idx.ALIKE, self._alike(wide)),
        ):
            self.numbers[index] = len(self.numbers)
            self.numbers.extend(values)

    def _alike(self, chance: Xorshift) -> list[int]:
        """Return a random number for each group and set of cards that a top card takes."""
        found: dict[object, int] = {}
        return [
            found.setdefault((group, takes), chance.wide())
            for group, home in self._groups
            for takes in home
        ]


def _homes(ruleset: Ruleset, base: Card | None) -> list[tuple[int, ...]]:
    """Return the cards that each foundation takes, as sets by top card."""
    homes = [_sets(fits) for fits in ruleset.homes]
    if base is not None:
        for f in ruleset.same_rank:
            homes[f][0] &= same_rank_cards(rank_of(base))
    return [tuple(home) for home in homes]


def _sets(fits: Fits) -> list[int]:
    """Return a table of cards as sets: the cards that fit on each top card, `[top + 1]`."""
    rows = [fits[EMPTY], *fits[:PACK_SIZE]]
    return [union_of(1 << card for card in range(PACK_SIZE) if row[card]) for row in rows]


def _members(cards: int) -> list[int]:
    return [card for card in range(PACK_SIZE) if cards >> card & 1]


def union_of(sets: Iterable[int]) -> int:
    """Return the union of sets of cards."""
    union = 0
    for each in sets:
        union |= each
    return union


def _closures(kids: list[int]) -> list[int]:
    """Return the cards that could lie above each card, directly or indirectly."""
    over = list(kids)
    for _ in RANKS:
        over = [each | union_of(over[card] for card in _members(each)) for each in over]
    return over


def fits_tables(ruleset: Ruleset) -> bool:
    """Return whether tables can represent these rules.

    They need one pack with each card once; foundations that take single cards, by suit if they give
    cards back; and a stock that goes to the waste, or from its top to foundations. If clearing the
    tableau wins, the other cards must be able to go home at any time: a line that wins without this
    rule then wins with it, and the other way round.
    """
    rules = ruleset.rules
    others = rules.waste or rules.reserve or rules.cells
    always = not rules.stock.plays or rules.stock.to_foundation == "any"
    return (
        rules.tableau is not None
        and not ruleset.peaks
        and (not ruleset.clears or (always and not others))
        and len(ruleset.pack) == len(set(ruleset.pack))
        and all(group.takes == "card" for group in ruleset.groups)
        and (not ruleset.gives_back or (is_by_suit(ruleset) and not ruleset.same_rank))
        and rules.stock.plays in {(), ("waste",), ("foundation",)}
        and rules.stock.to_foundation != "first"
        and set(rules.tableau.fill) <= {"reserve"}
    )
