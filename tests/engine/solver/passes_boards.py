"""Boards of games without a tableau: rules of all kinds, short packs, and an exhaustive search."""

from __future__ import annotations

from random import Random
from typing import Any

from engine.board import Board
from engine.cards import PACK_SIZE, rank_of, turned_down
from engine.moves import legal_moves
from engine.play import apply
from engine.ruleset import Ruleset
from engine.schema import read_rules


def rules_of(redeals: int, **foundation: Any) -> Ruleset:
    """Return rules with this many redeals and one foundation with these keys.

    By default, it starts with a dealt card and takes any card of an adjacent rank.
    """
    dealt = {"setup": "dealt", "first": "any", "order": "either", "match": "any", "wrap": True}
    document = {
        "name": "Passes",
        "packs": 1,
        "foundations": [{"piles": 1} | dealt | foundation],
        "stock": {"plays": ["waste"]},
        "waste": {"plays": ["foundation"], "redeals": redeals},
    }
    return Ruleset("passes", "test", read_rules("passes", document))


EMPTY_FIRST = {"setup": "empty", "first": "A"}

RULES = [
    rules_of(0),
    rules_of(1),
    rules_of(2),
    rules_of(2, wrap=False),
    rules_of(1, order="up"),
    rules_of(2, order="down", wrap=False),
    rules_of(2, setup="empty"),
    rules_of(1, order="up", wrap=False, **EMPTY_FIRST),
    rules_of(2, order="up", **EMPTY_FIRST),
]
"""Rules with every number of redeals and foundations of every kind."""


def short_board(rules: Ruleset, chance: Random, most: int) -> Board:
    """Return a board with up to `most` cards in the stock, of adjacent ranks, after some moves."""
    first, span = chance.choice([0, chance.randrange(13)]), chance.randint(2, 9)
    deck = [card for card in range(PACK_SIZE) if (rank_of(card) - first) % 13 < span]
    chance.shuffle(deck)
    cards = bytes(deck[: chance.randint(1, most) + 1])
    dealt = 0 if rules.groups[0].setup == "empty" else 1
    board = Board(rules, (cards[:dealt], turned_down(cards[dealt:]), b""))
    return wandered(board, chance, chance.choice([0, 0, 5, 15, 30]))


def wandered(board: Board, chance: Random, moves: int) -> Board:
    for _ in range(moves):
        if legal := legal_moves(board):
            board = apply(board, chance.choice(legal))
    return board


def most_home(board: Board) -> int:
    """Return the most cards that any line brings home, by trying all lines."""
    seen: set[tuple[object, ...]] = set()
    left = [board]
    most = board.home
    while left:
        at = left.pop()
        for move in legal_moves(at):
            after = apply(at, move)
            # Only the top card and the size of the foundation matter.
            place = (after.piles[0][-1:], after.home, *after.piles[1:], after.redeals)
            if place not in seen:
                seen.add(place)
                left.append(after)
                most = max(most, after.home)
    return most
