"""A solver's answer: the verdict on a board, and the best line of moves that it found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from engine.ruleset import Move


class Verdict(Enum):
    """Whether a board can be won by somebody who knows every card."""

    WINNABLE = "winnable"
    """A line of moves wins it."""
    IMPOSSIBLE = "impossible"
    """No line of moves does, which is proved."""
    UNKNOWN = "unknown"
    """The budget was used up, and neither was found."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The answer to a board.

    Attributes:
        verdict: whether the board can be won.
        line: the moves that win it; else those that bring `home` cards to foundations.
        home: the number of cards on foundations after the line, with those that were there before.
        most: whether it is proved that no line brings more cards home.
        proof: for a board that cannot be won, the argument, in a few words; else empty.
        effort: how hard it was to decide, as a number that grows with difficulty. Comparable only
            between boards of one ruleset.
        steps: how much of the budget was used.
    """

    verdict: Verdict
    line: tuple[Move, ...]
    home: int
    most: bool
    proof: str = ""
    effort: int = 0
    steps: int = 0
