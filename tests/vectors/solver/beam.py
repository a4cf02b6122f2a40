"""Write boards with the beam search's answers: `python -m tests.vectors.solver.beam`.

A beam search gives no proof and no particular line, so other implementations may search
differently. Their answers about these boards must be true, and they must decide nearly as many
boards: `fall_short` lists the shortcomings.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from engine.board import Board
from engine.deal import deal_seed
from engine.moves import legal_moves
from engine.notation import move_text, parse_move
from engine.play import apply
from engine.position import parse_position, position_of
from engine.ruleset import Ruleset
from engine.solver import beam
from engine.solver.solution import Verdict
from tests.engine.positions import ALL, SEED, easy_board
from tests.engine.starts import last_run_start
from tests.engine.test_search import late_board
from tests.relatives import find_ruleset
from tests.vectors.generate import format_entries

FILE = Path(__file__).parent / "beam.json"

LEAST = 0.9
"""The required share of the file's decided boards, and of its cards home."""

SMALL, LARGE = 600, 100_000
"""Budgets: one that stops midway, and one that wins the easy deal of most games."""

HARD = {"deuces": (72, 15), "roosevelt": (44, 7)}
HARD_BUDGET = 300_000
"""Late boards, as cards left and number, won only by beams with random weights and delays."""


def walked(board: Board, moves: int) -> Board:
    for turn in range(moves):
        texts = {move_text(board.ruleset, move): move for move in legal_moves(board)}
        if not texts:
            break
        digest = sha256(b"samedeal beam" + turn.to_bytes(8, "big")).digest()
        board = apply(board, texts[sorted(texts)[int.from_bytes(digest[:4], "big") % len(texts)]])
    return board


def late(rules: Ruleset, left: int, chance: Random) -> Board:
    """Return a board with about `left` cards left.

    If the rules bring runs home automatically, one or two runs are left instead.
    """
    return last_run_start(rules, chance) if rules.automatic else late_board(rules, left, chance)


def boards(rules: Ruleset) -> Iterator[tuple[Board, int]]:
    yield deal_seed(rules, SEED), SMALL
    yield walked(deal_seed(rules, SEED), 30), SMALL
    if all(group.takes == "card" for group in rules.groups):
        yield easy_board(rules), LARGE
    if rules.automatic:
        yield late(rules, 0, Random(0)), SMALL
        yield deal_seed(rules, SEED), LARGE
    found = (late(rules, left, Random(number)) for left in (8, 12, 20) for number in range(10))
    lost = (each for each in found if beam.solve(each, LARGE).verdict is Verdict.IMPOSSIBLE)
    yield from ((board, LARGE) for board in islice(lost, 1))
    if rules.game in HARD and rules.variant == "standard":
        left, number = HARD[rules.game]
        yield late_board(rules, left, Random(number)), HARD_BUDGET


def answer(entry: dict[str, Any]) -> dict[str, Any]:
    board = parse_position(entry["position"], find_ruleset)
    found = beam.solve(board, entry["budget"])
    return {
        "position": entry["position"],
        "budget": entry["budget"],
        "verdict": found.verdict.value,
        "line": [move_text(board.ruleset, move) for move in found.line],
        "home": found.home,
    }


def entries() -> Iterator[dict[str, Any]]:
    for game, variant in ALL:
        rules = find_ruleset(game, variant)
        for board, budget in boards(rules) if beam.applies(rules) else ():
            yield answer({"position": position_of(board), "budget": budget})


def lies(entry: dict[str, Any], answer: dict[str, Any]) -> list[str]:
    """Return the contradictions of an answer with itself and with the file."""
    board = parse_position(entry["position"], find_ruleset)
    total = board.ruleset.total
    for text in answer["line"]:
        board = apply(board, parse_move(board.ruleset, text))
    won, lost = (answer["verdict"] == verdict for verdict in ("winnable", "impossible"))
    return [
        message
        for message, is_lie in {
            "The line brings a different number of cards home.": board.home != answer["home"],
            "A win brings all cards home.": won != (answer["home"] == total),
            "The board can be won.": lost and entry["verdict"] == "winnable",
            "The board cannot be won.": won and entry["verdict"] == "impossible",
            "More can come home.": lost and entry["home"] > answer["home"],
        }.items()
        if is_lie
    ]


def fall_short(pairs: Iterable[tuple[dict[str, Any], dict[str, Any]]]) -> list[str]:
    """Return in which respects answers are worse, in total, than the file's entries."""
    pairs = list(pairs)
    decided = [answer for entry, answer in pairs if entry["verdict"] != "unknown"]
    again = [answer for answer in decided if answer["verdict"] != "unknown"]
    home = sum(answer["home"] for _, answer in pairs)
    wanted = LEAST * sum(entry["home"] for entry, _ in pairs)
    return [
        *([] if len(again) >= LEAST * len(decided) else [f"decided: {len(again)}"]),
        *([] if home >= wanted else [f"cards home: {home}"]),
    ]


if __name__ == "__main__":
    FILE.write_text(format_entries(entries()), encoding="utf-8")
