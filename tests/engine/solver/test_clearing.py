"""The search of peaks, against an exhaustive one and in plain Python."""

from __future__ import annotations

import sys
from collections import Counter
from functools import cache
from importlib import import_module
from random import Random
from types import ModuleType

import pytest

from engine.board import Board
from engine.catalog import ruleset
from engine.deal import deal_seed
from engine.play import play
from engine.ruleset import Move
from engine.solver import clearing, compiled, is_exact, method_of, proves_losses, solve
from engine.solver.solution import Verdict
from tests.engine.positions import easy_board
from tests.engine.solver.clearing_boards import RULES, played
from tests.engine.solver.exhaustive import most_home
from tests.engine.starts import built_start
from tests.sizes import cases

POSITIONS = 800
"""Limit of positions for the exhaustive search."""


def load_plain() -> ModuleType:
    """Return another copy of the search with uncompiled functions."""
    name = "engine.solver.clearing.depth_first"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "njit", None)
        for each in (name, "engine.solver.beam.hashes"):
            patch.delitem(sys.modules, each)
        plain = import_module(name)
    # Importing has set the copies as attributes of the packages.
    for each in (name, "engine.solver.beam.hashes"):
        package, _, module = each.rpartition(".")
        setattr(sys.modules[package], module, sys.modules[each])
    return plain


PLAIN = load_plain()


@cache
def late_boards(game: str, variant: str) -> list[tuple[Board, int]]:
    """Return boards that an exhaustive search decides, with the most cards that come home."""
    rules, found = ruleset(game, variant), list[tuple[Board, int]]()
    for number in range(cases(60, 300)):
        chance = Random(number)
        board = played(rules, chance) if number % 2 else built_start(rules, chance)
        home = None if board.won else most_home(board, POSITIONS)
        if home is not None:
            found.append((board, home))
    return found


def home_after(board: Board, line: tuple[Move, ...]) -> int:
    for move in line:
        board, _ = play(board, move)
    return board.home


@pytest.mark.parametrize(("game", "variant"), RULES)
def test_verdicts_match_an_exhaustive_search(game: str, variant: str) -> None:
    counts: Counter[Verdict] = Counter()
    for board, home in late_boards(game, variant):
        found = solve(board)
        won = home == board.ruleset.total
        assert found.verdict is (Verdict.WINNABLE if won else Verdict.IMPOSSIBLE), board
        assert found.most == won
        assert board.home <= home_after(board, found.line) == found.home <= home
        counts[found.verdict] += 1
    assert counts.total() > 8
    assert "=" in variant or min(counts[Verdict.WINNABLE], counts[Verdict.IMPOSSIBLE]) > 1


@pytest.mark.parametrize(("game", "variant"), RULES)
def test_the_search_is_the_same_in_plain_python(
    game: str, variant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    boards = [
        deal_seed(ruleset(game, variant), bytes([5]) * 32),
        easy_board(ruleset(game, variant)),
    ]
    boards += [board for board, _ in late_boards(game, variant)[:5]]
    answers = [clearing.solve(board, 2_000) for board in boards]
    monkeypatch.setattr(clearing, "search_depth_first", PLAIN.search_depth_first)
    monkeypatch.setattr(clearing, "LOG_SEEN", 12)
    assert [clearing.solve(board, 2_000) for board in boards] == answers


def test_the_easy_deals_are_won() -> None:
    for names in RULES[:5]:
        assert solve(easy_board(ruleset(*names))).verdict is Verdict.WINNABLE


def test_a_budget_is_kept_and_the_best_line_reaches_its_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rules, seed = ruleset("pyramid", "all-cards"), bytes([3]) * 32
    board = deal_seed(rules, seed)
    for budget in (1, 10, 300):
        found = solve(board, budget)
        assert (found.verdict, found.steps) == (Verdict.UNKNOWN, budget)
        assert home_after(board, found.line) == found.home
    # The second search, with a large table, counts the steps of the first.
    monkeypatch.setattr(clearing, "SHORT", 100)
    assert solve(board, 1_000).steps == 1_000


@pytest.mark.parametrize(
    ("game", "variant"),
    [
        ("pyramid", "packs=2"),
        ("pyramid", "waste.redeals=32"),
        ("pyramid", "reserve.deal=3;reserve.plays=foundation"),
        ("tripeaks", "stock.plays=waste;stock.to_foundation=fitting;waste.plays=foundation"),
        ("golf", "tableau.cleared=wins;reserve.deal=3;reserve.plays=foundation"),
    ],
)
def test_rules_that_a_search_cannot_represent_have_no_method(game: str, variant: str) -> None:
    assert method_of(ruleset(game, variant)) == ""


def test_losses_are_proved_but_a_budget_may_run_out() -> None:
    rules = ruleset("pyramid")
    assert proves_losses(rules)
    assert not is_exact(rules)
