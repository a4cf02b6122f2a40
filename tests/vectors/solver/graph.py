"""Write boards with the graph search's answers: `python -m tests.vectors.solver.graph`.

The search uses integer arithmetic, and no decision depends on the values of its hashes. Other
implementations therefore generate the same positions, and find the same lines after the same number
of steps. Its short searches are shorter here, so that few steps reach all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import patch

from engine.board import Board
from engine.cards import parse_pile, pile_names
from engine.deal import deal_seed
from engine.notation import move_text
from engine.ruleset import Ruleset
from engine.solver import graph
from tests.engine.solver.graph_boards import GAMES, small_board
from tests.relatives import find_ruleset
from tests.vectors.generate import format_entries

FILE = Path(__file__).parent / "graph.json"

SMALL_BOARDS = (*range(8), 24)
"""Numbers of each game's small boards, in addition to a deal.

The third search wins number 24 of FreeCell.
"""

FIRST, SHORT = 20, 40
"""The sizes of the short searches, of which games with cells take a part."""

BUDGET = 600


def entries() -> Iterator[dict[str, Any]]:
    for game, variant in GAMES:
        rules = find_ruleset(game, variant)
        deal = deal_seed(rules, sha256(b"samedeal graph").digest())
        for board in [deal, *(small_board(rules, n) for n in SMALL_BOARDS)]:
            yield answer(entry_of(board))


def entry_of(board: Board) -> dict[str, Any]:
    """Return a board as an entry. Its numbers of columns and cells may differ from its rules'."""
    ruleset = board.ruleset
    return {
        "game": ruleset.game,
        "variant": ruleset.variant,
        "columns": len(ruleset.tableau),
        "cells": len(ruleset.cells),
        "piles": [pile_names(pile) for pile in board.piles],
        "redeals": board.redeals,
    }


def board_of(entry: dict[str, Any]) -> Board:
    rules = find_ruleset(entry["game"], entry["variant"]).rules
    assert rules.tableau is not None
    changed = replace(
        rules,
        tableau=replace(rules.tableau, deal=rules.tableau.deal[: entry["columns"]]),
        cells=rules.cells and replace(rules.cells, piles=entry["cells"]),
    )
    ruleset = Ruleset(entry["game"], entry["variant"], changed)
    return Board(ruleset, tuple(map(parse_pile, entry["piles"])), entry["redeals"])


def answer(entry: dict[str, Any]) -> dict[str, Any]:
    board = board_of(entry)
    with patch.multiple(graph, FIRST=FIRST, SHORT=SHORT):
        found = graph.solve(board, BUDGET)
    return {
        **{key: entry[key] for key in ("game", "variant", "columns", "cells", "piles", "redeals")},
        "budget": BUDGET,
        "first": FIRST,
        "short": SHORT,
        "verdict": found.verdict.value,
        "home": found.home,
        "effort": found.effort,
        "steps": found.steps,
        "line": [move_text(board.ruleset, move) for move in found.line],
    }


if __name__ == "__main__":
    FILE.write_text(format_entries(entries()), encoding="utf-8")
