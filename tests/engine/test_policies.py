"""Schema values that no game's file sets: each has the effect described in RULES.md."""

from __future__ import annotations

from typing import Any

import pytest

from engine.board import Board, apply_delta, view_of
from engine.cards import pack, parse_pile
from engine.deal import lay_out
from engine.errors import PositionError
from engine.notation import parse_move
from engine.play import play
from engine.position import parse_position, position_of
from engine.ruleset import Ruleset
from engine.schema import read_rules
from tests.engine.positions import after, moves_of, shown, sizes
from tests.engine.test_rules import answer_to, piles_in

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


def foundation(first: str, order: str, **more: Any) -> dict[str, Any]:
    return {"foundations": {"first": first, "order": order, **more}}


ROUND: dict[str, Any] = {"match": "any", "wrap": True}
FACE_UP = {"stock": {"plays": ["foundation", "tableau"], "top": "up"}}
FIRST = {"stock": {"plays": ["foundation"], "top": "up", "to_foundation": "first"}}
TURNED = {"stock": {"plays": ["waste"], "top": "up"}, "waste": {"redeals": 1}}
ROWS = {"stock": {"plays": ["row"], "top": "up"}}


@pytest.mark.parametrize(
    ("keys", "piles", "asked", "answer"),
    [
        ({"tableau": {"empty": "none"}}, "t0=7S t1=5H w=KS", "*", ""),
        ({"tableau": {"empty": "none", "order": "up"}}, "t0=7S t1=8H", "*", "t1>t0"),
        ({"tableau": {"empty": "none", "order": "either"}}, "t0=7S t1=8H", "*", "t0>t1 t1>t0"),
        (
            {"tableau": {"match": "colour", "empty": "none", "deal": [2, 2, 2]}},
            *("t0=8C t1=8H t2=7S", "*", "t2>t0"),
        ),
        # A run goes to no empty pile if empty piles carry it.
        (
            {"tableau": {"moves": "run-by-spaces", "wrap": True}},
            *("t0=AS,KH", "*", "t0>t1 t0>t2"),
        ),
        (foundation("K", "down"), "f0=KS t0=QS", ">f0", "t0>f0"),
        (foundation("K", "down"), "f0=AS t0=KS", ">f0", ""),
        # With a first rank, a foundation ends with its thirteenth card.
        (foundation("A", "up", **ROUND), "f0=KS t0=AH", ">f0", ""),
        (foundation("5", "up", **ROUND), "f0=4S t0=5H", ">f0", ""),
        (foundation("K", "down", **ROUND), "f0=AS t0=KH", ">f0", ""),
        # Without one, or either way, it wraps around endlessly.
        (foundation("any", "up", **ROUND), "f0=KS t0=AH", ">f0", "t0>f0"),
        (foundation("A", "either", **ROUND), "f0=KS t0=AH", ">f0", "t0>f0"),
        (foundation("any", "either", **ROUND), "f0=KS t0=AH", ">f0", "t0>f0"),
        (foundation("A", "up", match="alternate"), "f0=AS t0=2H t1=2C", ">f0", "t0>f0"),
        (FACE_UP, "f0=AS t0=3H s=?5C,2S", "s>", "s>f0 s>t0 s>t1 s>t2"),
        (FACE_UP, "f0=AS t0=3H s=?5C,2S", "s>f0 : s", "5C"),
        (FIRST, "f0=AH s=?5C,AS", "s>", "s>f1 s>f2 s>f3"),
        (TURNED, "t0=3H s=?5C,?9D,TD", "s>w : s", "?5C 9D"),
        (TURNED, "t0=3H s=?5C,?9D,TD", "s>w s>w s>w w>s : s", "?5C ?9D TD"),
        (ROWS, "s=?6H,?5C,?9D,?KD,TD", "s>t : s", "?6H 5C"),
    ],
)
def test_a_key_has_its_effect(keys: dict[str, Any], piles: str, asked: str, answer: str) -> None:
    """Questions and answers are as in the files of rules."""
    place = small(rules_with(**keys), **piles_in(piles, {}))
    assert answer_to(asked, place) == answer.split()


def test_several_cards_of_a_pile_may_be_dealt_face_up() -> None:
    start = dealt_from(rules_with(tableau={"deal": [4, 1, 0], "face_up": 2}))
    assert [name.startswith("?") for name in shown(start, "t0").split()] == [
        True,
        True,
        False,
        False,
    ]
    assert "?" not in shown(start, "t1")


def test_any_card_of_the_stock_may_go_to_a_foundation_unseen() -> None:
    stock = {"plays": ["foundation"], "to_foundation": "any"}
    place = small(rules_with(stock=stock), f0="AS", t0="3H", s="?5C ?9D")
    assert moves_of(place, "s") == ["s>f0", "s>f1", "s>f2", "s>f3"]
    moved, delta = play(place, parse_move(place.ruleset, "s>f0"))
    assert shown(moved, "f0") == "AS 9D"
    assert apply_delta(view_of(place), delta) == view_of(moved)


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
