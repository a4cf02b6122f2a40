"""The texts of moves and of seen piles."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board import view_of
from engine.catalog import ruleset
from engine.errors import NotationError
from engine.notation import move_text, parse_move, seen_text
from engine.ruleset import ROW, Move
from tests.engine.positions import VARIANTS, board


@pytest.mark.parametrize(
    ("game", "text", "move"),
    [
        ("roosevelt", "t3>f0", Move(11, 0)),
        ("deuces", "t3>t5x4", Move(11, 13, 4)),
        ("robert", "s>w", Move(1, 2)),
        ("robert", "w>s", Move(2, 1)),
        ("rouge-et-noir", "s>t", Move(18, ROW)),
        ("rouge-et-noir", "t2>f5x13", Move(10, 5, 13)),
        ("lady-betty", "s>f3", Move(10, 3)),
        ("deuces", "t9>t0x99", Move(17, 8, 99)),
    ],
)
def test_a_move_is_source_target_and_count(game: str, text: str, move: Move) -> None:
    rules = ruleset(game)
    assert parse_move(rules, text) == move
    assert move_text(rules, move) == text


def test_invalid_pile_numbers_have_a_text_for_messages() -> None:
    assert move_text(ruleset("robert"), Move(3, -1, 2)) == "?>?x2"


@pytest.mark.parametrize("game", [game for game, variant in VARIANTS if variant == "standard"])
@pytest.mark.parametrize(
    "text",
    [
        *("", ">", "t0", "t0>", ">t0", "t0>t1x", "t0>t1x0", "t0>t1x1", "t0>t1x01", "t0>t1x02"),
        *("t0>t1x1000", "t0>t1x-2", "t0 > t1", " t0>t1", "t0>t1\n", "T0>T1", "t00>t1", "t-1>t1"),
        *("t0>t99", "f9>t0", "t0>>t1", "t0>t1>t2", "t0-t1", "t0>x2", "q>t0", "t0>t", "s>tx2"),
        *("t٣>f0", "t0>t1x٢", "t0>t1x1٢", "\ud800>t0"),
        "t0>t1" + "0" * 100_000,
    ],
)
def test_a_malformed_move_is_refused(game: str, text: str) -> None:
    with pytest.raises(NotationError):
        parse_move(ruleset(game), text)


@pytest.mark.parametrize(
    ("game", "text"),
    [
        ("robert", "t0>f0"),
        ("robert", "w>f1"),
        ("lady-betty", "s>w"),
        ("lady-betty", "s>t"),
        ("rouge-et-noir", "s>w"),
        ("roosevelt", "t7>f0"),
        ("roosevelt", "s>t"),
    ],
)
def test_a_move_with_unknown_piles_is_refused(game: str, text: str) -> None:
    with pytest.raises(NotationError):
        parse_move(ruleset(game), text)


@given(st.sampled_from(VARIANTS), st.data())
def test_every_move_between_piles_parses_back(
    variant: tuple[str, str], data: st.DataObject
) -> None:
    rules = ruleset(*variant)
    piles = st.integers(0, len(rules.pile_names) - 1)
    move = Move(data.draw(piles), data.draw(piles), data.draw(st.integers(1, 99)))
    assert parse_move(rules, move_text(rules, move)) == move


def test_a_seen_pile_is_written_with_two_letters_for_each_card() -> None:
    place = board("rouge-et-noir", t0="?5C ?TH KS", t1="7C")
    assert seen_text(view_of(place).piles[place.ruleset.pile_numbers["t0"]]) == "????KS"
    assert seen_text(b"") == ""
