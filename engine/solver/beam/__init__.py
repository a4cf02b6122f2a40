"""A staged beam search, for the games that no exact method decides.

A stage lies between two deals from the stock. Within a stage, positions are expanded best first by
all other moves. Then the stock is dealt to the reached positions, and the best ones are kept, up to
the width of the beam. Without a win, the search restarts with a wider beam and other weights.

A search that discarded nothing has seen all reachable positions. If it only used sound prunings and
did not win, the board cannot be won. In games built in suit, a search up to the first empty tableau
pile proves other losses beforehand.

Its modules, from top to bottom:

- `first_space`: the search for an empty tableau pile.
- `stages`: one beam from one position.
- `offers` and `move_generator`: the positions after moves.
- `going_home`: cards that go home automatically.
- `evaluation` and `times`: the ranking of positions.
- `digests`, `hashes`, `row_heap`, `move_tree`: seen positions, the queue, and the paths to
  positions.
- `rows`: a position in an array, and moves on it. `indices` documents the arrays.
- `layout`: a ruleset and a board in these arrays.
- `plans`: the widths and weights of the beams, from a ruleset's properties.
"""

from __future__ import annotations

from array import array
from typing import Final

from engine.board import Board
from engine.moves import is_legal
from engine.play import apply
from engine.ruleset import ENDLESS, Move, Ruleset
from engine.solver.beam import first_space
from engine.solver.beam import indices as idx
from engine.solver.beam.layout import WAYS, Layout
from engine.solver.beam.plans import plan_of, style_of, whole_plan
from engine.solver.beam.random_numbers import Xorshift
from engine.solver.beam.stages import search
from engine.solver.solution import Solution, Verdict

# The default budget, in positions: six to ten seconds on one core with Numba.
BUDGET: Final = 40_000_000

ROWS: Final = 1 << 17  # positions held simultaneously
PROOF: Final = "All positions that can be reached were searched."
NO_SPACE: Final = "No pile of the tableau can ever be emptied."

# The limits of the searches for an empty tableau pile: most meet one soon. The second is a divisor
# of the budget.
FIRST_SPACE: Final = 20_000
SHARE: Final = 8
LINES: Final = 3  # the most beams that look for a line of a board lost in this way


def applies(ruleset: Ruleset) -> bool:
    """Return whether the search's tables can represent the rules."""
    rules = ruleset.rules
    moves = rules.tableau.moves if rules.tableau else WAYS[0]
    beside = rules.cells or rules.reserve or ruleset.same_rank or ruleset.gives_back
    # Either all runs go home by themselves, or none does.
    takers = {group.automatic for group in ruleset.groups if group.takes == "run"}
    return (
        moves in WAYS
        and len(takers) <= 1
        and ruleset.turns_to_waste == 1
        and ruleset.redeals < ENDLESS
        and not beside
        and not (ruleset.peaks or ruleset.pairs or ruleset.clears)
    )


def solve(board: Board, budget: int = BUDGET) -> Solution:
    """Search for a winning line from any position of a game.

    The budget is the approximate maximum number of generated positions; the answer depends on
    nothing else. The effort is the width of the deciding beam.
    """
    most, steps = _most_without_space(board, budget)
    # Allocated only now, since the proof has its own memory.
    search = _Search(board, budget, steps)
    style = style_of(board.ruleset)
    chance = Xorshift(1)
    beams = 0
    verdict = Verdict.UNKNOWN
    if most is not None:
        # The board is lost; beams only find a line.
        while beams < LINES and search.home < most and not search.spent:
            search.run(plan_of(style, beams, chance, regular=search.layout.regular))
            beams += 1
        return Solution(
            Verdict.IMPOSSIBLE,
            search.line,
            search.home,
            most=search.home == most,
            proof=NO_SPACE,
            effort=search.width,
            steps=search.steps,
        )
    while verdict is Verdict.UNKNOWN and not search.spent:
        settings = plan_of(style, beams, chance, regular=search.layout.regular)
        beams += 1
        complete = search.run(settings)
        if complete and not search.won and not search.spent:
            # Only heuristics pruned positions, so the search space is small.
            complete = search.run(whole_plan(settings, ROWS, regular=search.layout.regular))
            if complete and not search.won:
                verdict = Verdict.IMPOSSIBLE
        if search.won:
            verdict = Verdict.WINNABLE
    return Solution(
        verdict,
        search.line,
        search.home,
        most=verdict is not Verdict.UNKNOWN,
        proof=PROOF if verdict is Verdict.IMPOSSIBLE else "",
        effort=search.width,
        steps=search.steps,
    )


def _most_without_space(board: Board, budget: int) -> tuple[int | None, int]:
    """Try to prove that no tableau pile can ever be emptied.

    Returns:
        The most cards home in that case, and the number of generated positions.
    """
    outcome, steps, spent, most = first_space.LIMITED, 0, 0, 0
    if not first_space.applies(board.ruleset):
        return None, spent
    for limit in (min(FIRST_SPACE, budget // SHARE), budget // SHARE):
        if outcome == first_space.LIMITED and limit > steps:
            outcome, steps, most = first_space.search_first_space(board, limit)
            spent += steps
    return (most if outcome == first_space.NEVER else None), spent


class _Search:
    """The searches from a board, and their best line.

    Args:
        steps: positions generated before, which count against the budget.
    """

    def __init__(self, board: Board, budget: int, steps: int) -> None:
        self._board = board
        self._budget = budget
        self.layout = layout = Layout(board, ROWS)  # the board as the search reads it
        self._positions = array("b", [0]) * (ROWS * layout.tables[idx.WIDTH])
        self._memory = array("q", [0]) * layout.size
        self._memory[idx.BUDGET] = budget
        self._memory[idx.STEPS] = steps
        self.width = 0  # of the last beam
        self.line: tuple[Move, ...] = ()  # the moves that bring the most cards home
        self.home = board.home  # cards home after them

    @property
    def won(self) -> bool:
        return self.home == self._board.ruleset.total

    @property
    def steps(self) -> int:
        """The number of generated positions."""
        return self._memory[idx.STEPS]

    @property
    def spent(self) -> bool:
        return self.steps >= self._budget

    def run(self, settings: array[int]) -> bool:
        """Run a beam with these weights and plan, and return whether it discarded no position.

        Positions are discarded for lack of width, memory or budget.
        """
        layout, memory = self.layout, self._memory
        layout.tables[: len(settings)] = settings
        self._positions[: len(layout.row)] = layout.row
        search(layout.tables, self._positions, memory)
        self.width = settings[idx.P_WIDTH]
        if memory[idx.BEST] > self.home:
            self.home = memory[idx.BEST]
            self.line = self._line_to(memory[idx.BEST_NODE])
            assert _played(self._board, self.line).home == self.home
        return memory[idx.CUT] == 0

    def _line_to(self, node: int) -> tuple[Move, ...]:
        tables, memory = self.layout.tables, self._memory
        moves = []
        while node > 0:
            moves.append(self.layout.move(memory[tables[idx.MOVE] + node]))
            node = memory[tables[idx.PARENT] + node]
        return tuple(reversed(moves))


def _played(board: Board, line: tuple[Move, ...]) -> Board:
    for move in line:
        assert is_legal(board, move), "The search plays by other rules than the engine."
        board = apply(board, move)
    return board
