"""Positions of soliterm 1.2.0 with its legal moves, where RULES.md says that it plays by a variant.

They are from random games of its deals 0 and 1. In such games of 40 deals of each variant, no other
differences appeared in 64,000 positions.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from engine.moves import legal_moves
from engine.notation import move_text
from engine.position import parse_position
from tests.engine.test_other_programs import played

FILE = Path(__file__).parent / "soliterm.json"
ENTRIES: list[dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))

MORE = {("freecell", "standard"): r"c\d>c\d", ("canfield", "parts"): r"f\d>t\d"}
"""The moves that soliterm has and we have not: pointless ones, and those that RULES.md states."""


def variant_of(entry: dict[str, Any]) -> tuple[str, str]:
    return entry["position"]["game"], entry["position"]["variant"]


def test_each_variant_of_the_table_has_positions() -> None:
    named = {name for name, programs in played().items() if "soliterm" in programs}
    assert {" ".join(variant_of(entry)) for entry in ENTRIES} == named


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: "-".join(variant_of(entry)))
def test_the_legal_moves_are_the_same(entry: dict[str, Any]) -> None:
    board = parse_position(entry["position"])
    own = {move_text(board.ruleset, move) for move in legal_moves(board)}
    theirs = set(entry["moves"])
    assert own <= theirs
    more = MORE.get(variant_of(entry), "")
    assert all(re.fullmatch(more, move) for move in theirs - own)


@pytest.mark.parametrize("variant", MORE)
def test_positions_show_each_known_difference(variant: tuple[str, str]) -> None:
    moves = [move for entry in ENTRIES if variant_of(entry) == variant for move in entry["moves"]]
    assert any(re.fullmatch(MORE[variant], move) for move in moves)
