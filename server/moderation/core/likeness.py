"""How much of a run another one has played before, on the same deal. Pure.

Moves are compared where both runs stood on the same board, so that moves in another order are alike
as well. Most people play the obvious move, and many runs open alike: only *odd* moves tell, those
that a good simple player would not make. A hint (`engine.hints`) says what such a player does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import islice
from typing import Final, NamedTuple

from engine.board import Board, Piles
from engine.hints import hint
from engine.moves import legal_moves
from engine.notation import parse_move
from server.play.core.attempt import UNDONE
from server.play.core.run import Run, states_of

MIN_MOVES: Final = 25
"""Moves from the start that are not compared: many runs open alike."""

MAX_MOVES: Final = 400
"""Moves after those that are compared: few runs have more, and a client may send thousands."""

MARKS: Final = 4
"""Boards by which an earlier run is found. If four fifths of two runs' boards are the same, one of
four marks is shared all but surely."""

Place = tuple[Piles, int]
"""A board, however it was reached: its piles, and how often the waste was turned over."""


class Choice(NamedTuple):
    """A board on which a run stood, and the text of the move that it made there."""

    board: Board
    move: str

    @property
    def place(self) -> Place:
        """The board, however it was reached."""
        return self.board.piles, self.board.redeals


class Likeness(NamedTuple):
    """How much of a run another one has played before.

    Attributes:
        moves: moves of the run that are compared.
        same: those of them which the other one has made on the same boards.
        odd: how many of these are odd.
    """

    moves: int
    same: int
    odd: int


def choices_of(run: Run, board: Board) -> Iterator[Choice]:
    """Yield the boards and moves of a run after its opening, given the first board of its deal.

    Going back is no choice. A move takes some 30 µs.
    """
    pairs = zip(states_of(run, board), run.moves, strict=False)
    for state, (move, _) in islice(pairs, MIN_MOVES, MIN_MOVES + MAX_MOVES):
        if move != UNDONE:
            yield Choice(state.board, move)


def marks(choices: Iterable[Choice]) -> list[str]:
    """Return digests of a few of a run's boards, of 16 characters each.

    They are the least ones, so that runs which have many boards in common share some of them.
    """
    return sorted({_digest(each.place) for each in choices})[:MARKS]


def _digest(place: Place) -> str:
    piles, redeals = place
    return sha256(b"|".join((*piles, bytes((redeals,))))).hexdigest()[:16]


def compare(run: list[Choice], other: list[Choice]) -> Iterator[Likeness]:
    """Yield the likeness of a run to another one, after each move that both have made.

    One step takes up to a millisecond, which is that of a hint: the caller can do something else
    between two of them, and stop once it has seen enough.
    """
    moved: dict[Place, set[str]] = {}
    for each in other:
        moved.setdefault(each.place, set()).add(each.move)
    same = odd = 0
    for each in run:
        if each.move in moved.get(each.place, ()):
            same += 1
            odd += _is_odd(each)
            yield Likeness(len(run), same, odd)


def _is_odd(choice: Choice) -> bool:
    """Return whether a good simple player, who sees the same, would make another move."""
    board = choice.board
    move = parse_move(board.ruleset, choice.move)
    if move.target in board.ruleset.foundations or len(legal_moves(board)) == 1:
        return False
    return hint(board) != move
