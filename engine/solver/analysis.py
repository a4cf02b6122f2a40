"""Analysing a run: what could still be reached after each of its moves, by a player who knew all.

No move makes more possible than was before it. So whatever a solver answers can only get worse
along a run, and most positions need not be solved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.board import Board
from engine.play import play
from engine.ruleset import Move
from engine.solver.solution import Solution, Verdict

Solve = Callable[[Board], Solution]


def most_after(board: Board, moves: Iterable[Move], solve: Solve) -> list[int]:
    """Return how many cards could still come home, before the first move and after each.

    Args:
        board: where the run starts.
        moves: the run.
        solve: an exact method, whose every solution has the most cards home.

    Raises:
        IllegalMoveError: a move is not legal.
    """
    boards = _boards(board, moves)
    most = [0] * len(boards)
    for at in (0, len(boards) - 1):
        most[at] = solve(boards[at]).home
    left = [(0, len(boards) - 1)]
    while left:
        first, last = left.pop()
        if most[first] == most[last]:
            most[first:last] = [most[first]] * (last - first)
        elif last - first > 1:
            middle = (first + last) // 2
            most[middle] = solve(boards[middle]).home
            left += [(first, middle), (middle, last)]
    return most


def verdicts_after(board: Board, moves: Iterable[Move], solve: Solve) -> list[Verdict]:
    """Return whether the board could still be won, before the first move and after each.

    What a method does not know is `UNKNOWN`, between the last position that it won and the first
    that it proved lost. Those are found by bisection, for which a method that wins a position is
    taken to win the ones before it; it may do so less often than it could.

    Args:
        board: where the run starts.
        moves: the run.
        solve: any method.

    Raises:
        IllegalMoveError: a move is not legal.
    """
    boards = _boards(board, moves)
    known: dict[int, Verdict] = {}

    def end_of(first: int, wanted: Callable[[Verdict], bool]) -> int:
        """Return the end of the positions from `first` on that are wanted, if these come first."""
        last = len(boards)
        while first < last:
            middle = (first + last) // 2
            if middle not in known:
                known[middle] = solve(boards[middle]).verdict
            if wanted(known[middle]):
                first = middle + 1
            else:
                last = middle
        return first

    won = end_of(0, lambda verdict: verdict is Verdict.WINNABLE)
    lost = end_of(won, lambda verdict: verdict is not Verdict.IMPOSSIBLE)
    return [
        *[Verdict.WINNABLE] * won,
        *[Verdict.UNKNOWN] * (lost - won),
        *[Verdict.IMPOSSIBLE] * (len(boards) - lost),
    ]


def _boards(board: Board, moves: Iterable[Move]) -> list[Board]:
    """Return the board before the first move and after each."""
    boards = [board]
    for move in moves:
        boards.append(play(boards[-1], move)[0])
    return boards
