"""Deals that other solvers' finished searches call lost, with the lines that win them."""

from __future__ import annotations

import json

import pytest

from engine.notation import parse_move
from engine.play import play
from tests.vectors.solver import wins

ENTRIES = json.loads(wins.FILE.read_text(encoding="utf-8"))


def test_all_of_these_deals_have_a_line() -> None:
    found = [(entry["game"], entry["variant"], entry["number"]) for entry in ENTRIES]
    assert found == list(wins.DEALS)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda each: f"{each['variant']} {each['number']}")
def test_the_line_wins_by_the_rules(entry: dict[str, str]) -> None:
    board = wins.board_of(entry["game"], entry["variant"], int(entry["number"]))
    for text in entry["line"].split():
        board, _ = play(board, parse_move(board.ruleset, text))
    assert board.won
