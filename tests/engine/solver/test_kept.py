"""Games that give cards back, searched without giving any back."""

from __future__ import annotations

import pytest

from engine import solver
from engine.board import Board
from engine.deal import deal_seed
from engine.play import play
from engine.ruleset import Ruleset
from engine.solver import beam, kept
from engine.solver.solution import Verdict
from tests.engine.positions import ALL, SEED, after
from tests.engine.solver import rare_rules
from tests.engine.solver.test_beam import PLAIN, SMALL
from tests.relatives import find_ruleset

BUDGET = 2_000


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the beam in plain Python with little memory, since compiling it takes a minute."""
    monkeypatch.setattr(beam, "search", PLAIN.search)
    monkeypatch.setattr(beam, "ROWS", SMALL)


def rules_of(*plays: str) -> Ruleset:
    """Return rules of two packs and two columns that take no card when empty."""
    return rare_rules.rules_of(
        foundations=rare_rules.foundations({"plays": list(plays)}),
        tableau=rare_rules.TABLEAU | {"deal": [1, 1], "empty": "none"},
    )


def board_of(*plays: str) -> Board:
    """Return a board that is won by taking the Five back: the Four goes on it, the Three home."""
    return rare_rules.board_of(rules_of(*plays), f0="4S 5S", f1="AS 2S", t0="3S 4S", t1="6S")


def test_it_applies_to_games_that_no_other_method_solves() -> None:
    methods = {each: solver.method_of(find_ruleset(*each)) for each in ALL}
    giving = {each for each in ALL if find_ruleset(*each).gives_back}
    assert {each for each, method in methods.items() if method == "kept"} < giving
    assert solver.method_of(rules_of("tableau")) == "kept"
    assert solver.method_of(rules_of()) == "beam"


@pytest.mark.parametrize("start", ["won", "dealt"])
def test_it_finds_the_lines_of_the_game_without_cards_back(start: str) -> None:
    rules, stricter = rules_of("tableau"), rules_of()
    if start == "won":
        piles = {"f0": "4S 5S", "f1": "AS 2S", "t0": "4S 3S", "t1": "6S"}
        board = rare_rules.board_of(rules, **piles)
    else:
        board = deal_seed(rules, SEED)
    found = kept.solve(board, BUDGET)
    assert found.line == beam.solve(Board(stricter, board.piles), BUDGET).line
    for move in found.line:
        board, _ = play(board, move)
    assert board.home == found.home
    assert (found.verdict is Verdict.WINNABLE) == board.won == (start == "won")


def test_it_does_not_call_a_board_lost_that_is_won_by_taking_a_card_back() -> None:
    assert beam.solve(board_of(), BUDGET).verdict is Verdict.IMPOSSIBLE
    board = board_of("tableau")
    found = solver.solve(board, BUDGET)
    assert (found.verdict, found.most, found.proof) == (Verdict.UNKNOWN, False, "")
    assert after(board, "f0>t1", "t0>t1", "t0>f1", "t1>f1", "t1>f0", "t1>f0").won
