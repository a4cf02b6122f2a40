"""The rules of Spider, as in books, and with one or two suits as in programs."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.board import view_of
from engine.cards import UNSEEN
from engine.errors import PositionError
from engine.notation import parse_move
from engine.play import play
from tests.engine.positions import (
    after,
    board,
    dealt,
    legal,
    moves_of,
    run_down,
    shown,
)

GAME = "spider"


@pytest.mark.parametrize(
    ("variant", "suits"), [("standard", "SHDC"), ("two-suits", "SH"), ("one-suit", "S")]
)
def test_a_variant_has_104_cards_of_its_suits(variant: str, suits: str) -> None:
    found = Counter(
        card.removeprefix("?")
        for pile in dealt(GAME, variant).ruleset.pile_names
        for card in shown(dealt(GAME, variant), pile).split()
    )
    assert {card[1] for card in found} == set(suits)
    assert set(found.values()) == {8 // len(suits)}


def test_a_complete_run_leaves_automatically_and_bares_a_card() -> None:
    place = board(
        GAME, t0=f"?9C {run_down('KS', 'S', 7)}", t1=f"2H {run_down('6S', 'S', 6)}", rest="t1"
    )
    move = parse_move(place.ruleset, "t1>t0x6")
    moved, delta = play(place, move)
    assert shown(moved, "f0") == run_down("KS", "S")
    assert (shown(moved, "t0"), shown(moved, "t1").split()[-1]) == ("9C", "2H")
    assert moved.home == 13
    assert [change.pile for change in delta.changes] == [0, 8, 9]


def test_the_deal_of_a_row_may_complete_runs() -> None:
    columns = {f"t{pile}": "KD" if pile % 2 else "KC" for pile in range(1, 5)}
    others = {f"t{pile}": "QD" for pile in (5, 6)} | {f"t{pile}": "QC" for pile in (7, 8)}
    stock = "JC JC JD JD JH JH 9C 9C 9D AS"
    place = board(
        GAME, t0=run_down("KS", "S", 12), **columns, **others, t9="8D", s=stock, rest="t9"
    )
    assert after(place, "s>t").home == 13


def test_a_row_is_dealt_with_fewer_cards_than_piles() -> None:
    home = {f"f{nth}": run_down(f"K{suit}", suit) for nth, suit in enumerate("SSHHDDC")}
    rest = run_down("KC", "C").split()
    place = board(GAME, **home, t0=" ".join(rest[:3]), s=" ".join(rest[3:]))
    assert moves_of(place, "s") == ["s>t"]


def test_a_position_with_a_complete_run_is_refused() -> None:
    with pytest.raises(PositionError):
        board(GAME, t0=run_down("KS", "S"), t1="2H", rest="t1")


def test_a_card_bared_by_a_run_is_unseen_until_then() -> None:
    place = board(GAME, t0=f"?9C {run_down('KS', 'S', 12)}", t1="2H AS", rest="t1")
    view = view_of(place)
    assert view.piles[place.ruleset.pile_numbers["t0"]][0] == UNSEEN
    assert "t1>t0" in legal(view)
