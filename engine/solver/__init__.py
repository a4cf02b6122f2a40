"""Solving a board with all its cards known: can it be won, and by which moves?

Which method fits a game follows from its rules:

- `passes`: no tableau. The passes through the stock are decided together, exactly.
- `piles`: piles from which cards go to foundations only. Decided exactly, as a SAT problem.
- `beam`: all others. A beam search finds a line that wins, or does not know.
"""

from engine.solver.solution import Solution, Verdict

__all__ = ["Solution", "Verdict"]
