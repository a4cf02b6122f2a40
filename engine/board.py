"""Boards (complete positions), views (their visible part) and deltas (changes of a view)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from engine.cards import Pile, seen
from engine.errors import PositionError
from engine.ruleset import Ruleset

Piles = tuple[Pile, ...]


@dataclass(init=False, slots=True, unsafe_hash=True)
class Board:
    """A player's complete position, including hidden cards. It never leaves the server.

    Boards are shared, and never modified.
    """

    ruleset: Ruleset
    # The piles by pile number, each from bottom to top; face-down cards have the bit `DOWN` set.
    piles: Piles
    redeals: int  # how often the waste was turned over
    moves: int
    home: int  # cards on foundations

    # Every move creates a board. A frozen dataclass would take three times as long to create.
    def __init__(
        self,
        ruleset: Ruleset,
        piles: Piles,
        redeals: int = 0,
        moves: int = 0,
        home: int | None = None,
    ) -> None:
        self.ruleset = ruleset
        self.piles = piles
        self.redeals = redeals
        self.moves = moves
        self.home = count_home(ruleset, piles) if home is None else home

    @property
    def won(self) -> bool:
        """Whether every card is on a foundation."""
        return self.home == self.ruleset.total


@dataclass(frozen=True, slots=True)
class View:
    """A board as a player may see it: every face-down card is `UNSEEN`.

    Of all types with piles, only this one and `Delta` are encoded for clients.
    """

    ruleset: Ruleset
    piles: Piles
    redeals: int = 0
    moves: int = 0


def count_home(ruleset: Ruleset, piles: Piles) -> int:
    """Return the number of cards on foundations."""
    return sum(map(len, piles[: len(ruleset.foundations)]))


# The change of one pile: (pile, take, put). Remove `take` cards from its end, then append the cards
# `put`. Every move makes two; a named tuple takes six times as long to create.
Change = tuple[int, int, Pile]


class Delta(NamedTuple):
    """The visible changes of a move."""

    changes: tuple[Change, ...]  # in ascending order of pile numbers
    redeals: int  # `Board.redeals` after the move
    moves: int  # `Board.moves` after the move


def view_of(board: Board) -> View:
    """Return the part of the board that its player may see."""
    return View(board.ruleset, tuple(map(seen, board.piles)), board.redeals, board.moves)


def delta_between(before: Board, after: Board, touched: Iterable[int] | None = None) -> Delta:
    """Return the visible difference between two boards of the same ruleset.

    Args:
        touched: the piles that can differ, in ascending order; all piles if left out.
    """
    olds, news = before.piles, after.piles
    changes = [
        _change(pile, olds[pile], news[pile])
        for pile in (range(len(olds)) if touched is None else touched)
        if olds[pile] != news[pile]
    ]
    return Delta(tuple(changes), after.redeals, after.moves)


def _change(pile: int, old: Pile, new: Pile) -> Change:
    """Return the change of a pile: it replaces all cards above the longest common prefix."""
    if old.startswith(new):
        return pile, len(old) - len(new), b""
    kept = min(len(old), len(new))
    # Turning a card over flips its `DOWN` bit, so the prefix ends below it.
    while old[:kept] != new[:kept]:
        kept -= 1
    return pile, len(old) - kept, seen(new[kept:])


def apply_delta(view: View, delta: Delta) -> View:
    """Return the view after a delta.

    Raises:
        PositionError: the delta names a pile that the view does not have, or takes more cards than
            the pile holds.
    """
    piles = list(view.piles)
    for pile, take, put in delta.changes:
        if not 0 <= pile < len(piles) or not 0 <= take <= len(piles[pile]):
            raise PositionError("This delta does not belong to this view.")
        cards = piles[pile]
        piles[pile] = cards[: len(cards) - take] + put
    return View(view.ruleset, tuple(piles), delta.redeals, delta.moves)
