"""Rulesets: what is computed from the rules alone, before there is a board."""

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


@pytest.mark.parametrize("plays", [["tableau"], ["foundation"], ["tableau", "foundation"]])
def test_runs_go_where_the_tableau_plays(plays: list[str]) -> None:
    document: dict[str, Any] = {
        "name": "Runs",
        "packs": 2,
        "foundations": [{"piles": 8, "first": "K", "takes": "run"}],
        "tableau": {"deal": [6] * 10, "order": "down", "match": "suit", "moves": "run"},
        "stock": {"plays": ["row"]},
    }
    document["tableau"]["plays"] = plays
    rules = Ruleset("runs", "standard", read_rules("runs", document))
    assert rules.spreads_runs == ("tableau" in plays)
    assert bool(rules.runs_home) == ("foundation" in plays)
