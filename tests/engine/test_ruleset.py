"""Rulesets: values computed from the rules alone, without a board."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from engine.cards import card_name
from engine.notation import move_text, parse_move
from engine.ruleset import Ruleset
from engine.schema import read_rules
from tests.engine.positions import ALL
from tests.relatives import find_ruleset


@pytest.mark.parametrize("names", ALL, ids="-".join)
def test_runs_go_only_to_foundations_that_take_them(names: tuple[str, str]) -> None:
    rules = find_ruleset(*names)
    by_hand = [group for group in rules.groups if group.takes == "run" and not group.automatic]
    assert bool(rules.runs_home) == bool(by_hand)


def rules_of_runs(foundations: list[dict[str, Any]] | None = None, **tableau: Any) -> Ruleset:
    """Return the rules of a game of 104 cards built into runs on ten piles."""
    places = ["tableau", "foundation"]
    piles = {"deal": [6] * 10, "order": "down", "match": "suit", "moves": "run", "plays": places}
    document = {
        "name": "Runs",
        "packs": 2,
        "foundations": foundations or [{"piles": 8, "first": "K", "takes": "run"}],
        "tableau": piles | tableau,
        "stock": {"plays": ["row"]},
    }
    return Ruleset("runs", "standard", read_rules("runs", document))


def counts_of(rules: Ruleset, source: int, target: int) -> list[int]:
    return [n for n in range(106) if rules.move_of(source, target, n) is not None]


def test_a_foundation_takes_runs_of_its_suits_from_its_first_rank_on() -> None:
    rules = rules_of_runs([{"piles": 4, "first": "K", "takes": "run", "suits": "SD"}])
    assert [card_name(card) for card, head in enumerate(rules.run_heads[0]) if head] == ["KS", "KD"]


@pytest.mark.parametrize("plays", [["tableau"], ["foundation"], ["tableau", "foundation"]])
def test_runs_go_where_the_tableau_plays(plays: list[str]) -> None:
    rules = rules_of_runs(plays=plays)
    assert rules.spreads_runs == ("tableau" in plays)
    assert bool(rules.runs_home) == ("foundation" in plays)


@pytest.mark.parametrize(
    ("match", "wrap", "longest"),
    [
        ("suit", True, 26),
        ("colour", True, 52),
        ("alternate", True, 104),
        ("any", True, 104),
        ("suit", False, 13),
        ("any", False, 13),
    ],
)
def test_a_move_has_at_most_the_cards_of_the_longest_run(
    match: str, wrap: bool, longest: int
) -> None:
    rules = rules_of_runs(match=match, wrap=wrap)
    first = rules.tableau.start
    assert counts_of(rules, first, first + 1) == list(range(1, longest + 1))
    assert counts_of(rules, first, 0) == list(range(1, 14))
    assert counts_of(rules, 0, first) == counts_of(rules, rules.stock, first) == [1]


@pytest.mark.parametrize("names", ALL, ids="-".join)
def test_a_move_is_three_numbers_on_the_wire(names: tuple[str, str]) -> None:
    rules = find_ruleset(*names)
    piles = len(rules.pile_names)
    possible = {
        numbers: move
        for numbers in product(range(piles), range(piles + 2), range(rules.total + 2))
        if (move := rules.move_of(*numbers)) is not None
    }
    for numbers, move in possible.items():
        assert rules.numbers_of(move) == numbers
        assert parse_move(rules, move_text(rules, move)) == move
    of_one_card = [numbers for numbers in possible if numbers[1] < piles and numbers[2] == 1]
    assert len(of_one_card) == piles**2


@pytest.mark.parametrize(("wrap", "longest"), [(False, 13), (True, 26)])
def test_runs_that_build_up_have_the_same_length(wrap: bool, longest: int) -> None:
    foundation = {"piles": 8, "first": "A"}
    rules = rules_of_runs(order="up", wrap=wrap, foundations=[foundation])
    first = rules.tableau.start
    assert counts_of(rules, first, first + 1) == list(range(1, longest + 1))
    assert counts_of(rules, first, 0) == [1]


def test_suits_are_laid_out_in_their_order_after_other_groups() -> None:
    groups = [{"piles": 1, "first": "any"}, {"piles": 8, "first": "A", "setup": "laid-out"}]
    rules = rules_of_runs(foundations=groups)
    laid_out = [(pile, "A", suit) for pile, suit in enumerate("SHDCSHDC", start=1)]
    assert list(rules.laid_out_suits()) == laid_out
