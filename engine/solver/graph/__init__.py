"""A search through positions, for games of one pack whose stock, if any, is dealt to the waste.

All cards are known, so dealing and turning the waste over create no positions: a move takes any
card of stock or waste that dealing can bring up, and the line contains the deals before it. Moves
with an equally good alternative are omitted: `offers`, `binding` and `going_home` give the reasons.

First, short searches look for a winning line. They alternate between best-first search and
depth-first search in a random order, since one may quickly find what another misses. A long search
gets the rest of the budget. Any search that exhausts all positions without a win proves a loss.

Its modules, from top to bottom:

- `best_first` and `depth_first`: the searches.
- `moves`, `offers`, `talon`, `binding` and `going_home`: the moves.
- `play`: the position, with playing and undoing moves. `indices` documents the arrays.
- `layout`: a ruleset and a board in these arrays.
- `locks`: a quick proof that a board is lost.
- `lines`: a line of the search as moves of the engine.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Final

from engine.board import Board
from engine.ruleset import Move, Ruleset
from engine.solver.beam.indices import SCALE
from engine.solver.beam.plans import LOG_NORMAL
from engine.solver.beam.random_numbers import Xorshift, numbers
from engine.solver.graph import indices as idx
from engine.solver.graph.best_first import forget_seen, search_best_first
from engine.solver.graph.depth_first import search_depth_first
from engine.solver.graph.layout import Layout, fits_layout
from engine.solver.graph.lines import line_of
from engine.solver.graph.locks import is_locked
from engine.solver.solution import Solution, Verdict

# The default budget, in positions: about ten seconds on one core with Numba.
BUDGET: Final = 12_000_000

ROWS: Final = 1 << 15  # the most stored positions of a short search

FIRST: Final = 20_000  # the most generated positions of the first search

SHORT: Final = 10_000  # the most generated positions of each other short search

# Divisors of the budget: short searches run until `budget // first` is used, then a long one gets
# `budget // second`, or the rest.
SHARES: Final = ((100, 20), (4, 1))

SHORT_LINE: Final = 4_000
LONG_LINE: Final = 60_000  # the most moves of a line

LOG_SEEN: Final = 24  # the binary logarithm of the most stored digests, which take 128 MB

NOISE: Final = 1023  # the maximum noise of moves' scores, which randomizes their order; a bit mask

LOCKED: Final = "Cards wait for one another to be turned up."

PROOF: Final = "All positions that can be reached were searched."

# The weights of the evaluation, which only affect the order of expansion.
WEIGHTS: Final = {
    idx.W_HOME: 1024,
    idx.W_SPACE: 3000,
    idx.W_CELL: 1500,
    idx.W_JOINED: 800,
    idx.W_BROKEN: 600,
    idx.W_HIDDEN: 3000,
    idx.W_LATE: 900,
    idx.W_LATENESS: 100,
    idx.W_LATE_LINE: 900,
    idx.W_TALON: 300,
    idx.W_RESERVE: 1500,
}


def applies(ruleset: Ruleset) -> bool:
    """Return whether the search supports these rules."""
    return fits_layout(ruleset)


def solve(board: Board, budget: int = BUDGET) -> Solution:
    """Search for a winning line, or for a proof that there is none.

    Args:
        board: any position of the game.
        budget: the maximum number of generated positions. The answer depends on nothing else.

    Returns:
        A solution. Its effort is the number of searches. On a lost board, a different line may
        bring more cards home.
    """
    if board.won:
        return Solution(Verdict.WINNABLE, (), board.home, most=True)
    if is_locked(board):
        return Solution(Verdict.IMPOSSIBLE, (), board.home, most=False, proof=LOCKED)
    search = _Search(board, budget)
    chance = Xorshift(1)
    search.best_first(FIRST, list(WEIGHTS.values()))
    for short, long in SHARES:
        while search.is_open and search.steps < budget // short:
            if search.number % 2 == 1:
                search.depth_first(SHORT, chance.wide())
            else:
                search.best_first(SHORT, [_varied(weight, chance) for weight in WEIGHTS.values()])
        if search.is_open:
            search.exhaust(budget // long)
    return search.solution()


def _varied(weight: int, chance: Xorshift) -> int:
    """Return a weight times a random factor near 1."""
    return weight * LOG_NORMAL[chance.next() >> 8 & 63] // SCALE


class _Search:
    """The searches from a board, and their findings.

    Attributes:
        verdict: the verdict so far.
        number: the number of searches.
        steps: the number of generated positions.
    """

    def __init__(self, board: Board, budget: int) -> None:
        self._board = board
        self._budget = budget
        self._line: tuple[Move, ...] = ()
        self._home = board.home
        self._layout = Layout(board, rows=ROWS, seen=2 * ROWS, moves=SHORT_LINE)
        self._memory = numbers([0]) * self._layout.size
        self._rows = array("b", [0]) * (ROWS * self._layout.tables[idx.WIDTH])
        self.verdict = Verdict.UNKNOWN
        self.number = 0
        self.steps = 0

    @property
    def is_open(self) -> bool:
        """Whether the board is undecided and budget is left."""
        return self.verdict is Verdict.UNKNOWN and self.steps < self._budget

    def best_first(self, limit: int, weights: Iterable[int]) -> None:
        """Search best first with these weights, up to a number of generated positions."""
        memory, tables = self._memory, self._layout.tables
        for index, weight in zip(WEIGHTS, weights, strict=True):
            tables[index] = weight
        self._begin(limit)
        search_best_first(tables, self._rows, memory)
        if memory[idx.BEST] > self._home:
            nodes = []
            node = memory[idx.BEST_NODE]
            while node > 0:
                nodes.append(memory[tables[idx.MOVE] + node])
                node = memory[tables[idx.PARENT] + node]
            self._keep(reversed(nodes))
        self._end()

    def depth_first(self, limit: int, salt: int) -> None:
        """Search depth first in random order, up to a number of generated positions."""
        self._begin(limit)
        self._memory[idx.SALT_OF_NOISE] = salt
        self._search_depth_first(NOISE)

    def exhaust(self, limit: int) -> None:
        """Search with a large memory, up to a number of generated positions."""
        short = self._layout, self._memory
        limit = min(limit, self._budget - self.steps)
        seen = 1 << min(LOG_SEEN, max(10, (limit + limit // 4).bit_length()))
        self._layout = Layout(self._board, rows=1, seen=seen, moves=LONG_LINE)
        self._memory = numbers([0]) * self._layout.size
        self._begin(limit)
        self._search_depth_first(0)
        self._layout, self._memory = short

    def _search_depth_first(self, noise: int) -> None:
        memory, tables = self._memory, self._layout.tables
        tables[idx.NOISE] = noise
        search_depth_first(tables, memory)
        if memory[idx.WON]:
            undo = tables[idx.UNDO]
            last = undo + memory[idx.PLAYED] * idx.UNDO_RECORD
            self._keep(memory[undo : last : idx.UNDO_RECORD])
        self._end()

    def _begin(self, limit: int) -> None:
        """Initialize the memory with the board."""
        memory, layout = self._memory, self._layout
        if memory[idx.ENTERED]:
            forget_seen(layout.tables, memory)
        memory[: len(layout.start)] = layout.start
        memory[idx.LIMIT] = min(limit, self._budget - self.steps)

    def _keep(self, encoded: Iterable[int]) -> None:
        """Store a line after playing it by the engine's rules."""
        self._line, board = line_of(self._board, self._layout, encoded)
        self._home = board.home

    def _end(self) -> None:
        """Count a search, and set the verdict."""
        memory = self._memory
        self.number += 1
        self.steps += memory[idx.STEPS]
        if memory[idx.WON]:
            assert self._home == self._board.ruleset.total
            self.verdict = Verdict.WINNABLE
        elif not memory[idx.CUT]:
            self.verdict = Verdict.IMPOSSIBLE

    def solution(self) -> Solution:
        """Return the solution."""
        return Solution(
            self.verdict,
            self._line,
            self._home,
            most=self.verdict is Verdict.WINNABLE,
            proof=PROOF if self.verdict is Verdict.IMPOSSIBLE else "",
            effort=self.number,
            steps=self.steps,
        )
