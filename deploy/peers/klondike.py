"""Solve deals with pyksolve, in a process of its own whose processor time is measured.

Standard input is a JSON array: the number of cards turned up at a time, the most states, and the
deals in PySol's format. Standard output is a JSON array of verdicts.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any


def main() -> None:
    """Solve the deals one by one."""
    solver: Any = import_module("pyksolve.solver")
    results = solver.SolveResult
    verdicts = {results.CouldNotComplete: "unknown", results.Impossible: "impossible"}
    turns, states, deals = json.load(sys.stdin)
    found = []
    for text in deals:
        game = solver.Solitaire()
        game.load_pysol(text)
        game.draw_count = turns
        game.reset_game(turns)
        found.append(verdicts.get(game.solve_fast(max_closed_count=states), "winnable"))
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
