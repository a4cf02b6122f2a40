"""The command that solves FreeCell's numbered deals."""

from __future__ import annotations

import pytest

from deploy import numbered
from engine.catalog import ruleset
from engine.solver import Verdict, budget_of


def test_a_deal_is_solved_by_its_number() -> None:
    """Deal 11982 is the only one of the first 32,000 that cannot be won."""
    found = numbered.verdicts([1, 11_982], budget_of(ruleset(numbered.GAME)), jobs=1)
    assert found == {1: Verdict.WINNABLE, 11_982: Verdict.IMPOSSIBLE}


def test_undecided_deals_are_retried_with_a_larger_budget(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["numbered", "--deals", "2", "--jobs", "1"])
    monkeypatch.setattr(numbered, "budget_of", lambda rules: 1)
    monkeypatch.setattr(numbered, "MORE", budget_of(ruleset(numbered.GAME)))
    assert numbered.main() == 0
    assert capsys.readouterr().out == "winnable: 2\nimpossible: 0\nunknown: 0\n"
    monkeypatch.setattr(numbered, "MORE", 1)
    assert numbered.main() == 0
    assert capsys.readouterr().out == "winnable: 0\nimpossible: 0\nunknown: 2 1 2\n"
