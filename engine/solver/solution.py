"""A solver's answer: the verdict on a board, and the best line that it found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from engine.ruleset import Move


class Verdict(Enum):
    """Whether a board can be won with all cards known."""

    WINNABLE = "winnable"  # a line of moves wins it
    IMPOSSIBLE = "impossible"  # it is proved that no line wins
    UNKNOWN = "unknown"  # the budget ran out before a win or a proof was found


@dataclass(frozen=True, slots=True)
class Solution:
    """The answer to a board."""

    verdict: Verdict
    # The winning moves, or else the moves that bring `home` cards to foundations.
    line: tuple[Move, ...]
    home: int  # the number of cards on foundations after the line, including those there before
    most: bool  # whether no line brings more cards home, as proved
    proof: str = ""  # for an unwinnable board, a short argument; else empty
    effort: int = 0  # a number that grows with difficulty, comparable only within a ruleset
    steps: int = 0  # used of the budget
