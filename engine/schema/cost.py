"""The cost of rules: the number of possible moves, and its limits for custom rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine.cards import PACK_SIZE, RANKS
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
    colours = [sum(suit in colour for suit in rules.suits) for colour in ("SC", "HD")]
    match = tableau.run_match or tableau.match
    return {"suit": of_suit, "colour": of_suit * max(colours)}.get(match, cards)


def too_costly(rules: Rules) -> Iterator[tuple[str, str]]:
    """Yield the key and message of each excess of custom rules."""
    foundations = sum(group.piles for group in rules.foundations)
    if len(rules.foundations) > MAX_GROUPS:
        yield f"foundations[{MAX_GROUPS}]", f"is more than {MAX_GROUPS} groups."
    if foundations > MAX_ALL_FOUNDATIONS:
        yield "foundations", f"must be at most {MAX_ALL_FOUNDATIONS} piles, not {foundations}."
    tableau = len(rules.tableau.deal) if rules.tableau else 0
    others = len(rules.reserve.deal) if rules.reserve else 0
    others += rules.cells.piles if rules.cells else 0
    piles = foundations + tableau + others + 2
    moves = tableau * tableau * longest_run(rules) + piles * piles
    if moves > MAX_POSSIBLE_MOVES:
        yield "tableau.deal", f"allows {moves} different moves; {MAX_POSSIBLE_MOVES} are the most."
