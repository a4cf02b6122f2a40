"""Invariants of the engine's parsers for arbitrary input.

Each function asserts that its input is read, or refused with an error of the engine. `test_fuzz.py`
calls them with input from Hypothesis, `tests/fuzz` with input from a coverage-guided fuzzer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import islice
from typing import Any

from engine.board import Board
from engine.catalog import load_game
from engine.deal import deal_seed
from engine.driver import Driver
from engine.errors import EngineError, NotationError, RulesetError
from engine.moves import legal_moves
from engine.notation import move_text, parse_move
from engine.play import apply
from engine.position import parse_position, position_of
from engine.ruleset import Ruleset
from tests.engine.oracles import check_board, check_move, check_stuck
from tests.engine.positions import SEED

MAX_REFUSAL_LENGTH = 400
"""In characters: a message does not repeat a whole file."""


def read_file(text: str) -> bool:
    """Read a game's file, play its variants if it is valid, and return whether it is."""
    try:
        game = load_game("g", text)
    except RulesetError as error:
        refusal = error.message
    else:
        for variant, rules in islice(game.variants.items(), 4):
            try_play(Ruleset("g", variant, rules))
        return True
    assert refusal.startswith("g")
    assert len(refusal) <= MAX_REFUSAL_LENGTH
    return False


def try_play(ruleset: Ruleset, moves: int = 12) -> None:
    """Play some moves from a deal, checking each position and legal move."""
    board = deal_seed(ruleset, SEED)
    for turn in range(moves):
        assert parse_position(position_of(board), lambda _game, _variant: ruleset) == board
        check_stuck(board)
        choices = list(legal_moves(board))
        if not choices:
            break
        for choice in choices:
            check_move(board, choice)
        board = apply(board, choices[turn * 7 % len(choices)])
    check_board(board)


def read_move(ruleset: Ruleset, text: str) -> bool:
    """Read a move and return whether it is valid; a valid one formats to the same text."""
    try:
        move = parse_move(ruleset, text)
    except NotationError:
        return False
    assert move_text(ruleset, move) == text
    return True


def read_position(position: Any) -> Board | None:
    """Read a position; a valid one formats to the same piles and can be played on."""
    try:
        board = parse_position(position)
    except EngineError:
        return None
    written = position_of(board)
    assert parse_position(written) == board
    assert position["piles"].items() <= written["piles"].items()
    for move in legal_moves(board):
        check_move(board, move)
    return board


def send_lines(lines: Iterable[str]) -> list[dict[str, Any]]:
    """Send lines to the driver and return its answers; errors must not change the position."""
    driver = Driver()
    answers = []
    for line in lines:
        before = driver.answer('{"op":"position"}')
        answer = driver.answer(line)
        assert json.dumps(answer).isascii()
        if "error" in answer:
            assert list(answer) == ["error"]
            assert list(answer["error"]) == ["code", "message"]
            assert driver.answer('{"op":"position"}') == before
        answers.append(answer)
    return answers
