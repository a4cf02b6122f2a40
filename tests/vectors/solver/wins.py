"""Write lines of deals that other solvers call lost: `python -m tests.vectors.solver.wins`.

A finished search of another solver says of each of these deals that it cannot be won. The engine
plays the lines, so that nobody has to trust a solver.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.board import Board
from engine.deal import deal_seed, lay_out
from engine.known import numbered_deck
from engine.notation import move_text
from engine.solver import solve
from tests.relatives import find_ruleset
from tests.vectors.generate import format_entries

FILE = Path(__file__).parent / "wins.json"

DEALS = (
    ("freecell", "two-cells", 266),
    ("freecell", "two-cells", 333),
    ("freecell", "one-cell", 210),
    *(("canfield", "parts", number) for number in (0, 9, 12, 14, 18)),
)
"""Games, variants and numbers."""


def board_of(game: str, variant: str, number: int) -> Board:
    """Return a numbered deal of FreeCell, or the deal of this number in `make winnability`."""
    rules = find_ruleset(game, variant)
    if game == "freecell":
        return lay_out(rules, numbered_deck(number))
    return deal_seed(rules, sha256(b"samedeal deal %d" % number).digest())


def entries() -> Iterator[dict[str, Any]]:
    """Yield the deals with their lines."""
    for game, variant, number in DEALS:
        board = board_of(game, variant, number)
        line = " ".join(move_text(board.ruleset, move) for move in solve(board).line)
        yield {"game": game, "variant": variant, "number": number, "line": line}


if __name__ == "__main__":
    FILE.write_text(format_entries(entries()), encoding="utf-8")
