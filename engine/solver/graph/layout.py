"""A board as the tables and the first position of a search."""

from __future__ import annotations

from array import array

from engine.board import Board
from engine.cards import DOWN, PACK_SIZE, turned_up
from engine.solver.beam.random_numbers import numbers
from engine.solver.graph import indices as idx
from engine.solver.graph.indices import NONE
from engine.solver.graph.suits import base_of
from engine.solver.graph.tables import tables_of, union_of

MOST_MOVES = 512  # an upper bound of the moves of a position


class Layout:
    """A board in the form of the search."""

    def __init__(self, board: Board, *, rows: int, seen: int, moves: int) -> None:
        """Complete the tables of its ruleset.

        Args:
            rows: the most stored positions.
            seen: the capacity of the table of digests, a power of 2.
            moves: the most moves of a line.
        """
        self.ruleset = board.ruleset
        self._of_rules = tables_of(board.ruleset, base_of(board))
        self.piles = self._of_rules.piles  # the engine's number of each pile
        self.drawn = _drawn(board)  # the cards of waste and stock, in dealing order
        self.tables = self._of_rules.numbers[:]  # `t`, without weights
        self._add_drawn()
        self.start = self._start(board)  # the first numbers of the memory
        self.size = self._place_memory(rows, seen, moves)  # of the memory, in integers

    def _add_drawn(self) -> None:
        t = self.tables
        t[idx.STOCK_SIZE] = len(self.drawn)
        t[idx.DRAWN] = len(t)
        t.extend(self.drawn)
        if self.drawn and not t[idx.WASTE_HOME]:
            t[idx.REGULAR] = 0

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
            start[idx.AT_HOME] |= union_of(1 << card for card in pile_cards)
            start[idx.NEXT] |= self._of_rules.homes[f][top + 1]
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


def _drawn(board: Board) -> list[int]:
    """Return the cards of waste and stock in dealing order."""
    ruleset = board.ruleset
    waste = board.piles[ruleset.waste] if ruleset.waste is not None else b""
    return [*waste, *reversed(turned_up(board.piles[ruleset.stock]))]
