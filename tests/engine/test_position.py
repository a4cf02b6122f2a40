"""Positions as JSON values: valid ones are read, others refused."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import DeckError, EngineError, PositionError
from engine.position import MAX_MOVES, parse_position, position_of
from tests.engine.positions import VARIANTS, board, dealt, easy_board, position, run_down


@pytest.mark.parametrize(("game", "variant"), VARIANTS)
def test_a_position_has_these_keys(game: str, variant: str) -> None:
    start = dealt(game, variant)
    found = position_of(start)
    assert list(found) == ["game", "variant", "piles", "redeals", "moves", "won", "stuck"]
    assert list(found["piles"]) == list(start.ruleset.pile_names)
    assert (found["game"], found["variant"]) == (game, variant)
    assert (found["redeals"], found["moves"], found["won"], found["stuck"]) == (0, 0, False, False)


@pytest.mark.parametrize(("game", "variant"), VARIANTS)
def test_a_position_reads_back(game: str, variant: str) -> None:
    for start in (dealt(game, variant), easy_board(dealt(game, variant).ruleset)):
        assert parse_position(position_of(start)) == start


def test_a_game_without_a_waste_has_no_redeals() -> None:
    found = position_of(dealt("lady-betty"))
    assert parse_position(found | {"redeals": 0}) == dealt("lady-betty")
    with pytest.raises(PositionError):
        parse_position(found | {"redeals": 1})


def test_redeals_moves_and_outcome_may_be_left_out() -> None:
    found = position_of(dealt("robert"))
    short = {key: found[key] for key in ("game", "piles")}
    assert parse_position(short) == dealt("robert")


def test_empty_piles_may_be_left_out() -> None:
    found = position_of(dealt("lady-betty"))
    assert parse_position(found | {"piles": {"s": found["piles"]["s"]}}) == dealt("lady-betty")


@pytest.mark.parametrize("value", [None, 1, "position", [], [1], True])
def test_a_position_is_an_object(value: Any) -> None:
    with pytest.raises(PositionError):
        parse_position(value)


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("game", None, "bad_position"),
        ("game", 1, "bad_position"),
        ("game", ["robert"], "bad_position"),
        ("game", "Robert", "unknown_game"),
        ("game", "\ud800", "unknown_game"),
        ("variant", None, "bad_position"),
        ("variant", "strict", "unknown_variant"),
        ("piles", None, "bad_position"),
        ("piles", [], "bad_position"),
        ("piles", {"t0": []}, "bad_position"),
        ("piles", {"s": "TH"}, "bad_position"),
        ("piles", {"s": [1]}, "bad_position"),
        ("piles", {"s": [["TH"]]}, "bad_position"),
        ("piles", {"s": ["??"]}, "bad_card"),
        ("piles", {}, "bad_deck"),
        ("redeals", -1, "bad_position"),
        ("redeals", 3, "bad_position"),
        ("redeals", True, "bad_position"),
        ("redeals", 1.5, "bad_position"),
        ("redeals", "1", "bad_position"),
        ("redeals", None, "bad_position"),
        ("moves", -1, "bad_position"),
        ("moves", MAX_MOVES + 1, "bad_position"),
        ("moves", 10**400, "bad_position"),
        ("won", True, "bad_position"),
        ("won", 0, "bad_position"),
        ("stuck", True, "bad_position"),
        ("stuck", None, "bad_position"),
        ("seed", "00", "bad_position"),
        ("\ud800", 1, "bad_position"),
    ],
)
def test_an_impossible_value_is_refused(key: str, value: Any, code: str) -> None:
    with pytest.raises(EngineError) as refused:
        parse_position(position_of(dealt("robert")) | {key: value})
    assert refused.value.code == code


def test_a_position_may_have_the_maximum_number_of_moves() -> None:
    found = position_of(dealt("robert")) | {"moves": MAX_MOVES, "redeals": 2}
    assert parse_position(found).moves == MAX_MOVES


@pytest.mark.parametrize(("game", "variant"), VARIANTS)
@pytest.mark.parametrize("change", ["missing", "twice", "swapped"])
def test_a_position_holds_the_whole_pack(game: str, variant: str, change: str) -> None:
    found = position_of(dealt(game, variant))
    pile = max(found["piles"], key=lambda name: len(found["piles"][name]))
    cards = found["piles"][pile]
    found["piles"][pile] = {
        "missing": cards[1:],
        "twice": [*cards[:1], *cards],
        "swapped": ["?2C" if card.endswith("AS") else "?AS" for card in cards],
    }[change]
    with pytest.raises(DeckError):
        parse_position(found)


RUN = run_down("KS", "H").split()


UNREACHABLE = {
    "roosevelt": "f0=2S,3S f0=AS,3S f0=AS,2H f0=?AS,2S t0=?AS,2S w=?AS,2S w=AS,?2S",
    "robert": "f0=AS,3S f0=?AS,2S w=?5S f0=",
    "rouge-et-noir": "f0=AS,2S f2=AH,2H f0=AH,2H,4H f0=2H,3H f4=AS,2S t0=?5S t0=5S,?6S,7S "
    "t0=5S,?6S t7=?5S,?7S,9S t9=?5S,7S",
    "deuces": "f0=2H,3H f0=2S,3H f0=2S,4S f0=3S,4S t0=?5S,7S",
    "lady-betty": "f0=AS,3S t0=?5S,7S",
}
BROKEN_RUNS = [RUN[:-1], RUN[::-1], ["?KS", *RUN[1:]], [*RUN, "KD"], [*RUN[:-1], "AD"]]
OTHERS = {
    "deuces f0=2H,3H": {"f1": "2S"},
    "robert w=?5S": {"f0": "AS 2S"},
    "robert f0=": {"w": "5S"},
}
"""Further piles that these positions need."""


@pytest.mark.parametrize(
    ("game", "pile"),
    [
        *((game, pile) for game, piles in UNREACHABLE.items() for pile in piles.split()),
        *(("rouge-et-noir", f"f4={','.join(run)}") for run in BROKEN_RUNS),
    ],
)
def test_an_unreachable_pile_is_refused(game: str, pile: str) -> None:
    name, cards = pile.split("=")
    piles = {name: cards.replace(",", " ")} | OTHERS.get(f"{game} {pile}", {})
    wrong = "|".join("waste" if name == "w" else f"{name} " for name in piles)
    with pytest.raises(PositionError, match=wrong):
        board(game, **{"t1": "9C", "rest": "t1"} | piles if game != "robert" else piles)


def test_a_foundation_laid_out_is_never_empty() -> None:
    found = position("deuces", t0="5S", rest="t0")
    found["piles"]["t0"].append(found["piles"]["f0"].pop())
    with pytest.raises(PositionError, match="f0"):
        parse_position(found)


@pytest.mark.parametrize(
    ("game", "change"),
    [
        ("roosevelt", "up"),
        ("robert", "up"),
        ("lady-betty", "up"),
        ("lady-betty", "down"),
        ("roosevelt", "long"),
        ("deuces", "long"),
        ("rouge-et-noir", "long"),
        ("rouge-et-noir", "row"),
    ],
)
def test_an_unreachable_stock_is_refused(game: str, change: str) -> None:
    """Only its top card may lie face up, its length is limited, and it holds whole rows."""
    found = position_of(dealt(game))
    piles = found["piles"]
    other = next((n for n, pile in reversed(piles.items()) if n != "s" and pile), "s")
    if change == "up":
        piles["s"][0] = piles["s"][0].removeprefix("?")
    elif change == "down":
        piles["s"][-1] = "?" + piles["s"][-1]
    elif change == "long":
        piles["s"].insert(0, "?" + piles[other].pop())
    else:
        piles[other].append(piles["s"].pop().removeprefix("?"))
    with pytest.raises(PositionError, match="stock"):
        parse_position(found)


def test_a_stated_outcome_must_be_true() -> None:
    blocked = position_of(board("robert", f0="7S", w="2D", rest="w", redeals=2))
    assert blocked["stuck"] is True
    assert position_of(parse_position(blocked)) == blocked
    with pytest.raises(PositionError, match="stuck is true"):
        parse_position(blocked | {"stuck": False})


@pytest.mark.parametrize("cell", [["AS", "2S"], ["?AS"]])
def test_a_cell_holds_one_card_face_up(cell: list[str]) -> None:
    found = position_of(dealt("freecell"))
    cards = {card.removeprefix("?") for card in cell}
    piles = {
        name: [card for card in pile if card not in cards] for name, pile in found["piles"].items()
    }
    first = next(iter(dealt("freecell").ruleset.cells))
    name = dealt("freecell").ruleset.pile_names[first]
    with pytest.raises(PositionError, match="more than a card face up"):
        parse_position({**found, "piles": piles | {name: cell}})
