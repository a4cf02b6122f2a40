"""An exact method for games whose columns only give cards to one foundation, such as Golf.

Cards leave a column from its end, and the stock from its top. So a position is the number of cards
in each column, its *heights*; the number of cards in the stock; and the card on the foundation, of
which only the kind matters. Golf has 6 ** 7 heights and 17 sizes of its stock. For each of these
pairs, a set of kinds has a bit for each kind that may lie on the foundation then. Going through the
heights downwards, every move only leads to later ones, so each set is complete when its turn comes.
This decides all boards, and the most cards that can come home.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final

from engine.board import Board
from engine.cards import PACK_SIZE, turned_up
from engine.fits import EMPTY
from engine.moves import top_of
from engine.play import play
from engine.ruleset import Move, Ruleset
from engine.solver import graph
from engine.solver.beam.random_numbers import numbers
from engine.solver.compiled import compiled
from engine.solver.graph.indices import Ints
from engine.solver.solution import Solution, Verdict

MOST: Final = 1 << 23  # the most sets; they take 64 MB

PROOF: Final = "All positions that can be reached were searched."

# The tables: some numbers, then for each column its size, the weight of its height in a number that
# stands for all heights, and the place of its first card's kind in the table. The other numbers are
# the places of the parts that follow: for each size of the stock, the kind of its top card; and for
# each kind, the set of the kinds that it may follow.
_COLUMNS, _STOCK, _HEIGHTS, _FIRST, _ALWAYS, _KINDS, _BEFORE, _PARTS = range(8)
_PART = 3


def applies(ruleset: Ruleset) -> bool:
    """Return whether the rules have few enough heights, and no other moves than to a foundation."""
    rules, tableau = ruleset.rules, ruleset.rules.tableau
    return (
        tableau is not None
        and tableau.plays == ("foundation",)
        and not (ruleset.peaks or ruleset.pairs or ruleset.fill or ruleset.same_rank)
        and len(ruleset.foundations) == 1
        and ruleset.groups[0].takes == "card"
        and not ruleset.gives_back
        and not (rules.waste or rules.reserve or rules.cells)
        and rules.stock.plays in {(), ("foundation",)}
        and rules.stock.to_foundation != "first"
        and _size([size + 1 for size in tableau.deal], ruleset.in_stock) <= MOST
    )


def _size(heights: list[int], stock: int) -> int:
    """Return the size of the memory: each heights' sets, and their highest size of the stock."""
    return prod(heights) * (stock + 2) + len(heights)


def solve(board: Board, budget: int = 0) -> Solution:
    """Return the most cards home, and a line that reaches it.

    A line that wins leaves as many cards as possible in the stock, before these go home as well.
    The effort is the number of cards that have to be dealt for it, and of those that stay in the
    columns; the steps are the sets that are not empty. The budget is only used for boards with much
    longer columns than the rules deal, which take too much memory.
    """
    if board.won:
        return Solution(Verdict.WINNABLE, (), board.home, most=True)
    columns = [len(board.piles[pile]) + 1 for pile in board.ruleset.tableau]
    if _size(columns, len(board.piles[board.ruleset.stock])) > MOST:
        if graph.applies(board.ruleset):
            return graph.solve(board, budget)
        return Solution(Verdict.UNKNOWN, (), board.home, most=False)
    table = _Table(board)
    end = table.best()
    line = table.line_to(end)
    after = board
    for move in line:
        after, _ = play(after, move)
    deal = board.ruleset.move(board.ruleset.stock, 0)
    while table.always and after.piles[board.ruleset.stock] and not after.won:
        line.append(deal)
        after, _ = play(after, deal)
    return Solution(
        Verdict.WINNABLE if after.won else Verdict.IMPOSSIBLE,
        tuple(line),
        after.home,
        most=True,
        proof="" if after.won else PROOF,
        effort=table.stock - end.stock + table.left(end.heights),
        steps=table.steps,
    )


@dataclass(frozen=True, slots=True)
class _End:
    """Heights, as a number, and a size of the stock."""

    heights: int
    stock: int


class _Table:
    """A board's sets of kinds."""

    def __init__(self, board: Board) -> None:
        ruleset = self._ruleset = board.ruleset
        fits = ruleset.homes[0]
        # Cards of a kind take and follow the same cards.
        tops = (*range(PACK_SIZE), EMPTY)
        traits = [(fits[card], bytes(fits[top][card] for top in tops)) for card in range(PACK_SIZE)]
        numbered = {trait: kind for kind, trait in enumerate(dict.fromkeys(traits))}
        kinds = [numbered[trait] for trait in traits]
        before = [0] * len(numbered)
        for card, kind in enumerate(kinds):
            for top in tops:
                before[kind] |= fits[top][card] << (len(numbered) if top == EMPTY else kinds[top])
        cards = [[kinds[card] for card in turned_up(board.piles[p])] for p in ruleset.tableau]
        is_dealt = bool(ruleset.rules.stock.plays)
        stock = [kinds[card] for card in turned_up(board.piles[ruleset.stock])] if is_dealt else []
        top = top_of(board.piles[0])
        self.stock = len(stock)
        self.always = is_dealt and ruleset.rules.stock.to_foundation == "any"
        self._sizes = [len(column) for column in cards]
        self._weights = [prod(size + 1 for size in self._sizes[:n]) for n in range(len(cards))]
        self._heights = prod(size + 1 for size in self._sizes)
        self._tables = t = numbers([0]) * (_PARTS + _PART * len(cards))
        t[_COLUMNS], t[_STOCK], t[_HEIGHTS] = len(cards), self.stock, self._heights
        t[_FIRST], t[_ALWAYS] = len(numbered) if top == EMPTY else kinds[top], int(self.always)
        for number, column in enumerate(cards):
            at = _PARTS + _PART * number
            t[at], t[at + 1], t[at + 2] = len(column), self._weights[number], len(t)
            t.extend(column)
        t[_KINDS] = len(t)
        t.extend([0, *stock])
        t[_BEFORE] = len(t)
        t.extend(before)
        self._memory = numbers([0]) * _size([size + 1 for size in self._sizes], self.stock)
        self.steps = int(fill(t, self._memory))

    def left(self, heights: int) -> int:
        """Return the number of cards in the columns."""
        return sum(map(self._height, [heights] * len(self._sizes), range(len(self._sizes))))

    def _height(self, heights: int, column: int) -> int:
        return heights // self._weights[column] % (self._sizes[column] + 1)

    def _tops(self, heights: int, stock: int) -> int:
        """Return the set of kinds that may lie on the foundation."""
        if stock > self._most(heights):
            return 0
        return self._memory[heights * (self.stock + 1) + stock]

    def _most(self, heights: int) -> int:
        """Return the most cards that the stock can have; -1 if the heights cannot be reached."""
        return self._memory[self._heights * (self.stock + 1) + heights]

    def best(self) -> _End:
        """Return the end with the fewest cards left, where the line is still free to deal.

        Empty columns win if the stock can be dealt after them or need not be.
        """
        most = self._most(0)
        if most >= 0 and (self.always or self._ruleset.clears or self._tops(0, 0)):
            return _End(0, most if self.always or self._ruleset.clears else 0)
        left = numbers([0]) * 2
        cheapest(self._tables, self._memory, left)
        return _End(left[0], left[1])

    def line_to(self, end: _End) -> list[Move]:
        """Return moves to an end."""
        t, ruleset = self._tables, self._ruleset
        heights, stock = end.heights, end.stock
        kind = _lowest(self._tops(heights, stock))
        line = []
        while (heights, stock) != (self._heights - 1, self.stock):
            pile, heights, stock = self._move_before(heights, stock, kind)
            line.append(ruleset.move(pile, 0))
            tops = self._tops(heights, stock)
            if pile != ruleset.stock or not self.always:
                tops &= t[t[_BEFORE] + kind]
            kind = _lowest(tops)
        return line[::-1]

    def _move_before(self, heights: int, stock: int, kind: int) -> tuple[int, int, int]:
        """Return the pile of a last move to a position, with the heights and stock before it."""
        t = self._tables
        before = t[t[_BEFORE] + kind]
        for number, weight in enumerate(self._weights):
            height = self._height(heights, number)
            if (
                height < self._sizes[number]
                and t[t[_PARTS + _PART * number + 2] + height] == kind
                and self._tops(heights + weight, stock) & before
            ):
                return self._ruleset.tableau[number], heights + weight, stock
        return self._ruleset.stock, heights, stock + 1


def _lowest(kinds: int) -> int:
    return (kinds & -kinds).bit_length() - 1


@compiled
def gather(t: Ints, m: Ints, number: int, current: int) -> int:
    """Compute the sets of these heights before dealing, and return the most cards of the stock.

    It is -1 if the heights cannot be reached. The columns' heights are in the memory at `current`.
    """
    sets = t[_STOCK] + 1
    most, at = t[_HEIGHTS] * sets, number * sets
    highest = -1
    for column in range(t[_COLUMNS]):
        part = _PARTS + _PART * column
        height = m[current + column]
        if height == t[part]:
            continue
        above = number + t[part + 1]
        last = m[most + above]
        while highest < last:
            highest += 1
            m[at + highest] = 0
        kind = t[t[part + 2] + height]
        before, bit = t[t[_BEFORE] + kind], 1 << kind
        above *= sets
        for s in range(last + 1):
            if m[above + s] & before != 0:
                m[at + s] |= bit
    while highest >= 0 and m[at + highest] == 0:
        highest -= 1
    return int(highest)


@compiled
def deal(t: Ints, m: Ints, at: int, highest: int) -> int:
    """Add the positions after deals to the sets at `at`, and return how many are not empty."""
    found = highest - highest
    for s in range(highest, -1, -1):
        if m[at + s] != 0:
            found += 1
            kind = t[t[_KINDS] + s]
            if s > 0 and (t[_ALWAYS] == 1 or m[at + s] & t[t[_BEFORE] + kind] != 0):
                m[at + s - 1] |= 1 << kind
    return int(found)


@compiled
def fill(t: Ints, m: Ints) -> int:
    """Compute all sets, and return how many are not empty.

    The memory has each heights' sets by size of the stock, then each heights' most cards of the
    stock, -1 if they cannot be reached, and then the current height of each column. The sets of
    higher stocks than that are undefined.
    """
    columns, stock, heights = t[_COLUMNS], t[_STOCK], t[_HEIGHTS]
    most = heights * (stock + 1)
    current = most + heights
    for column in range(columns):
        m[current + column] = t[_PARTS + _PART * column]
    first = most - stock - 1
    for s in range(stock):
        m[first + s] = 0
    m[first + stock] = 1 << t[_FIRST]
    m[most + heights - 1] = stock
    found = deal(t, m, first, stock)
    for number in range(heights - 2, -1, -1):
        column = columns - columns
        while m[current + column] == 0:
            m[current + column] = t[_PARTS + _PART * column]
            column += 1
        m[current + column] -= 1
        highest = gather(t, m, number, current)
        m[most + number] = highest
        found += deal(t, m, number * (stock + 1), highest)
    return int(found)


@compiled
def cheapest(t: Ints, m: Ints, best: Ints) -> None:
    """Find the heights and the stock with the fewest cards left.

    If the stock can always be dealt, only the cards in the columns count, and the stock is the
    highest one.
    """
    columns, stock, heights = t[_COLUMNS], t[_STOCK], t[_HEIGHTS]
    sets = stock + 1
    most = heights * sets
    fewest = 1 << 30
    for number in range(heights):
        last = m[most + number]
        if last < 0:
            continue
        left = number - number
        rest = number
        for column in range(columns):
            size = t[_PARTS + _PART * column] + 1
            left += rest % size
            rest //= size
        s = last
        if t[_ALWAYS] == 0:
            s = 0
            while m[number * sets + s] == 0:
                s += 1
            left += s
        if left < fewest:
            fewest = left
            best[0] = number
            best[1] = s
