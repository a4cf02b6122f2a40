"""A ruleset and a board as the tables and the first position of a search."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from engine.board import Board
from engine.cards import DOWN, PACK_SIZE, SUITS, rank_of, turned_up
from engine.fits import EMPTY, Fits, same_rank_cards
from engine.ruleset import ENDLESS, Ruleset
from engine.solver.beam.random_numbers import Xorshift, numbers, random_numbers
from engine.solver.graph import indices as idx
from engine.solver.graph.indices import NONE

RANKS = 13
MOST_MOVES = 512  # an upper bound of the moves of a position

BY = {
    "card": idx.SINGLE,
    "run": idx.RUN,
    "run-by-spaces": idx.BY_SPACES,
    "run-by-places": idx.BY_PLACES,
    "whole-run": idx.WHOLE,
    "any": idx.ANY,
}


class Layout:
    """A ruleset and a board in the form of the search."""

    def __init__(self, board: Board, *, rows: int, seen: int, moves: int) -> None:
        """Make the tables.

        Args:
            rows: the most stored positions.
            seen: the capacity of the table of digests, a power of 2.
            moves: the most moves of a line.
        """
        self._board = board
        self.ruleset = ruleset = board.ruleset
        # The engine's number of each pile.
        self.piles = [*ruleset.tableau, *ruleset.cells, *ruleset.reserve]
        self._homes = _homes(board)
        self._foundations = list(zip(ruleset.groups, self._homes, strict=True))
        self._groups = list(dict.fromkeys(self._foundations))
        self._builds = _sets(ruleset.builds)
        self.drawn = _drawn(board)  # the cards of waste and stock, in dealing order
        self.tables = numbers([0] * idx.TABLES)  # `t`, without weights
        self._set_rules()
        self._add_tables()
        self.start = self._start(board)  # the first numbers of the memory
        self.size = self._place_memory(rows, seen, moves)  # of the memory, in integers

    def _set_rules(self) -> None:
        ruleset, t = self.ruleset, self.tables
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
        t[idx.STOCK_SIZE] = len(self.drawn)

    def _is_regular(self) -> bool:
        """Return whether `going_home.is_safe` is defined."""
        ruleset, t = self.ruleset, self.tables
        # Each suit has one foundation, all in the same order, and all piles can send cards home.
        return is_by_suit(ruleset) and all(
            t[home] == 1 or number == 0
            for home, number in (
                (idx.COLUMN_HOME, t[idx.COLUMNS]),
                (idx.CELL_HOME, t[idx.CELLS]),
                (idx.RESERVE_HOME, t[idx.RESERVES]),
                (idx.WASTE_HOME, len(self.drawn)),
            )
        )

    def _add_tables(self) -> None:
        """Append the tables, and set their offsets."""
        cards = range(PACK_SIZE)
        kids = self._builds[1:]
        grandkids = [_union(kids[kid] for kid in _members(kids[card])) for card in cards]
        turn = turns_home(self._board)
        by_turn = {(card // RANKS, turn[card]): card for card in cards}
        before = [by_turn.get((card // RANKS, turn[card] - 1), NONE) for card in cards]
        wide = Xorshift(0x85EBCA6B)
        salts = [wide.wide() for _ in range(2 + len(self.ruleset.reserve))]
        for index, values in (
            (idx.BUILDS, self._builds),
            (idx.RUNS, _sets(self.ruleset.carries)),
            (idx.HOMES, [value for _, home in self._groups for value in home]),
            (idx.GROUP, [self._groups.index(each) for each in self._foundations]),
            (idx.KIDS, kids),
            (idx.GRANDKIDS, grandkids),
            (idx.PARENTS, [_union(1 << p for p in cards if kids[p] >> c & 1) for c in cards]),
            (idx.UNDER, _closures(kids)),
            (idx.TURN, turn),
            (idx.LINE, [card // RANKS for card in cards]),
            (idx.BEFORE, before),
            (idx.DRAWN, self.drawn),
            (idx.RANDOM, random_numbers((PACK_SIZE + 1) * PACK_SIZE)),
            (
                idx.SALT,
                [
                    *[salts[0]] * len(self.ruleset.tableau),
                    *[salts[1]] * len(self.ruleset.cells),
                    *salts[2:],
                ],
            ),
            (idx.ALIKE, self._alike(wide)),
        ):
            self.tables[index] = len(self.tables)
            self.tables.extend(values)

    def _alike(self, chance: Xorshift) -> list[int]:
        """Return a random number for each group and set of cards that a top card takes."""
        found: dict[object, int] = {}
        return [
            found.setdefault((group, takes), chance.wide())
            for group, home in self._groups
            for takes in home
        ]

    def _start(self, board: Board) -> array[int]:
        start = numbers([0] * idx.MEMORY)
        random = self.tables[idx.RANDOM]
        for pile, number in enumerate(self.piles):
            cards = board.piles[number]
            start[idx.SIZE + pile] = len(cards)
            if number in self.ruleset.tableau:
                start[idx.HIDDEN + pile] = sum(card & DOWN != 0 for card in cards)
            for place, card in enumerate(turned_up(cards)):
                start[idx.CARDS + pile * idx.STRIDE + place] = card
                start[idx.HASH + pile] ^= self.tables[random + place * PACK_SIZE + card]
        for f in self.ruleset.foundations:
            pile_cards = board.piles[f]
            top = pile_cards[-1] if pile_cards else NONE
            start[idx.TOPS + f] = top
            start[idx.AT_HOME] |= _union(1 << card for card in pile_cards)
            start[idx.NEXT] |= self._homes[f][top + 1]
        start[idx.COUNT_HOME] = start[idx.BEST] = board.home
        start[idx.ALIVE] = (1 << len(self.drawn)) - 1
        waste = self.ruleset.waste
        start[idx.WASTE] = len(board.piles[waste]) if waste is not None else 0
        start[idx.REDEALS] = board.redeals if self.tables[idx.REDEALS_MOST] != NONE else 0
        return start

    def _place_memory(self, rows: int, seen: int, moves: int) -> int:
        """Set the offsets of the parts of the memory, and return its size."""
        t = self.tables
        nodes = 4 * rows + PACK_SIZE * MOST_MOVES
        t[idx.LIST_SIZE], t[idx.UNDO_SIZE], t[idx.STACK_SIZE] = MOST_MOVES, moves, 16 * moves
        t[idx.MOST_ROWS], t[idx.MOST_NODES] = rows, nodes
        self.start[idx.SEEN_MASK] = seen - 1
        self.start[idx.DEEPEST] = moves - PACK_SIZE - 1
        size = idx.MEMORY
        for index, length in (
            (idx.LIST, MOST_MOVES),  # the moves of a position
            (idx.UNDO, moves * idx.UNDO_RECORD),  # the undo records of the line
            (idx.STACK, t[idx.STACK_SIZE]),  # the moves left to try
            (idx.SEEN, seen),  # a hash table of positions
            (idx.PARENT, nodes),  # the parent of each node
            (idx.MOVE, nodes),  # the move that leads to each node
            (idx.RECORDS, rows * idx.RECORD),  # the record of each row
            (idx.HEAP, rows),  # the rows waiting for expansion, best first
        ):
            t[index] = size
            size += length
        return size


def is_by_suit(ruleset: Ruleset) -> bool:
    """Return whether each foundation takes the cards of one suit, all in the same order."""
    groups = dict.fromkeys(ruleset.groups)
    firsts = {group.first for group in groups}
    return (
        all(g.takes == "card" and g.match == "suit" for g in groups)
        and len({(g.order, g.wrap, g.last) for g in groups}) == 1
        and ruleset.groups[0].order in {"up", "down"}
        and len(ruleset.foundations) == len(SUITS)
        and (len(firsts) == 1 if "same" not in firsts else ruleset.groups[0].setup == "dealt")
        and firsts != {"any"}
        and sorted("".join(g.suits for g in groups if g.first != "same")) == sorted(SUITS)
        and all("same" in firsts or len(g.suits) == g.piles for g in groups)
    )


def turns_home(board: Board) -> list[int]:
    """Return for each card the number of preceding cards of its suit; 0 if not fixed."""
    ruleset = board.ruleset
    if not is_by_suit(ruleset):
        return [0] * PACK_SIZE
    if not ruleset.same_rank:
        return list(ruleset.turns)
    base = board.piles[0][0]
    step = 1 if ruleset.groups[0].order == "up" else -1
    return [(card - base) * step % RANKS for card in range(PACK_SIZE)]


def _drawn(board: Board) -> list[int]:
    """Return the cards of waste and stock in dealing order."""
    ruleset = board.ruleset
    waste = board.piles[ruleset.waste] if ruleset.waste is not None else b""
    return [*waste, *reversed(turned_up(board.piles[ruleset.stock]))]


def _homes(board: Board) -> list[tuple[int, ...]]:
    """Return the cards that each foundation takes, as sets by top card."""
    ruleset = board.ruleset
    homes = [_sets(fits) for fits in ruleset.homes]
    for f in ruleset.same_rank:
        homes[f][0] &= same_rank_cards(rank_of(board.piles[0][0]))
    return [tuple(home) for home in homes]


def _sets(fits: Fits) -> list[int]:
    """Return a table of cards as sets: the cards that fit on each top card, `[top + 1]`."""
    rows = [fits[EMPTY], *fits[:PACK_SIZE]]
    return [_union(1 << card for card in range(PACK_SIZE) if row[card]) for row in rows]


def _members(cards: int) -> list[int]:
    return [card for card in range(PACK_SIZE) if cards >> card & 1]


def _union(sets: Iterable[int]) -> int:
    union = 0
    for each in sets:
        union |= each
    return union


def _closures(kids: list[int]) -> list[int]:
    """Return the cards that could lie above each card, directly or indirectly."""
    over = list(kids)
    for _ in range(RANKS):
        over = [each | _union(over[card] for card in _members(each)) for each in over]
    return over


def fits_layout(ruleset: Ruleset) -> bool:
    """Return whether a layout can represent these rules.

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
