"""The command that reports how many deals can be won."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from deploy import solving, winnability
from deploy.solving import Row, Solved, Task, complete, known, seed, solved
from deploy.winnability import page, wilson
from engine.catalog import ruleset
from engine.solver import budget_of


def deal(number: int, verdict: str, home: int = 52) -> Solved:
    return Solved(number, verdict, home, moves=100, effort=1, steps=10, seconds=0.5)


def test_the_interval_is_wilsons() -> None:
    assert wilson(10, 100) == pytest.approx((0.0552, 0.1744), abs=1e-4)
    assert wilson(0, 50)[0] == pytest.approx(0)
    assert wilson(50, 50)[1] == pytest.approx(1)


def test_undecided_deals_widen_the_interval_on_both_sides() -> None:
    verdicts = ["winnable"] * 60 + ["impossible"] * 10 + ["unknown"] * 30
    deals = [deal(number, verdict) for number, verdict in enumerate(verdicts)]
    text = page([Row(ruleset("roosevelt"), 7, deals)], [])
    assert "| beam | 7 | 100 | 60 | 10 | 30 | 50.20% to 94.48% |" in text


def test_wins_are_counted_by_their_time() -> None:
    found = [("winnable", 0.1), ("winnable", 2.5), ("winnable", 10.01), ("unknown", 0.0)]
    deals = [replace(deal(0, verdict), seconds=seconds) for verdict, seconds in found]
    text = page([], [Row(ruleset("roosevelt"), 7, deals)])
    assert "| won in 0.1 s | won in 1 s | won in 3 s | won in 10 s |" in text
    assert "| roosevelt | standard | 1 | 1 | 2 | 2 |" in text


def test_par_is_reported_for_games_without_wins() -> None:
    deals = [deal(number, "impossible", home) for number, home in enumerate((30, 30, 31, 33))]
    text = page([Row(ruleset("robert"), 7, deals)], [])
    assert "Par is 31.00 ± 1.39 on average" in text
    assert "| 30 | 2 | 50.00% |\n| 31 | 1 | 25.00% |\n| 32 | 0 | 0.00% |" in text


def test_a_digest_depends_on_everything_except_the_time() -> None:
    def digest(**changes: object) -> str:
        changed = replace(deal(1, "winnable"), **changes)  # type: ignore[arg-type]
        return winnability.digest(Row(ruleset("robert"), 7, [deal(0, "winnable"), changed]))

    assert digest(seconds=9.9) == digest()
    assert len({digest(), digest(verdict="unknown"), digest(home=1), digest(steps=1)}) == 4
    (*_, row) = winnability.digests([Row(ruleset("robert"), 7, [deal(0, "unknown")])])
    assert "| robert | standard | 7 | 1 | `" in row


def test_deals_are_solved_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "KEPT", tmp_path)
    rules = ruleset("robert")
    task = Task("robert", "standard", 0, budget_of(rules))
    (first,) = complete([(rules, 3, task.budget)], jobs=1)
    assert [each.number for each in first.deals] == [0, 1, 2]
    whole = solving.kept(task).read_text()
    # The command was stopped while it wrote the last line.
    for cut in (whole.rpartition(",")[0], whole.rpartition(",")[0] + ","):
        solving.kept(task).write_text(cut)
        assert known(task) == {0: first.deals[0], 1: first.deals[1]}
    (again,) = complete([(rules, 3, task.budget)], jobs=1)
    assert again.deals[:2] == first.deals[:2]
    assert again.deals[2].home == first.deals[2].home
    solving.kept(task).write_text(whole.replace("source ", "source 0"))
    assert known(task) == {}


def test_a_changed_source_invalidates_its_methods_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(solving.SOLVER, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(solving, "SOLVER", tmp_path)

    def sources() -> dict[str, str]:
        solving.source.cache_clear()
        return {method: solving.source(method) for method in ("passes", "piles", "beam")}

    def changed_by(module: str) -> set[str]:
        before = sources()
        path = tmp_path / f"{module}.py"
        path.write_text(path.read_text() + "# changed\n")
        after = sources()
        return {method for method in before if before[method] != after[method]}

    assert changed_by("sat") == {"piles"}
    assert changed_by("blocks") == {"passes"}
    assert changed_by("beam/rows") == {"beam"}
    assert changed_by("compiled") == {"beam"}
    assert changed_by("solution") == {"passes", "piles", "beam"}
    solving.source.cache_clear()


def test_a_deals_answer_is_repeatable() -> None:
    task = Task("robert", "standard", 5, 0)
    one, other = solved(task), solved(task)
    assert (one.verdict, one.home, one.moves) == (other.verdict, other.home, other.moves)
    assert one.verdict == "impossible"
    assert len({seed(number) for number in range(100)}) == 100
