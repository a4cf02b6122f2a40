"""Write the answers of the beam search: `python -m tests.vectors.solver.beam`.

Other implementations must give the same: verdict, line, cards home, effort and steps. A change of
the search changes them; then they are written anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.board import Board
from engine.deal import deal_seed
from engine.moves import legal_moves
from engine.notation import move_text
from engine.play import apply
from engine.position import parse_position, position_of
from engine.ruleset import Ruleset
from engine.solver import beam
from tests.engine.positions import ALL, SEED, easy_board
from tests.relatives import find_ruleset
from tests.vectors.generate import format_entries

FILE = Path(__file__).parent / "beam.json"
SMALL, LARGE = 600, 100_000
"""Budgets: one that stops in the middle, and one that wins the easy deal of most games."""


def walked(board: Board, moves: int) -> Board:
    """Return the board after moves that a hash chooses."""
    for turn in range(moves):
        texts = {move_text(board.ruleset, move): move for move in legal_moves(board)}
        if not texts:
            break
        digest = sha256(b"samedeal beam" + turn.to_bytes(8, "big")).digest()
        board = apply(board, texts[sorted(texts)[int.from_bytes(digest[:4], "big") % len(texts)]])
    return board


def boards(rules: Ruleset) -> Iterator[tuple[Board, int]]:
    """Yield boards of a ruleset, each with a budget."""
    yield deal_seed(rules, SEED), SMALL
    yield walked(deal_seed(rules, SEED), 30), SMALL
    if all(group.takes == "card" for group in rules.groups):
        yield easy_board(rules), LARGE


def answer(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry with what the search answers."""
    board = parse_position(entry["position"], find_ruleset)
    found = beam.solve(board, entry["budget"])
    return {
        "position": entry["position"],
        "budget": entry["budget"],
        "verdict": found.verdict.value,
        "line": [move_text(board.ruleset, move) for move in found.line],
        "home": found.home,
        "effort": found.effort,
        "steps": found.steps,
    }


def entries() -> Iterator[dict[str, Any]]:
    """Yield the entries of the file."""
    for game, variant in ALL:
        for board, budget in boards(find_ruleset(game, variant)):
            yield answer({"position": position_of(board), "budget": budget})


if __name__ == "__main__":
    FILE.write_text(format_entries(entries()), encoding="utf-8")
