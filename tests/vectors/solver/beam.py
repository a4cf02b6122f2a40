"""Write the answers of the beam search, and its plans: `python -m tests.vectors.solver.beam`.

Other implementations must give the same: verdict, line, cards home, effort and steps; and of the
plans of a game's first beams, the weights and what else a plan says. A change of the search changes
them; then they are written anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from engine.board import Board
from engine.deal import deal_seed
from engine.moves import legal_moves
from engine.notation import move_text
from engine.play import apply
from engine.position import parse_position, position_of
from engine.ruleset import Ruleset
from engine.solver import beam
from engine.solver.beam.layout import Layout
from engine.solver.beam.plans import plan_of, style_of
from engine.solver.beam.random_numbers import Xorshift
from engine.solver.solution import Verdict
from tests.engine.positions import ALL, SEED, easy_board
from tests.engine.test_search import late_board
from tests.relatives import find_ruleset
from tests.vectors.generate import format_entries

FILE = Path(__file__).parent / "beam.json"
PLANS = Path(__file__).parent / "plans.json"

BEAMS = 16
"""Beams of which the plans are written: some of each track, most with weights that are drawn."""

SMALL, LARGE = 600, 100_000
"""Budgets: one that stops in the middle, and one that wins the easy deal of most games."""

HARD = {"deuces": (72, 15), "roosevelt": (44, 7)}
HARD_BUDGET = 300_000
"""Late boards, as cards left and number, that beams win whose weights and delays are drawn."""


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
    late = (late_board(rules, left, Random(number)) for left in (8, 12, 20) for number in range(10))
    lost = (each for each in late if beam.solve(each, LARGE).verdict is Verdict.IMPOSSIBLE)
    yield from ((board, LARGE) for board in islice(lost, 1))
    if rules.game in HARD and rules.variant == "standard":
        left, number = HARD[rules.game]
        yield late_board(rules, left, Random(number)), HARD_BUDGET


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


def plans() -> Iterator[dict[str, Any]]:
    """Yield the plans of each ruleset's first beams, as `plan_of` returns them."""
    for game, variant in ALL:
        rules = find_ruleset(game, variant)
        chance = Xorshift(1)
        regular = Layout(deal_seed(rules, SEED), 1).regular
        first = [
            plan_of(style_of(rules), number, chance, regular=regular).tolist()
            for number in range(BEAMS)
        ]
        yield {"game": game, "variant": variant, "regular": regular, "plans": first}


if __name__ == "__main__":
    FILE.write_text(format_entries(entries()), encoding="utf-8")
    PLANS.write_text(format_entries(plans()), encoding="utf-8")
