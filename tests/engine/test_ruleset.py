"""Rulesets: what is computed from the rules alone, without a board."""

from __future__ import annotations

from typing import Any

import pytest

from engine.ruleset import Ruleset
from engine.schema import read_rules
from tests.engine.positions import ALL
from tests.relatives import find_ruleset


@pytest.mark.parametrize("names", ALL, ids="-".join)
def test_runs_go_to_foundations_only_where_one_takes_them(names: tuple[str, str]) -> None:
    rules = find_ruleset(*names)
    assert bool(rules.runs_home) == any(group.takes == "run" for group in rules.groups)


def rules_of_runs(**tableau: Any) -> Ruleset:
    """Return the rules of a game of 104 cards that are built into runs on ten piles."""
    places = ["tableau", "foundation"]
    piles = {"deal": [6] * 10, "order": "down", "match": "suit", "moves": "run", "plays": places}
    document = {
        "name": "Runs",
        "packs": 2,
        "foundations": [{"piles": 8, "first": "K", "takes": "run"}],
        "tableau": piles | tableau,
        "stock": {"plays": ["row"]},
    }
    return Ruleset("runs", "standard", read_rules("runs", document))


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
    counts = [n for n in range(106) if rules.move_of(first, first + 1, n) is not None]
    assert counts == list(range(1, longest + 1))
