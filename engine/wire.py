"""Reading views and deltas from the messages of `server/PROTOCOL.md`.

A client reads an `Attempt` with `read_view`, lists legal moves as on a board, sends one as
`Ruleset.numbers_of`, and applies the delta that `read_delta` reads from the resulting `Moved`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.board import Change, Delta, View
from engine.cards import PACK_SIZE, UNSEEN, Pile
from engine.errors import PositionError
from engine.ruleset import Ruleset

_VIEW_CARDS = frozenset((*range(PACK_SIZE), UNSEEN))


def read_view(
    ruleset: Ruleset, piles: Sequence[Sequence[int]], redeals: int = 0, moves: int = 0
) -> View:
    """Return the view of an `Attempt`, from its `piles`, `redeals` and `result.moves`.

    Raises:
        PositionError: the number of piles is wrong for the game, or a byte is not a card.
    """
    if len(piles) != len(ruleset.pile_names):
        raise PositionError(
            f"{ruleset.game} has {len(ruleset.pile_names)} piles, not {len(piles)}."
        )
    return View(ruleset, tuple(map(_read_pile, piles)), redeals, moves)


def read_delta(view: View, changes: Iterable[Sequence[int]], redeals: int | None = None) -> Delta:
    """Return the delta of a `Moved`, for `apply_delta` to the view before the move.

    Args:
        changes: its `changes`, each as `[pile, take, card, …]`.
        redeals: its `redeals`, or `None` if it was omitted as unchanged.

    Raises:
        PositionError: a change is not two numbers and cards.
    """
    return Delta(
        changes=tuple(map(_read_change, changes)),
        redeals=view.redeals if redeals is None else redeals,
        moves=view.moves + 1,
    )


def _read_change(change: Sequence[int]) -> Change:
    if len(change) < 2 or not all(type(number) is int for number in change):  # noqa: PLR2004
        raise PositionError("A change is a pile's number, a count, and cards.")
    return change[0], change[1], _read_pile(change[2:])


def _read_pile(cards: Sequence[int]) -> Pile:
    if not _VIEW_CARDS.issuperset(cards):
        raise PositionError(f"A card is a byte from 0 to {PACK_SIZE - 1}, or {UNSEEN} if unseen.")
    return bytes(cards)
