"""A hint: what a good simple player would do next, by what the player sees.

`RULES.md` describes how a move is chosen. Who follows hints alone comes to an end: each of them
brings a card home, prepares that for the next hint, or gets further in a way that no later hint
takes back.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import cached_property
from typing import Final

from engine.board import Board, View, view_of
from engine.cards import DOWN, RANKS, Card
from engine.moves import Layout, goes_home, legal_moves, moves_of, stock_moves
from engine.play import apply
from engine.ruleset import ENDLESS, ROW, Move, Ruleset

Worth = tuple[int, ...]
"""How good a move is. Worths are compared from the left, and more is better."""

_HOME, _PREPARES, _JOINS, _UNCOVERS, _WASTE_JOINS, _WASTE, _DEALS, _SPREADS = range(8, 0, -1)


SLICE: Final = 64
"""The moves that are judged between two pauses: in less than half a millisecond."""


def hint(layout: Layout) -> Move | None:
    """Return the move that a good simple player would make, or `None` if none gets further.

    It depends only on what the player sees: two boards with equal views have the same hint. Of a
    listed game, it takes 0.2 ms at most; `hint_steps` is for those who have others waiting.
    """
    steps = hint_steps(layout)
    while True:
        try:
            next(steps)
        except StopIteration as found:
            move: Move | None = found.value
            return move


def hint_steps(layout: Layout) -> Generator[int, None, Move | None]:
    """Find a hint with pauses.

    Before each pause, `SLICE` moves are judged at most; each takes some microseconds, and listing
    them one.

    Yields:
        How many moves are left to be judged: first all of them, before any has been.

    Returns:
        The hint, as `hint` does.
    """
    ruleset = layout.ruleset
    view = layout if isinstance(layout, View) else view_of(layout)
    seen = Board(ruleset, view.piles, view.redeals, view.moves)
    moves = legal_moves(seen)
    moves = [move for move in moves if move.target in ruleset.foundations] or moves
    yield len(moves)
    judge, best = _Judge(seen), None
    for done, move in enumerate(moves):
        if done and done % SLICE == 0:
            yield len(moves) - done
        worth = judge.worth(move)
        if worth is not None and (best is None or (worth, _order(move)) > best[:2]):
            best = worth, _order(move), move
    return best[-1] if best else None


def _order(move: Move) -> Worth:
    """Return what decides between moves of equal worth: piles on the left come first."""
    return -move.source, -move.target, -move.count


class _Judge:
    """Judges the legal moves of a board, and remembers what several of them have in common.

    Args:
        seen: the board. It has no move home, or only those are judged.
    """

    def __init__(self, seen: Board) -> None:
        self._seen = seen
        self._leading: dict[tuple[int, int, int], bool] = {}
        self._covering: dict[tuple[int, int], tuple[int, int]] = {}

    def worth(self, move: Move) -> Worth | None:
        """Return how good a legal move is; `None` if it leads nowhere."""
        seen = self._seen
        ruleset = seen.ruleset
        source, target, count = move.source, move.target, move.count
        if target in ruleset.foundations:
            last = seen.piles[source][-1]
            return _HOME, count, 0 if last & DOWN else -ruleset.turns[last]
        if source in ruleset.foundations:
            return None
        if target == ruleset.stock:
            return (_DEALS,) if _has_use(seen) else None
        if target in (ROW, ruleset.waste):
            return (_DEALS,)
        return self._worth_to_place(move)

    def _worth_to_place(self, move: Move) -> Worth | None:
        """Return how good a move to a tableau pile or a cell is, from anywhere but a foundation."""
        seen = self._seen
        ruleset = seen.ruleset
        source, target = move.source, move.target
        if self.leads_home(move):
            return _PREPARES, *self._covers(move)
        if source in ruleset.tableau:
            return self._worth_from_pile(move)
        if seen.piles[target] and ruleset.orders_tableau:
            return _WASTE_JOINS, self._covers(move)[0]
        if source == ruleset.stock:
            return _DEALS, *self._covers(move)
        # A card that leaves one place of its own for another gets nowhere.
        return None if source in ruleset.cells or target in ruleset.cells else (_WASTE,)

    def _covers(self, move: Move) -> tuple[int, int]:
        """Return how little a move covers what goes home before it, and what does next at all."""
        turns_of = self._seen.ruleset.turns
        turn = turns_of[self._seen.piles[move.source][-move.count]]
        key = move.target, turn
        found = self._covering.get(key)
        if found is None:
            onto = self._seen.piles[move.target]
            turns = [turns_of[card] for card in onto if not card & DOWN]
            buried = sum(each < turn for each in turns)
            found = self._covering[key] = -buried, -min(turns, default=len(RANKS))
        return found

    def _worth_from_pile(self, move: Move) -> Worth | None:
        """Return how good a move from a tableau pile to another, or to a cell, is."""
        seen = self._seen
        ruleset = seen.ruleset
        source, target, count = move.source, move.target, move.count
        pile, onto = seen.piles[source], seen.piles[target]
        head, left = pile[-count], len(pile) - count
        uncovers = left > 0 and pile[left - 1] & DOWN != 0
        bond = 0 if not left or uncovers else _bond(ruleset, pile[left - 1], head)
        new_bond = _bond(ruleset, onto[-1], head) if onto and ruleset.orders_tableau else 0
        if new_bond:
            empties = not left
            keeps = empties and ruleset.rows_need_cards and _has_stock(seen)
            useful = new_bond > bond and not keeps
            return (_JOINS, new_bond, uncovers, empties, count) if useful else None
        if uncovers:
            return _UNCOVERS, target in ruleset.tableau, count
        waits = self._waits_for_cards
        if bond and not waits:
            return None
        spreads = left and not onto and (waits or not _has_stock(seen))
        return (_SPREADS, target in ruleset.tableau, -bond, -left) if spreads else None

    @cached_property
    def _waits_for_cards(self) -> bool:
        """Whether the stock has cards and deals none until every tableau pile has some."""
        seen = self._seen
        return seen.ruleset.rows_need_cards and _has_stock(seen) and not stock_moves(seen)

    def leads_home(self, move: Move) -> bool:
        """Return whether a move brings a card home, or leaves one that is seen to go home next.

        What goes home next does so from where the cards came from, or is the last of them where it
        lies now, in whichever pile that is: no other card had a way home before, nor has one since.
        Only if they make a run longer does it matter which.
        """
        ruleset, piles = self._seen.ruleset, self._seen.piles
        source, target, count = move.source, move.target, move.count
        onto = piles[target]
        joins = (
            (ruleset.automatic or ruleset.runs_home)
            and onto
            and target in ruleset.tableau
            and _carries(ruleset, onto[-1], piles[source][-count])
        )
        place = target if joins or target not in ruleset.tableau else ROW
        key = source, count, place
        found = self._leading.get(key)
        if found is None:
            after = apply(self._seen, move)
            found = self._leading[key] = after.home > self._seen.home or goes_home(after)
        return found


def _bond(ruleset: Ruleset, below: Card, card: Card) -> int:
    """Return how well a card lies on another: 2 if they move together, 1 if it only builds."""
    return ruleset.builds[below][card] + ruleset.carries[below][card]


def _carries(ruleset: Ruleset, below: Card, card: Card) -> bool:
    """Return whether two cards, of which the upper one is turned up, move together."""
    return not card & DOWN and ruleset.carries[below][card] != 0


def _has_stock(seen: Board) -> bool:
    """Return whether the stock has cards."""
    return bool(seen.piles[seen.ruleset.stock])


def _has_use(seen: Board) -> bool:
    """Return whether turning the waste over leads anywhere.

    Where it ends, it always may. Without end it does if a card fits somewhere which the next pass
    brings up, were nothing else played.
    """
    ruleset = seen.ruleset
    return ruleset.redeals < ENDLESS or any(
        move.target not in ruleset.cells or _Judge(passing).leads_home(move)
        for passing, move in _next_pass(seen)
    )


def _next_pass(seen: Board) -> Iterator[tuple[Board, Move]]:
    """Yield what each card can do that the next pass brings up, and the board then."""
    ruleset = seen.ruleset
    assert ruleset.waste is not None
    waste, at_once = seen.piles[ruleset.waste], ruleset.turns_to_waste
    piles = list(seen.piles)
    for top in {*waste[at_once - 1 :: at_once], waste[-1]}:
        piles[ruleset.waste] = bytes((top,))
        passing = Board(ruleset, tuple(piles), seen.redeals, seen.moves, seen.home)
        for move in moves_of(passing, ruleset.waste):
            yield passing, move
