"""The beam's layouts of rulesets: their dominances, and support for rare rules."""

from __future__ import annotations

from typing import Any

import pytest

from engine.deal import deal_seed
from engine.solver.beam import indices as idx
from engine.solver.beam.layout import Layout
from tests.engine.positions import SEED
from tests.engine.solver.rare_rules import TABLEAU, foundations, rules_of

ROWS = 1 << 6

ANY = {"first": "any", "order": "either"}


def layout(**changes: Any) -> Layout:
    return Layout(deal_seed(rules_of(**changes), SEED), ROWS)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"packs": 1},
        {"waste": {"plays": ["foundation"], "redeals": 2}},
        {"stock": {"plays": ["row"]}, "waste": None},
        {"foundations": foundations({"first": "3", "wrap": True})},
        {"packs": 1, "foundations": foundations({"piles": 1}, {"piles": 3})},
        {"foundations": foundations({"match": "any"}), "tableau": TABLEAU | {"match": "any"}},
    ],
)
def test_cards_may_go_home_automatically(changes: dict[str, Any]) -> None:
    assert layout(**changes).regular


@pytest.mark.parametrize(
    "changes",
    [
        {"foundations": foundations({"piles": 7})},
        {"packs": 1, "foundations": foundations({"piles": 1})},
        {"foundations": foundations({"suits": "SHD"})},
        {"foundations": foundations({"match": "colour"})},
        {"foundations": foundations({"match": "any"})},
        {"foundations": foundations({"first": "any"})},
        {"foundations": foundations({"order": "either"})},
        {"foundations": foundations({}, {"first": "K"})},
        {"foundations": foundations({}, {"order": "down"})},
        {"foundations": foundations({"first": "K"}, {"first": "K", "wrap": True})},
        {"foundations": foundations({}, {"takes": "run", "first": "K"})},
        {"tableau": TABLEAU | {"fill": ["waste"]}},
        {"stock": {"plays": ["waste", "foundation"], "to_foundation": "any"}},
        {"stock": {"plays": ["waste", "row"]}, "waste": {"plays": ["foundation"], "redeals": 1}},
    ],
)
def test_cards_never_go_home_automatically(changes: dict[str, Any]) -> None:
    assert not layout(**changes).regular


@pytest.mark.parametrize(
    ("changes", "defers"),
    [
        ({}, True),
        ({"waste": {"plays": ["foundation"], "redeals": 2}}, True),
        ({"tableau": TABLEAU | {"fill": ["waste"]}}, False),
        ({"stock": {"plays": ["row"]}, "waste": None}, False),
        ({"stock": {"plays": ["waste", "row"]}}, False),
        ({"stock": {"plays": ["waste", "tableau"], "top": "up"}}, False),
        ({"stock": {"plays": ["waste", "foundation"], "top": "up"}}, False),
    ],
)
def test_deals_are_deferred_where_only_the_waste_takes_the_stocks_cards(
    changes: dict[str, Any], *, defers: bool
) -> None:
    assert layout(**changes).tables[idx.DEFERS] == defers


@pytest.mark.parametrize(
    "changes",
    [
        {"foundations": foundations({"takes": "run", "first": "K"})},
        {"foundations": foundations({"takes": "run", "first": "K", "suits": "SC"})},
        {"foundations": foundations({"suits": "SC"})},
        {"foundations": foundations(ANY)},
        {"tableau": None, "waste": {"plays": ["foundation"]}},
    ],
)
def test_rare_rules_have_a_layout(changes: dict[str, Any]) -> None:
    made = layout(**changes)
    assert len(made.row) == made.tables[idx.WIDTH]
