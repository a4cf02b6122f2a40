"""Certificates: their lines as texts, and the claims that a line proves."""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.catalog import games, ruleset
from engine.deal import deal_seed
from engine.moves import legal_moves
from engine.play import apply
from server.deals.core.certificate import MAX_TEXT, line_of, packed, proves, unpacked

WON = Path(__file__).parents[2] / "browser/won.json"
"""A deal with a winning line."""


@given(st.text(max_size=500))
def test_unpacking_restores_a_packed_text(text: str) -> None:
    assert unpacked(packed(text)) == text


@pytest.mark.parametrize(
    "data", [b"", b"no", packed("abc")[:-1], zlib.compress(bytes(MAX_TEXT * 9))]
)
def test_malformed_data_is_not_unpacked(data: bytes) -> None:
    with pytest.raises(ValueError, match="packed text"):
        unpacked(data)


@pytest.mark.parametrize("game", list(games()))
def test_a_line_proves_the_number_of_cards_it_brings_home(game: str) -> None:
    first = board = deal_seed(ruleset(game), bytes(range(32)))
    moves = []
    for number in range(30):
        choices = legal_moves(board)
        moves.append(choices[number % len(choices)])
        board = apply(board, moves[-1])
        if not legal_moves(board):
            break
    line = line_of(first.ruleset, moves)
    assert len(line.split()) == len(moves)
    assert proves(first, line, board.home, winnable=False)
    assert not proves(first, line, board.home + 1, winnable=False)
    assert not proves(first, line, len(moves), winnable=True), "it does not win"
    assert not proves(first, f"{line} t0>t0x9", board.home, winnable=False)
    assert not proves(first, f"{line} nonsense", board.home, winnable=False)


def test_a_winning_line_proves_its_number_of_moves() -> None:
    won = json.loads(WON.read_text(encoding="utf-8"))
    first = deal_seed(ruleset("lady-betty"), bytes.fromhex(won["seed"]))
    line, moves = " ".join(won["moves"]), len(won["moves"])
    assert proves(first, line, moves, winnable=True)
    assert not proves(first, line, moves - 1, winnable=True)
    assert not proves(first, line, first.ruleset.total, winnable=False)
