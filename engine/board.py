"""Boards, views and deltas: the full truth, what may be seen of it, and what a move changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from engine.cards import DOWN, UNSEEN, Pile, seen
from engine.errors import PositionError
from engine.ruleset import Ruleset

Piles = tuple[Pile, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """The full truth of one player's piles. It never leaves the server.

    Attributes:
        ruleset: the rules that it is played by.
        piles: the piles by number, face-down cards with the bit `DOWN`.
        redeals: how often the waste has been turned over.
        moves: how many moves led here.
        home: the number of cards on foundations; counted if it is left out.
    """

    ruleset: Ruleset
    piles: Piles
    redeals: int = 0
    moves: int = 0
    home: int = -1

    def __post_init__(self) -> None:
        if self.home < 0:
            object.__setattr__(self, "home", count_home(self.ruleset, self.piles))

    @property
    def won(self) -> bool:
        """Whether every card is on a foundation."""
        return self.home == self.ruleset.total

    def cards_face_down(self) -> int:
        """Return how many cards lie face down.

        Those of a stock that is a waste turned over count too, although they have been seen:
        `solver.cards_never_seen` leaves them out.
        """
        return sum(1 for pile in self.piles for card in pile if card & DOWN)


@dataclass(frozen=True, slots=True)
class View:
    """What one viewer may see of a board: every face-down card is `UNSEEN`.

    This type and `Delta` are the only ones about piles that are ever encoded for a client.
    """

    ruleset: Ruleset
    piles: Piles
    redeals: int = 0
    moves: int = 0


def count_home(ruleset: Ruleset, piles: Piles) -> int:
    """Return the number of cards on foundations."""
    return sum(map(len, piles[: len(ruleset.foundations)]))


class Change(NamedTuple):
    """What happens to one pile: `take` cards leave its end, then `put` come onto it."""

    pile: int
    take: int
    put: Pile


class Delta(NamedTuple):
    """What a move changed, as a viewer may see it.

    Attributes:
        changes: one for each pile that changed, by ascending number.
        redeals: the number of redeals after the move.
        moves: the number of moves after the move.
    """

    changes: tuple[Change, ...]
    redeals: int
    moves: int


def view_of(board: Board) -> View:
    """Return what a player may see of the board."""
    return View(board.ruleset, tuple(map(seen, board.piles)), board.redeals, board.moves)


def delta_between(before: Board, after: Board, touched: Iterable[int] | None = None) -> Delta:
    """Return the change from one board to another, as a viewer of both may see it.

    Args:
        before: a board.
        after: another one of the same ruleset.
        touched: the piles that can differ, by ascending number; all if left out.
    """
    olds, news = before.piles, after.piles
    changes = [
        _change(pile, olds[pile], news[pile])
        for pile in (range(len(olds)) if touched is None else touched)
        if olds[pile] != news[pile]
    ]
    return Delta(tuple(changes), after.redeals, after.moves)


def _change(pile: int, old: Pile, new: Pile) -> Change:
    """Return one pile's change. What stays is at the bottom, and alike but for a turned card."""
    if old.startswith(new):
        return Change(pile, len(old) - len(new), b"")
    kept = min(len(old), len(new))
    while old[:kept] != new[:kept]:
        kept -= 1
    return Change(pile, len(old) - kept, seen(new[kept:]))


def apply_delta(view: View, delta: Delta) -> View:
    """Return the view after a delta.

    Raises:
        PositionError: the delta does not belong to this view.
    """
    piles = list(view.piles)
    for change in delta.changes:
        if not 0 <= change.pile < len(piles) or not 0 <= change.take <= len(piles[change.pile]):
            raise PositionError("This delta does not belong to this view.")
        pile = piles[change.pile]
        piles[change.pile] = pile[: len(pile) - change.take] + change.put
    return View(view.ruleset, tuple(piles), delta.redeals, delta.moves)


def is_view_pile(pile: Pile) -> bool:
    """Return whether a pile shows nothing that lies face down."""
    return all(card == UNSEEN or not card & DOWN for card in pile)
