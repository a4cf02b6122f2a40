"""What is said of a run's positions follows from solving few of them."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from engine.board import Board
from engine.errors import IllegalMoveError
from engine.moves import legal_moves
from engine.play import apply
from engine.ruleset import Move, Ruleset
from engine.solver.analysis import most_after, verdicts_after
from engine.solver.passes import solve
from engine.solver.solution import Solution, Verdict
from tests.engine.positions import dealt
from tests.engine.solver.passes_boards import RULES, short_board

WON, UNKNOWN, LOST = Verdict.WINNABLE, Verdict.UNKNOWN, Verdict.IMPOSSIBLE

BOARD = dealt("roosevelt")
DEALS = [BOARD.ruleset.move(BOARD.ruleset.stock, BOARD.ruleset.stock + 1)] * 20


def counted(
    verdicts: list[Verdict], homes: list[int]
) -> tuple[Callable[[Board], Solution], list[int]]:
    """Return a method that answers by the moves played, and the list of what it was asked."""
    asked: list[int] = []

    def solve_scripted(board: Board) -> Solution:
        asked.append(board.moves)
        return Solution(verdicts[board.moves], (), homes[board.moves], most=True)

    return solve_scripted, asked


def random_run(board: Board, chance: Random) -> list[Move]:
    """Return random moves to the end of the game."""
    moves: list[Move] = []
    while legal := legal_moves(board):
        moves.append(chance.choice(legal))
        board = apply(board, moves[-1])
    return moves


@pytest.mark.parametrize("rules", RULES, ids=range(len(RULES)))
def test_it_finds_what_solving_every_position_finds(rules: Ruleset) -> None:
    chance = Random(7)
    board = short_board(rules, chance, 12)
    moves = random_run(board, chance)
    after = [board]
    for move in moves:
        after.append(apply(after[-1], move))
    assert most_after(board, moves, solve) == [solve(each).home for each in after]
    assert verdicts_after(board, moves, solve) == [solve(each).verdict for each in after]


def test_few_positions_are_solved_and_none_twice() -> None:
    homes = [30] * 3 + [28] * 2 + [27] * 10 + [9] * 6
    method, asked = counted([LOST] * 21, homes)
    assert most_after(BOARD, DEALS, method) == homes
    assert len(asked) == len(set(asked)) < 14


@pytest.mark.parametrize(
    ("won", "unknown", "lost"),
    [(21, 0, 0), (0, 21, 0), (0, 0, 21), (7, 0, 14), (7, 3, 11), (20, 1, 0), (0, 1, 20)],
)
def test_verdicts_are_found_by_bisection(won: int, unknown: int, lost: int) -> None:
    verdicts = [WON] * won + [UNKNOWN] * unknown + [LOST] * lost
    method, asked = counted(verdicts, [0] * 21)
    assert verdicts_after(BOARD, DEALS, method) == verdicts
    assert len(asked) == len(set(asked)) <= 10


def test_a_run_without_moves_has_one_position() -> None:
    method, _ = counted([WON], [5])
    assert most_after(BOARD, [], method) == [5]
    assert verdicts_after(BOARD, [], method) == [WON]


def test_an_illegal_move_is_refused() -> None:
    method, _ = counted([WON] * 2, [5] * 2)
    with pytest.raises(IllegalMoveError):
        most_after(BOARD, [Move(0, 0)], method)
