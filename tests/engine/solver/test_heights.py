"""The method of heights, against an exhaustive search and in plain Python."""

from __future__ import annotations

import sys
from collections import Counter
from importlib import import_module
from random import Random
from types import ModuleType

import pytest

from engine.board import Board
from engine.catalog import ruleset
from engine.deal import deal_seed, lay_out
from engine.moves import legal_moves
from engine.play import apply, play
from engine.ruleset import Move, Ruleset
from engine.solver import compiled, graph, heights, is_exact, method_of, solve
from engine.solver.solution import Verdict
from tests.engine.solver.exhaustive import most_home
from tests.engine.starts import easy_start
from tests.sizes import cases

NAME = "engine.solver.heights"

POSITIONS = 2_000
"""Limit of positions for the exhaustive search."""


def columns(*sizes: int) -> str:
    return "tableau.deal=" + ",".join(map(str, sizes))


RULES = [
    ("golf", "standard"),
    ("golf", "wrap"),
    ("golf", "dead-king"),
    ("golf", "cleared"),
    ("golf", f"packs=2;{columns(9, 1, 3)}"),
    ("golf", f"foundations.0.match=alternate;{columns(4, 4, 4, 4)};tableau.face_up=1"),
    ("golf", f"foundations.0.wrap=true;{columns(12, 12)};stock.top=up;stock.to_foundation=fitting"),
    ("golf", f"{columns(6, 6, 6)};tableau.cleared=wins;stock.top=up;stock.to_foundation=fitting"),
    ("golf", f"foundations.0.first=7;foundations.0.setup=empty;{columns(7, 7, 7)}"),
]
"""Games and variants that the method decides, and changes with other values of their keys."""


def load_plain() -> ModuleType:
    """Return another copy of the method with uncompiled functions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "njit", None)
        patch.delitem(sys.modules, NAME)
        plain = import_module(NAME)
    # Importing has set the copy as an attribute of the package.
    sys.modules["engine.solver"].heights = heights  # type: ignore[attr-defined]
    return plain


PLAIN = load_plain()


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the method in plain Python, as most of these boards are small."""
    for name in ("fill", "cheapest"):
        monkeypatch.setattr(heights, name, getattr(PLAIN, name))


def late_board(rules: Ruleset, chance: Random) -> Board:
    """Return a board with few cards left in the columns, after random moves, most of them home."""
    while True:
        board = easy_start(rules, chance) if chance.random() < 0.5 else shuffled(rules, chance)
        left = chance.randint(3, 9)
        while sum(len(board.piles[pile]) for pile in rules.tableau) > left:
            moves = [*legal_moves(board)]
            home = [move for move in moves if move.source != rules.stock]
            if not moves:
                break
            board = apply(board, chance.choice(home or moves))
        if not board.won:
            return board


def shuffled(rules: Ruleset, chance: Random) -> Board:
    return deal_seed(rules, chance.randbytes(32))


def home_after(board: Board, line: tuple[Move, ...]) -> int:
    for move in line:
        board, _ = play(board, move)
    return board.home


def dealt_before_the_columns_are_empty(board: Board, line: tuple[Move, ...]) -> int:
    rules, dealt = board.ruleset, 0
    for move in line:
        if any(board.piles[pile] for pile in rules.tableau) or not can_always_deal(rules):
            dealt += move.source == rules.stock
        board, _ = play(board, move)
    return dealt


def can_always_deal(rules: Ruleset) -> bool:
    return rules.rules.stock.to_foundation == "any"


@pytest.mark.parametrize(("game", "variant"), RULES)
def test_the_most_cards_home_match_an_exhaustive_search(game: str, variant: str) -> None:
    rules = ruleset(game, variant)
    assert method_of(rules) == "heights"
    counts: Counter[Verdict] = Counter()
    for number in range(cases(60, 400)):
        board = late_board(rules, Random(number))
        if sum(len(board.piles[pile]) for pile in rules.tableau) > 14:
            continue
        home = most_home(board, POSITIONS)
        if home is None:
            continue
        found = solve(board)
        won = home == rules.total
        assert found.verdict is (Verdict.WINNABLE if won else Verdict.IMPOSSIBLE), board
        assert found.most
        assert home_after(board, found.line) == found.home == home, board
        assert bool(found.proof) != won
        assert not won or dealt_before_the_columns_are_empty(board, found.line) == found.effort
        counts[found.verdict] += 1
    assert counts.total() > 10
    assert "=" in variant or min(counts[Verdict.WINNABLE], counts[Verdict.IMPOSSIBLE]) > 2


@pytest.mark.deep
def test_a_compiled_deal_has_the_same_answer_as_the_graph_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()
    verdicts = Counter[Verdict]()
    for number in range(6):
        board = deal_seed(ruleset("golf", "dead-king"), bytes([number]) * 32)
        found = solve(board)
        assert found.verdict is graph.solve(board).verdict
        assert home_after(board, found.line) == found.home
        verdicts[found.verdict] += 1
    assert len(verdicts) == 2


@pytest.mark.parametrize(
    ("variant", "method"),
    [
        (columns(*[5] * 8), "graph"),
        ("tableau.plays=tableau,foundation", "graph"),
        ("packs=2;" + columns(*[12] * 8), "beam"),
    ],
)
def test_rules_with_other_moves_or_too_many_heights_have_another_method(
    variant: str, method: str
) -> None:
    assert method_of(ruleset("golf", variant)) == method


def test_boards_with_too_long_columns_are_left_to_the_graph_search() -> None:
    rules = ruleset("golf")
    assert is_exact(rules)
    board = lay_out(rules, bytes(range(52)))
    piles = list(board.piles)
    stock = piles[rules.stock]
    for pile in rules.tableau[:2]:
        piles[pile] += bytes(card & 63 for card in stock[:8])
        stock = stock[8:]
    piles[rules.stock] = stock
    long = Board(rules, tuple(piles), 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(heights, "MOST", 1_000)
        assert solve(long, 50) == graph.solve(long, 50)
