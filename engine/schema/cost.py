"""The cost of rules: the number of possible moves, and its limits for custom rules.

Like `contradictions`, this module is translated to TypeScript.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine.cards import PACK_SIZE, RANKS
from engine.schema.contradictions import Check
from engine.schema.rules import Rules

MAX_GROUPS: Final = 8  # of custom rules, like the limits below
MAX_ALL_FOUNDATIONS: Final = 16  # in total

# The most possible moves of custom rules. Up to a tenth of them are legal in a position.
MAX_POSSIBLE_MOVES: Final = 10_000


def longest_run(rules: Rules) -> int:
    """Return the length of the longest run that can move between tableau piles."""
    tableau = rules.tableau
    if tableau is None or tableau.moves == "card":
        return 1
    cards = rules.packs * PACK_SIZE
    if tableau.moves == "any":
        return cards
    if tableau.order in ("up", "down") and not tableau.wrap:
        return len(RANKS)
    of_suit = cards // len(rules.suits)
    match = tableau.match if tableau.run_match is None else tableau.run_match
    if match == "suit":
        return of_suit
    black = sum(1 for suit in rules.suits if suit in "SC")
    red = len(rules.suits) - black
    return of_suit * (black if black > red else red) if match == "colour" else cards


def too_costly(rules: Rules) -> Iterator[Check]:
    """Yield the checks of the limits of custom rules."""
    foundations = sum(group.piles for group in rules.foundations)
    yield (
        len(rules.foundations) > MAX_GROUPS,
        f"foundations.{MAX_GROUPS}",
        "many-groups",
        f"is more than {MAX_GROUPS} groups.",
    )
    yield (
        foundations > MAX_ALL_FOUNDATIONS,
        "foundations",
        "many-foundations",
        f"must be at most {MAX_ALL_FOUNDATIONS} piles, not {foundations}.",
    )
    tableau = 0 if rules.tableau is None else len(rules.tableau.deal)
    reserve = 0 if rules.reserve is None else len(rules.reserve.deal)
    cells = 0 if rules.cells is None else rules.cells.piles
    piles = foundations + tableau + reserve + cells + 2
    moves = tableau * tableau * longest_run(rules) + piles * piles
    yield (
        moves > MAX_POSSIBLE_MOVES,
        "tableau.deal",
        "many-moves",
        f"allows {moves} different moves; {MAX_POSSIBLE_MOVES} are the most.",
    )
