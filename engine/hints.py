"""Hints: the move of a good simple player who sees only the view.

`RULES.md` describes how a move is chosen. Following hints always terminates: each brings a card
home, prepares that for the next hint, or makes progress that no later hint reverts.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import cached_property
from typing import Final

from engine.board import Board, View, view_of
from engine.cards import DOWN, RANKS, Card
from engine.moves import (
    Layout,
    brings_home,
    goes_home,
    is_covered,
    legal_moves,
    moves_of,
    stock_moves,
)
from engine.play import apply
from engine.ruleset import ENDLESS, ROW, Move, Ruleset

Worth = tuple[int, ...]  # compared lexicographically; higher is better

_HOME, _PREPARES, _JOINS, _UNCOVERS, _WASTE_JOINS, _WASTE, _DEALS, _SPREADS = range(8, 0, -1)
SLICE: Final = 64  # the number of moves judged between two pauses, in less than half a millisecond


def hint(layout: Layout) -> Move | None:
    """Return the move of a good simple player, or `None` if no move makes progress.

    It depends only on the view. It takes at most 0.2 ms in a listed game; use `hint_steps` where
    other work is waiting.
    """
    steps = hint_steps(layout)
    while True:
        try:
            next(steps)
        except StopIteration as found:
            move: Move | None = found.value
            return move


def hint_steps(layout: Layout) -> Generator[int, None, Move | None]:
    """Find a hint like `hint`, with a pause after every `SLICE` judged moves.

    Judging a move takes some microseconds, listing it takes one.

    Yields:
        The number of moves left to judge, first before any has been judged.
    """
    ruleset = layout.ruleset
    view = layout if isinstance(layout, View) else view_of(layout)
    seen = Board(ruleset, view.piles, view.redeals, view.moves)
    moves = legal_moves(seen)
    moves = [move for move in moves if brings_home(ruleset, move)] or moves
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
    # Between moves of equal worth, piles on the left are preferred.
    return -move.source, -move.target, -move.count


class _Judge:
    """Judges the legal moves of a board, or only the moves home if there are any."""

    def __init__(self, seen: Board) -> None:
        self._seen = seen
        self._leading: dict[tuple[int, int, int], bool] = {}
        self._covering: dict[tuple[int, int], tuple[int, int]] = {}

    def worth(self, move: Move) -> Worth | None:
        """Return the worth of a legal move, or `None` if it leads nowhere."""
        seen = self._seen
        ruleset = seen.ruleset
        source, target, count = move.source, move.target, move.count
        if brings_home(ruleset, move):
            last = seen.piles[source][-1]
            turn = 0 if last & DOWN else ruleset.turns[last]
            return _HOME, count, -turn, _count_freed(seen, move)
        if source in ruleset.foundations:
            return None
        if target == ruleset.stock:
            return (_DEALS,) if _has_use(seen) else None
        if target in (ROW, ruleset.waste):
            return (_DEALS,)
        return self._worth_to_place(move)

    def _worth_to_place(self, move: Move) -> Worth | None:
        """Return the worth of a move to a tableau pile or cell, not from a foundation."""
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
        # Moving a card between places for a single card makes no progress.
        return None if source in ruleset.cells or target in ruleset.cells else (_WASTE,)

    def _covers(self, move: Move) -> tuple[int, int]:
        """Return the negated count of covered cards due home earlier, and the earliest turn."""
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
        """Whether the stock has cards but deals none until every tableau pile has some."""
        seen = self._seen
        return seen.ruleset.rows_need_cards and _has_stock(seen) and not stock_moves(seen)

    def leads_home(self, move: Move) -> bool:
        """Return whether a move brings a card home, or visibly lets one go home next."""
        ruleset, piles = self._seen.ruleset, self._seen.piles
        source, target, count = move.source, move.target, move.count
        onto, head = piles[target], piles[source][-count]
        joins = (
            (ruleset.automatic or ruleset.runs_home)
            and onto
            and target in ruleset.tableau
            and not head & DOWN
            and ruleset.carries[onto[-1]][head]
        )
        # The target only matters if the moved cards extend a run.
        place = target if joins or target not in ruleset.tableau else ROW
        key = source, count, place
        found = self._leading.get(key)
        if found is None:
            # Only two cards can go home next: the new top card of the source, or the last moved
            # card. No other card had a way home before the move, so none has one after it.
            after = apply(self._seen, move)
            found = self._leading[key] = after.home > self._seen.home or goes_home(after)
        return found


def _count_freed(seen: Board, move: Move) -> int:
    """Return the number of cards of the peaks that a move home leaves uncovered."""
    ruleset, piles = seen.ruleset, list(seen.piles)
    covered = {*ruleset.covers[move.source], *ruleset.covers[move.target]}
    piles[move.source] = piles[move.target] = b""
    return sum(not is_covered(ruleset, piles, place) for place in covered)


def _bond(ruleset: Ruleset, below: Card, card: Card) -> int:
    """Return the bond of a card to the one below: 2 if they move together, 1 if it only builds."""
    return ruleset.builds[below][card] + ruleset.carries[below][card]


def _has_stock(seen: Board) -> bool:
    return bool(seen.piles[seen.ruleset.stock])


def _has_use(seen: Board) -> bool:
    """Return whether turning the waste over may help."""
    ruleset = seen.ruleset
    # Limited redeals end by themselves. Endless ones help only if a card of the next pass fits
    # somewhere while nothing else is played.
    return ruleset.redeals < ENDLESS or any(
        move.target not in ruleset.cells or _Judge(passing).leads_home(move)
        for passing, move in _next_pass(seen)
    )


def _next_pass(seen: Board) -> Iterator[tuple[Board, Move]]:
    """Yield the moves of each card that the next pass turns up, with the board at that time."""
    ruleset = seen.ruleset
    assert ruleset.waste is not None
    waste, at_once = seen.piles[ruleset.waste], ruleset.turns_to_waste
    piles = list(seen.piles)
    for top in {*waste[at_once - 1 :: at_once], waste[-1]}:
        piles[ruleset.waste] = bytes((top,))
        passing = Board(ruleset, tuple(piles), seen.redeals, seen.moves, seen.home)
        for move in moves_of(passing, ruleset.waste):
            yield passing, move
