"""The search through positions, compared with the engine and an exhaustive search.

The tests run it as plain Python. Only a deep test compiles it, which takes long and much memory.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from importlib import import_module
from types import ModuleType

import pytest

from engine.board import Board
from engine.deal import deal_seed, lay_out
from engine.known import numbered_deck
from engine.play import play
from engine.ruleset import Move, Ruleset
from engine.solver import compiled, graph, method_of, solve
from engine.solver.graph import indices as idx
from engine.solver.graph.layout import Layout
from engine.solver.graph.locks import is_locked
from engine.solver.solution import Verdict
from tests.engine.solver.graph_boards import GAMES, check, small_board
from tests.relatives import find_ruleset
from tests.sizes import SAMPLED, cases
from tests.vectors.solver import graph as vectors

PACKAGES = ("engine.solver.graph", "engine.solver.beam")
"""Reloaded together, as compiled functions of the first use those of the second."""

TESTED = [8, pytest.param(24, marks=pytest.mark.deep)]
"""Boards of each game; 24 of them take a second in plain Python."""

POSITIONS = 400
"""Limit of positions for the exhaustive search of these boards."""


def load_plain() -> ModuleType:
    """Return another copy of the package with uncompiled functions."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "njit", None)
        for name in [name for name in sys.modules if name.startswith(PACKAGES)]:
            patch.delitem(sys.modules, name)
        plain = import_module("engine.solver.graph")
    # Importing has set the copy as an attribute of the package.
    sys.modules["engine.solver"].graph = graph  # type: ignore[attr-defined]
    sys.modules["engine.solver"].beam = sys.modules["engine.solver.beam"]  # type: ignore[attr-defined]
    return plain


PLAIN = load_plain()


@pytest.fixture
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the search in plain Python with little memory."""
    for name in ("search_best_first", "search_depth_first", "forget_seen"):
        monkeypatch.setattr(graph, name, getattr(PLAIN, name))
    monkeypatch.setattr(graph, "ROWS", 1 << 10)
    monkeypatch.setattr(graph, "FIRST", 300)
    monkeypatch.setattr(graph, "SHORT", 200)


def test_one_pack_games_without_rows_are_searched_through_positions() -> None:
    assert {game for game, _ in GAMES} >= {"freecell", "klondike", "yukon", "canfield", "golf"}
    assert method_of(find_ruleset("spider")) != "graph"
    assert method_of(find_ruleset("lady-betty")) == "piles"


@pytest.mark.usefixtures("_plain")
@pytest.mark.parametrize("tested", TESTED)
@pytest.mark.parametrize(("game", "variant"), GAMES)
def test_verdicts_on_small_boards_match_an_exhaustive_search(
    game: str, variant: str, tested: int
) -> None:
    rules = find_ruleset(game, variant)
    counts = Counter(check(small_board(rules, n), POSITIONS, 4_000) for n in range(tested))
    assert counts[Verdict.WINNABLE] > 0
    assert counts[Verdict.IMPOSSIBLE] > 0
    assert counts[None] < tested * 3 // 4


@pytest.mark.usefixtures("_plain")
@SAMPLED
@pytest.mark.parametrize(("game", "variant"), GAMES[:: cases(3, 1)])
def test_a_line_brings_home_its_stated_number_of_cards(game: str, variant: str) -> None:
    for number in range(6):
        board = small_board(find_ruleset(game, variant), number)
        found = graph.solve(board, 100)
        assert found.steps <= 100
        assert home_after(board, found.line) == found.home
        assert (found.verdict is Verdict.WINNABLE) == (found.home == board.ruleset.total)


def home_after(board: Board, line: tuple[Move, ...]) -> int:
    """Play a line by the rules and return the number of cards home."""
    for move in line:
        board, _ = play(board, move)
    return board.home


@pytest.mark.usefixtures("_plain")
@pytest.mark.deep
def test_answers_match_the_vectors() -> None:
    entries = json.loads(vectors.FILE.read_text(encoding="utf-8"))
    assert {(entry["game"], entry["variant"]) for entry in entries} == set(GAMES)
    assert {entry["verdict"] for entry in entries} == {verdict.value for verdict in Verdict}
    assert [vectors.answer(entry) for entry in entries] == entries


def walked(rules: Ruleset, number: int) -> Iterator[tuple[Layout, list[int]]]:
    """Yield a board's layout and memory after each of the first moves listed by a search."""
    board = small_board(rules, number)
    layout = Layout(board, rows=16, seen=64, moves=500)
    memory = [*layout.start, *[0] * (layout.size - len(layout.start))]
    yield layout, memory
    for turn in range(12):
        PLAIN.moves.list_moves(layout.tables, memory)
        listed = memory[idx.LISTED]
        if not listed:
            return
        move = memory[layout.tables[idx.LIST] + turn * 7 % listed]
        PLAIN.play.play(layout.tables, memory, move & ((1 << 40) - 1))
        yield layout, memory


@SAMPLED
@pytest.mark.parametrize(("game", "variant"), GAMES[:: cases(3, 1)])
def test_moves_can_be_undone(game: str, variant: str) -> None:
    for number in range(4):
        states = []
        for layout, memory in walked(find_ruleset(game, variant), number):
            states.append((state(layout, memory), PLAIN.play.digest_of(layout.tables, memory)))
        while memory[idx.PLAYED]:
            assert (
                state(layout, memory),
                PLAIN.play.digest_of(layout.tables, memory),
            ) == states.pop()
            PLAIN.play.take_back(layout.tables, memory)
        assert state(layout, memory) == states.pop()[0]


def state(layout: Layout, memory: list[int]) -> list[int]:
    piles = range(layout.tables[idx.PILES])
    cards = [
        memory[idx.CARDS + pile * idx.STRIDE + place]
        for pile in piles
        for place in range(memory[idx.SIZE + pile])
    ]
    numbers = [memory[at + pile] for at in (idx.SIZE, idx.HIDDEN, idx.HASH) for pile in piles]
    digest = PLAIN.play.digest_of(layout.tables, memory)
    rest = memory[idx.TOPS : idx.NEXT + 1]
    return [*cards, *numbers, *rest, memory[idx.COUNT_HOME], digest]


def test_deals_with_circular_dependencies_are_lost() -> None:
    """Deals 12 and 30 of `make winnability`; the search needs 600,000 positions for the latter."""
    rules = find_ruleset("yukon")
    deals = [deal_seed(rules, sha256(b"samedeal deal %d" % n).digest()) for n in (0, 12, 30)]
    assert [is_locked(deal) for deal in deals] == [False, True, True]
    found = solve(deals[1])
    assert (found.verdict, found.steps) == (Verdict.IMPOSSIBLE, 0)


@pytest.mark.deep
def test_known_deals_are_decided_compiled() -> None:
    """Of the numbered FreeCell deals up to 32,000, only 11982 cannot be won."""
    rules = find_ruleset("freecell")
    verdicts = {n: solve(lay_out(rules, numbered_deck(n))).verdict for n in (1, 617, 11982)}
    assert verdicts == {1: Verdict.WINNABLE, 617: Verdict.WINNABLE, 11982: Verdict.IMPOSSIBLE}
