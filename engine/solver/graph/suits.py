"""Games whose foundations each take one suit in order, and the order of the cards."""

from __future__ import annotations

from engine.board import Board
from engine.cards import PACK_SIZE, RANKS, SUITS, Card
from engine.ruleset import Ruleset


def is_by_suit(ruleset: Ruleset) -> bool:
    """Return whether each foundation takes the cards of one suit, all in the same order."""
    groups = dict.fromkeys(ruleset.groups)
    firsts = {group.first for group in groups}
    return (
        all(g.takes == "card" and g.match == "suit" for g in groups)
        and len({(g.order, g.wrap, g.last) for g in groups}) == 1
        and ruleset.groups[0].order in {"up", "down"}
        and len(ruleset.foundations) == len(SUITS)
        and (len(firsts) == 1 if "same" not in firsts else ruleset.groups[0].setup == "dealt")
        and firsts != {"any"}
        and sorted("".join(g.suits for g in groups if g.first != "same")) == sorted(SUITS)
        and all("same" in firsts or len(g.suits) == g.piles for g in groups)
    )


def base_of(board: Board) -> Card | None:
    """Return the card whose rank all foundations start with, if the deal decides that."""
    return board.piles[0][0] if board.ruleset.same_rank else None


def turns_home(ruleset: Ruleset, base: Card | None) -> list[int]:
    """Return for each card the number of preceding cards of its suit; 0 if not fixed.

    `base` is that of `base_of`.
    """
    if not is_by_suit(ruleset):
        return [0] * PACK_SIZE
    if base is None:
        return list(ruleset.turns)
    step = 1 if ruleset.groups[0].order == "up" else -1
    return [(card - base) * step % len(RANKS) for card in range(PACK_SIZE)]
