"""Schema values that no game's file sets: each has the effect described in RULES.md."""

from __future__ import annotations

from typing import Any

import pytest

from engine.board import Board, apply_delta, view_of
from engine.cards import pack, parse_pile
from engine.deal import lay_out
from engine.errors import PositionError
from engine.moves import is_legal
from engine.notation import parse_move
from engine.play import play
from engine.position import parse_position, position_of
from engine.ruleset import Ruleset
from engine.schema import read_rules
from tests.engine.positions import after, legal, moves_of, shown, sizes

FOUNDATIONS = {"piles": 4, "first": "A"}
TABLEAU = {"deal": [2, 2, 0], "order": "down", "match": "any", "plays": ["tableau", "foundation"]}


def rules_with(
    *,
    foundations: dict[str, Any] | None = None,
    tableau: dict[str, Any] | None = None,
    stock: dict[str, Any] | None = None,
    waste: dict[str, Any] | None = None,
) -> Ruleset:
    document: dict[str, Any] = {
        "name": "Small",
        "packs": 1,
        "foundations": [FOUNDATIONS | (foundations or {})],
        "tableau": TABLEAU | (tableau or {}),
        "stock": stock or {"plays": ["waste"]},
    }
    if "waste" in document["stock"]["plays"]:
        document["waste"] = {"plays": ["tableau", "foundation"]} | (waste or {})
    return Ruleset("small", "standard", read_rules("small", document))


def small(rules: Ruleset, **piles: str) -> Board:
    found = (parse_pile(piles.get(name, "").split()) for name in rules.pile_names)
    return Board(rules, tuple(found))


def dealt_from(rules: Ruleset) -> Board:
    return lay_out(rules, pack(rules.rules.packs))


def test_an_empty_pile_may_take_nothing() -> None:
    place = small(rules_with(tableau={"empty": "none"}), t0="7S", t1="5H", w="KS")
    assert legal(place) == []


def test_a_tableau_may_build_up_or_either_way() -> None:
    for order, moves in (("up", ["t1>t0"]), ("either", ["t0>t1", "t1>t0"])):
        rules = rules_with(tableau={"order": order, "empty": "none"})
        assert legal(small(rules, t0="7S", t1="8H")) == moves


def test_a_foundation_may_build_down() -> None:
    rules = rules_with(foundations={"first": "K", "order": "down"})
    assert "t0>f0" in legal(small(rules, f0="KS", t0="QS"))
    assert "t0>f0" not in legal(small(rules, f0="AS", t0="KS"))


@pytest.mark.parametrize(
    ("first", "order", "last"), [("A", "up", "K"), ("5", "up", "4"), ("K", "down", "A")]
)
def test_a_foundation_with_a_first_rank_ends_with_its_thirteenth(
    first: str, order: str, last: str
) -> None:
    rules = rules_with(foundations={"first": first, "order": order, "match": "any", "wrap": True})
    assert "t0>f0" not in legal(small(rules, f0=f"{last}S", t0=f"{first}H"))


@pytest.mark.parametrize(("first", "order"), [("any", "up"), ("A", "either"), ("any", "either")])
def test_a_foundation_may_wrap_around_endlessly(first: str, order: str) -> None:
    rules = rules_with(foundations={"first": first, "order": order, "match": "any", "wrap": True})
    assert "t0>f0" in legal(small(rules, f0="KS", t0="AH"))


def test_a_tableau_may_build_by_colour() -> None:
    rules = rules_with(tableau={"match": "colour", "empty": "none", "deal": [2, 2, 2]})
    assert legal(small(rules, t0="8C", t1="8H", t2="7S")) == ["t2>t0"]


def test_a_run_moved_by_spaces_goes_to_no_empty_pile() -> None:
    rules = rules_with(tableau={"moves": "run-by-spaces", "wrap": True})
    place = small(rules, t0="AS KH")
    assert legal(place) == ["t0>t1", "t0>t2"]
    assert not is_legal(place, parse_move(rules, "t0>t1x2"))


def test_a_foundation_may_take_the_other_colour() -> None:
    rules = rules_with(foundations={"match": "alternate"})
    place = small(rules, f0="AS", t0="2H", t1="2C")
    assert [move for move in legal(place) if move.endswith(">f0")] == ["t0>f0"]


def test_several_cards_of_a_pile_may_be_dealt_face_up() -> None:
    start = dealt_from(rules_with(tableau={"deal": [4, 1, 0], "face_up": 2}))
    assert [name.startswith("?") for name in shown(start, "t0").split()] == [
        True,
        True,
        False,
        False,
    ]
    assert "?" not in shown(start, "t1")


def test_a_face_up_stock_plays_what_fits_a_foundation() -> None:
    rules = rules_with(stock={"plays": ["foundation", "tableau"], "top": "up"})
    place = small(rules, f0="AS", t0="3H", s="?5C 2S")
    assert moves_of(place, "s") == ["s>f0", "s>t0", "s>t1", "s>t2"]
    assert shown(after(place, "s>f0"), "s") == "5C"


def test_a_first_card_goes_from_the_stock_to_empty_foundations() -> None:
    rules = rules_with(stock={"plays": ["foundation"], "top": "up", "to_foundation": "first"})
    place = small(rules, f0="AH", s="?5C AS")
    assert moves_of(place, "s") == ["s>f1", "s>f2", "s>f3"]
    assert not is_legal(place, parse_move(rules, "s>f0"))


def test_any_card_of_the_stock_may_go_to_a_foundation_unseen() -> None:
    stock = {"plays": ["foundation"], "to_foundation": "any"}
    place = small(rules_with(stock=stock), f0="AS", t0="3H", s="?5C ?9D")
    assert moves_of(place, "s") == ["s>f0", "s>f1", "s>f2", "s>f3"]
    moved, delta = play(place, parse_move(place.ruleset, "s>f0"))
    assert shown(moved, "f0") == "AS 9D"
    assert apply_delta(view_of(place), delta) == view_of(moved)


def test_a_face_up_stock_shows_its_top_card_after_every_move() -> None:
    rules = rules_with(stock={"plays": ["waste"], "top": "up"}, waste={"redeals": 1})
    place = small(rules, t0="3H", s="?5C ?9D TD")
    assert shown(after(place, "s>w"), "s") == "?5C 9D"
    turned = after(place, "s>w", "s>w", "s>w", "w>s")
    assert shown(turned, "s") == "?5C ?9D TD"
    rows = small(rules_with(stock={"plays": ["row"], "top": "up"}), s="?6H ?5C ?9D ?KD TD")
    assert shown(after(rows, "s>t"), "s") == "?6H 5C"


def test_foundations_may_be_laid_out_in_any_order_of_suits() -> None:
    rules = rules_with(foundations={"suits": "CH", "piles": 2, "setup": "laid-out"})
    start = dealt_from(rules)
    assert [shown(start, f"f{i}") for i in range(2)] == ["AC", "AH"]
    assert sizes(start, "s") == [46]


@pytest.mark.parametrize(("fill", "redeals"), [(["waste", "stock"], 1), (["stock"], 0)])
def test_no_pile_is_empty_while_cards_can_fill_it(fill: list[str], redeals: int) -> None:
    rules = rules_with(tableau={"deal": [1, 1, 1], "fill": fill}, waste={"redeals": redeals})
    found = position_of(dealt_from(rules))
    assert parse_position(found, lambda _game, _variant: rules) == dealt_from(rules)
    found["piles"]["f0"] = [found["piles"]["t0"].pop()]
    with pytest.raises(PositionError, match="would have been filled"):
        parse_position(found, lambda _game, _variant: rules)


@pytest.mark.parametrize(
    ("fill", "redeals", "moves"),
    [(["waste"], 0, ["t0>f0", "s>w"]), (["stock"], 1, [*["s>w"] * 49, "t0>f0", "w>s"])],
)
def test_an_empty_pile_is_not_filled_by_cards_that_arrive_later(
    fill: list[str], redeals: int, moves: list[str]
) -> None:
    tableau = {"deal": [1, 1, 1], "fill": fill}
    rules = rules_with(tableau=tableau, waste={"redeals": redeals})
    place = after(dealt_from(rules), *moves)
    assert sizes(place, "t") == [0, 1, 1]
    assert parse_position(position_of(place), lambda _game, _variant: rules) == place
