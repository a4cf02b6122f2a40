"""Likeness: the moves two runs share beyond obvious ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from msgspec import structs

from engine.board import Board
from engine.catalog import ruleset
from engine.deal import deal_seed
from engine.hints import hint
from engine.moves import legal_moves
from engine.notation import move_text, parse_move
from engine.play import apply
from engine.ruleset import Move
from server.base.core.ids import DealId
from server.moderation.core import likeness
from server.moderation.core.likeness import Likeness, choices_of, compare, marks
from server.play.core.attempt import UNDONE, Started
from server.play.core.run import Run
from tests.builders import ADA

BOARD = deal_seed(ruleset("deuces"), bytes(32))
START = Started(ADA, DealId("d" * 16), "deuces", "standard", None, 7, 0, 10**9, "d1ce")


@pytest.fixture(autouse=True)
def all_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(likeness, "MIN_MOVES", 0)


def run_of(texts: Sequence[str]) -> Run:
    return Run(START, tuple((text, 1_000 * at) for at, text in enumerate(texts, 1)), 10**6, "stuck")


def line(count: int, *, odd: bool) -> list[str]:
    """Return consecutive moves: hints, or every third time the last alternative."""
    board, texts = BOARD, []
    for number in range(count):
        obvious = hint(board)
        others = [move for move in legal_moves(board) if move != obvious and not home(board, move)]
        move = others[-1] if odd and others and number % 3 == 2 else obvious
        assert move is not None
        texts.append(move_text(board.ruleset, move))
        board = apply(board, move)
    return texts


def home(board: Board, move: Move) -> bool:
    return move.target in board.ruleset.foundations


def like(one: Sequence[str], other: Sequence[str]) -> Likeness:
    return list(compare(*[list(choices_of(run_of(texts), BOARD)) for texts in (one, other)]))[-1]


def test_runs_of_obvious_moves_share_no_odd_moves() -> None:
    moves = line(40, odd=False)
    assert like(moves, moves) == Likeness(40, 40, 0)


def test_repeated_odd_moves_are_counted() -> None:
    moves = line(40, odd=True)
    found = like(moves, moves)
    assert found.same == 40
    assert 5 < found.odd < 20
    assert like([*moves[:20], *line_after(moves[:20], 5)], moves).same >= 20


def line_after(texts: Sequence[str], count: int) -> list[str]:
    """Return the hints' moves from the board after some moves."""
    board = BOARD
    for text in texts:
        board = apply(board, parse_move(board.ruleset, text))
    found = []
    for _ in range(count):
        move = hint(board)
        assert move is not None
        found.append(move_text(board.ruleset, move))
        board = apply(board, move)
    return found


def test_undone_moves_are_not_compared() -> None:
    moves = line(10, odd=False)
    run = run_of([moves[0], UNDONE, *moves])
    run = replace(run, start=structs.replace(START, help="undo"))
    assert [each.move for each in choices_of(run, BOARD)] == [moves[0], *moves]


def test_openings_and_moves_beyond_the_limit_are_not_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(likeness, "MIN_MOVES", 25)
    monkeypatch.setattr(likeness, "MAX_MOVES", 10)
    moves = line(40, odd=False)
    assert [each.move for each in choices_of(run_of(moves), BOARD)] == moves[25:35]
    assert list(choices_of(run_of(moves[:25]), BOARD)) == []


def test_runs_sharing_most_boards_share_a_mark() -> None:
    moves = line(40, odd=True)
    whole, part = (set(marks(choices_of(run_of(each), BOARD))) for each in (moves, moves[:36]))
    assert len(whole) == likeness.MARKS
    assert whole & part
    assert not whole & set(marks(list(choices_of(run_of(line(40, odd=False)), BOARD))[3:]))
