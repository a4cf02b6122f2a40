"""A ruleset and a board as the tables and the first row of a search."""

from __future__ import annotations

from array import array
from collections import Counter
from functools import cache

from engine.board import Board
from engine.cards import DOWN, PACK_SIZE, is_red, turned_up
from engine.fits import EMPTY
from engine.ruleset import ROW, Move, Ruleset
from engine.solver.beam import indices as idx
from engine.solver.beam.indices import NONE
from engine.solver.beam.random_numbers import Xorshift, numbers, random_numbers
from engine.solver.beam.rows import encoded

RANKS = 13

# The ways of moving runs, in the order of `idx.SINGLE` and its successors.
WAYS = ("card", "run", "run-by-spaces", "run-by-places")

CACHED = 1 << 15  # the size of the cache of the points of piles


@cache
def kinds_of(ruleset: Ruleset) -> tuple[int, ...]:
    """Return the kind of each card: cards that no rule distinguishes have the same kind."""
    traits: dict[object, int] = {}
    tables = [ruleset.builds, ruleset.carries, *dict.fromkeys(ruleset.homes)]
    kinds = []
    for card in range(PACK_SIZE):
        # Cards with equal traits fit on and under the same cards, in the tableau and on
        # foundations, so swapping them in a position changes no later legal move.
        trait = (
            tuple(table[card] for table in tables),
            tuple(bytes(row[card] for row in table) for table in tables),
            tuple(heads[card] for heads in ruleset.run_heads),
        )
        kinds.append(traits.setdefault(trait, len(traits)))
    return tuple(kinds)


class Layout:
    """A ruleset and a board in the form of the search, with a translation of moves."""

    def __init__(self, board: Board, rows: int) -> None:
        """Make the tables for a search of at most `rows` positions, a power of 2."""
        self.ruleset = ruleset = board.ruleset
        self._kind = kinds_of(ruleset)
        self._cards = [self._kind.index(kind) for kind in range(max(self._kind) + 1)]
        self._groups = list(dict.fromkeys(ruleset.groups))
        self._piles: list[int | None] = [ruleset.stock, *ruleset.tableau, ruleset.waste]
        copies = Counter(self._kind[card] for card in ruleset.pack)
        self._copies = [copies[kind] for kind in range(len(self._cards))]
        self._line, self._turn = self._lines()
        self.tables = numbers([0] * idx.TABLES)  # `t`, without weights and plan
        self._set_rules(board)
        self._add_tables(board)
        self.row = self._row(board)
        self.size = self._place_memory(rows)  # of the memory, in integers

    def _row(self, board: Board) -> array[int]:
        piles = [b"" if pile is None else board.piles[pile] for pile in self._piles]
        cards = [self._kind[card & ~DOWN] for pile in piles for card in pile]
        hidden = [sum(card & DOWN != 0 for card in pile) for pile in piles]
        hidden[0] = 0
        tops = [
            self._kind[pile[-1]] if pile else NONE
            for pile in (board.piles[f] for f in self.ruleset.foundations)
        ]
        return array("b", [*cards, *map(len, piles), *hidden, *tops, board.redeals])

    def move(self, encoded: int) -> Move:
        """Return the move for the search's encoding."""
        source, target, count = encoded >> 17, encoded >> 7 & 1023, encoded & 127
        ruleset = self.ruleset
        pile = self._piles[source]
        assert pile is not None
        if target < len(self._piles):
            onto = self._piles[target]
            assert onto is not None
            return ruleset.move(pile, onto, 1 if target == 0 else count)
        target -= len(self._piles)
        return ruleset.move(pile, ROW if target == len(ruleset.foundations) else target, count)

    def encoded(self, move: Move) -> int:
        """Return the search's encoding of a move."""
        piles = self._piles
        if move.target == ROW:
            target = len(piles) + len(self.ruleset.foundations)
        elif move.target in self.ruleset.foundations:
            target = len(piles) + move.target
        else:
            target = piles.index(move.target)
        return encoded(piles.index(move.source), target, move.count)

    def _set_rules(self, board: Board) -> None:
        ruleset, t = self.ruleset, self.tables
        tableau, stock, waste = ruleset.rules.tableau, ruleset.rules.stock, ruleset.rules.waste
        plays = tableau.plays if tableau else ()
        waste_plays = waste.plays if waste else ()
        t[idx.KINDS] = len(self._cards)
        t[idx.COLUMNS] = len(ruleset.tableau)
        t[idx.FOUNDATIONS] = len(ruleset.foundations)
        t[idx.ROOM] = room = sum(map(len, board.piles)) - board.home
        t[idx.TOTAL] = ruleset.total
        t[idx.WIDTH] = room + 2 * len(self._piles) + len(ruleset.foundations) + 1
        t[idx.REDEALS] = ruleset.redeals
        t[idx.RUNS] = WAYS.index(tableau.moves) if tableau else 0
        if t[idx.RUNS] >= idx.BY_SPACES and not ruleset.carrying_columns:
            t[idx.RUNS] = idx.SINGLE
        t[idx.COLUMN_HOME] = "foundation" in plays
        t[idx.COLUMN_SPREAD] = "tableau" in plays
        t[idx.WASTE_HOME] = "foundation" in waste_plays
        t[idx.WASTE_SPREAD] = "tableau" in waste_plays
        t[idx.STOCK_WASTE] = "waste" in stock.plays
        t[idx.STOCK_ROW] = "row" in stock.plays
        t[idx.STOCK_SPREAD] = "tableau" in stock.plays
        ways = {"fitting": idx.FITTING, "first": idx.STARTING, "any": idx.ANYWHERE}
        if "foundation" in stock.plays:
            t[idx.STOCK_HOME] = ways[stock.to_foundation]
        t[idx.FILLS] = len(ruleset.fill)
        t[idx.RUN_GROUPS] = any(group.takes == "run" for group in ruleset.groups)
        t[idx.AUTOMATIC_RUNS] = ruleset.automatic
        t[idx.ROWS_NEED_CARDS] = ruleset.rows_need_cards
        t[idx.ROWS_ALONE] = stock.plays == ("row",)
        t[idx.DEFERS] = stock.plays == ("waste",) and not ruleset.fill
        t[idx.TIMED] = waste is not None and self._has_order() and self._is_one_to_one()
        t[idx.LINES] = max(self._line) + 1
        t[idx.STOCK] = len(board.piles[ruleset.stock])
        t[idx.DEALS] = self._deal_of(t[idx.STOCK] - 1)

    def _add_tables(self, board: Board) -> None:
        """Append the tables, and set their offsets."""
        ruleset, kinds = self.ruleset, range(len(self._cards))
        builds = self._fits(ruleset.builds)
        homes = [self._fits(ruleset.homes[ruleset.groups.index(g)]) for g in self._groups]
        kids = [[kid for kid in kinds if builds[(top + 1) * len(kinds) + kid]] for top in kinds]
        by_line = [NONE] * (RANKS * self.tables[idx.LINES])
        for kind in kinds:
            by_line[self._line[kind] * RANKS + self._turn[kind]] = kind
        draws = self._draws(board)
        sets = [self._sets(table) for table in (builds, *homes)]
        places = (self.tables[idx.ROOM] + 1) * len(kinds)
        for index, values in (
            (idx.BUILDS, builds),
            (idx.GROUP, [self._groups.index(group) for group in ruleset.groups]),
            (idx.HOMES, [value for table in homes for value in table]),
            (idx.ALIKE, self._alike(homes)),
            (idx.HEADS, self._heads()),
            (idx.FILL, [self._piles.index(pile) for pile in ruleset.fill]),
            (idx.LINE, self._line),
            (idx.TURN, self._turn),
            (idx.SLOTS, [self._slots(line) for line in range(self.tables[idx.LINES])]),
            (idx.BY_LINE, by_line),
            (idx.ORPHAN, [int(all(kind not in each for each in kids)) for kind in kinds]),
            (idx.KIDS_AT, [sum(map(len, kids[:kind])) for kind in range(len(kinds) + 1)]),
            (idx.KIDS, [kid for each in kids for kid in each]),
            (
                idx.FIRST_DRAW,
                # -1 if a card of the kind is already dealt.
                [
                    deals[0] if deals and len(deals) == copies else -1
                    for deals, copies in zip(draws, self._copies, strict=True)
                ],
            ),
            (idx.LAST_DRAW, [max(draws[kind], default=-1) for kind in kinds]),
            (idx.RANDOM, random_numbers(places)),
            (idx.ACCEPTS, sets[0]),
            (idx.TAKES, [value for each in sets[1:] for value in each]),
            (idx.CARRIES, self._sets(self._fits(ruleset.carries))),
        ):
            self.tables[index] = len(self.tables)
            self.tables.extend(values)

    def _place_memory(self, rows: int) -> int:
        """Set the offsets of the parts of the memory, and return its size."""
        t = self.tables
        piles = len(self._piles)
        nodes = 4 * rows
        t[idx.MOST_ROWS], t[idx.MOST_NODES] = rows, nodes
        t[idx.CAPPED_MASK] = 2 * rows - 1
        t[idx.CACHE_MASK] = CACHED - 1
        t[idx.RECORD] = idx.PILE_HASHES + 2 * piles
        size = idx.COUNTERS
        for index, length in (
            (idx.RECORDS, rows * t[idx.RECORD]),  # the record of each row
            (idx.HEAP, rows),  # the rows waiting for expansion, best first
            (idx.SEEN, 2 * rows),  # a hash table of the positions between two deals
            (idx.FILLED, 2 * rows),  # the used entries of hash tables
            (idx.PARENT, nodes),  # the parent of each node
            (idx.MOVE, nodes),  # the move that leads to each node
            (idx.MARKS, nodes),  # which nodes, or rows, are kept
            (idx.HAND, 256),  # the moving cards, then automatic moves
            (idx.CHANGED, piles),  # whether a pile's points are outdated
            (idx.TIMES, len(self._cards)),  # when each kind is needed
            (idx.CACHE, 2 * CACHED),  # the points of piles: key and points
            (idx.LOWEST, t[idx.LINES]),
            # Each foundation's number of cards of its line; then each line's maximum and minimum.
            (idx.COUNTS, t[idx.FOUNDATIONS] + 2 * t[idx.LINES]),
            (idx.ENDS, piles),  # the ends of the expanded row's piles
            (idx.ACCEPTED, piles),  # the kinds that fit on each of its tableau piles
            (idx.CAPPED, 2 * rows),  # a hash table of the kept signatures
            (idx.KEPT, 2 * rows),  # their numbers
        ):
            t[index] = size
            size += length
        return size

    def _fits(self, fits: tuple[bytes, ...]) -> list[int]:
        """Return a table of cards as a table of kinds: `[(top + 1) * kinds + kind]`."""
        rows = [fits[EMPTY], *[fits[card] for card in self._cards]]
        return [row[card] for row in rows for card in self._cards]

    def _sets(self, fits: list[int]) -> list[int]:
        """Return a table of kinds as bit sets: the kinds that fit on each, `[top + 1]`."""
        kinds = len(self._cards)
        rows = [fits[at : at + kinds] for at in range(0, len(fits), kinds)]
        return [sum(fit << kind for kind, fit in enumerate(row)) for row in rows]

    def _has_order(self) -> bool:
        """Return whether each foundation has a fixed first rank and direction."""
        return all(g.first != "any" and g.order in ("up", "down") for g in self._groups)

    def _is_one_to_one(self) -> bool:
        """Return whether line and turn identify a kind."""
        return len(set(zip(self._line, self._turn, strict=True))) == len(self._cards)

    def _lines(self) -> tuple[list[int], list[int]]:
        """Return each kind's line, and the number of preceding cards in the line.

        A line is a sequence of kinds that one foundation takes.
        """
        # A card that only goes home in runs would come after all turns; it shares the last.
        turn = [min(self.ruleset.turns[card], RANKS - 1) for card in self._cards]
        matches = {g.match for g in self._groups if g.takes == "card"}
        match = matches.pop() if len(matches) == 1 else "any"
        if match == "suit":
            return [card // RANKS for card in self._cards], turn
        if match == "colour":
            return [int(is_red(card)) for card in self._cards], turn
        return [0] * len(self._cards), turn

    def _slots(self, line: int) -> int:
        """Return the maximum number of foundations of a line, which may lack kinds."""
        if line not in self._line:
            return 0
        kind = self._line.index(line)
        taking = sum(any(row[self._cards[kind]] for row in fits) for fits in self.ruleset.homes)
        return min(taking, self._copies[kind])

    @property
    def regular(self) -> bool:
        """Whether `may_go_home` is defined.

        Each foundation takes all cards of one line in one order, and each copy of a starting card
        has one.
        """
        groups, rules = self._groups, self.ruleset.rules
        starts = sum(
            copies for copies, turn in zip(self._copies, self._turn, strict=True) if turn == 0
        )
        return (
            all(g.takes == "card" and g.match in ("suit", "any") for g in groups)
            and len({(g.first, g.order, g.suits, g.match, g.wrap) for g in groups}) == 1
            and len(self.ruleset.foundations) >= starts
            # A card left in the waste shifts the piles onto which the next pass deals others.
            and not ("row" in rules.stock.plays and self.ruleset.redeals)
            and self._has_order()
            and self._is_one_to_one()
            and not self.ruleset.fill  # a card may be needed as filling
            and rules.stock.to_foundation != "any"
            and all(
                copies == self._slots(line)
                for copies, line in zip(self._copies, self._line, strict=True)
            )
        )

    def _alike(self, homes: list[list[int]]) -> list[int]:
        """Return a random number for each group and set of cards that a top card takes."""
        kinds = len(self._cards)
        chance = Xorshift(0x85EBCA6B)
        found: dict[object, int] = {}
        values = []
        for group, table in zip(self._groups, homes, strict=True):
            for top in range(kinds + 1):
                row = tuple(table[top * kinds : (top + 1) * kinds])
                # Runs, or the stock's cards, go only to empty foundations.
                only_empty = group.takes == "run" or self.ruleset.stock_starts
                key = (group, row, only_empty and top > 0)
                if key not in found:
                    found[key] = chance.wide()
                values.append(found[key])
        return values

    def _heads(self) -> list[int]:
        """Return, per group, whether it takes runs, and for each kind, runs with that head."""
        values: list[int] = []
        for group in self._groups:
            heads = self.ruleset.run_heads[self.ruleset.groups.index(group)]
            values += [int(group.takes == "run"), *[heads[card] for card in self._cards]]
        return values

    def _deal_of(self, at: int) -> int:
        """Return the number, from 1, of the deal with the stock's card at an index."""
        row = len(self.ruleset.tableau) if "row" in self.ruleset.rules.stock.plays else 1
        return at // row + 1

    def _draws(self, board: Board) -> list[list[int]]:
        draws: list[list[int]] = [[] for _ in self._cards]
        for at, card in enumerate(reversed(turned_up(board.piles[self.ruleset.stock]))):
            draws[self._kind[card]].append(self._deal_of(at))
        return draws
