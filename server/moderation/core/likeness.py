"""Likeness of two runs on the same deal: how much one may have copied from the other.

Moves are compared by board, so that reordered moves match. Most people play the obvious move, and
many runs open alike, so only *odd* moves are evidence: moves that a good simple player would not
make. A hint (`engine.hints`) is the move of such a player.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import islice
from typing import Final, NamedTuple

from engine.board import Board, Piles
from engine.hints import hint
from engine.moves import brings_home, legal_moves
from engine.notation import parse_move
from server.play.core.attempt import UNDONE
from server.play.core.run import Run, states_of

MIN_MOVES: Final = 25  # the opening, which is not compared, since many runs open alike

# Moves compared after the opening. Few runs have more, but a client may send thousands.
MAX_MOVES: Final = 400

# Digests stored of a run, and looked up to find an earlier one. Runs that share four fifths of
# their boards almost certainly share one of four.
MARKS: Final = 4

# A board, however it was reached: its piles, and how often the waste was turned over.
Place = tuple[Piles, int]


class Choice(NamedTuple):
    """A board of a run, and the text of the move made there."""

    board: Board
    move: str

    @property
    def place(self) -> Place:
        """The board, however it was reached."""
        return self.board.piles, self.board.redeals


class Likeness(NamedTuple):
    """How much of a run another run has played before."""

    moves: int  # the number of the run's compared moves
    same: int  # those that the other run has made on the same boards
    odd: int  # the odd ones among these


def choices_of(run: Run, board: Board) -> Iterator[Choice]:
    """Yield a run's boards and moves after the opening, given the deal's first board.

    Undos are left out, but not the moves that they undo. Each move takes about 30 µs.
    """
    if len(run.moves) <= MIN_MOVES:
        return
    pairs = zip(states_of(run, board), run.moves, strict=False)
    for state, (move, _) in islice(pairs, MIN_MOVES, MIN_MOVES + MAX_MOVES):
        if move != UNDONE:
            yield Choice(state.board, move)


def marks(choices: Iterable[Choice]) -> list[str]:
    """Return digests of a few of a run's boards, 16 characters each."""
    # The smallest ones, so that runs with many boards in common share some of them.
    return sorted({_digest(each.place) for each in choices})[:MARKS]


def _digest(place: Place) -> str:
    piles, redeals = place
    return sha256(b"|".join((*piles, bytes((redeals,))))).hexdigest()[:16]


def compare(run: list[Choice], other: list[Choice]) -> Iterator[Likeness]:
    """Yield the likeness of a run to another after each move in common.

    A step takes up to a millisecond, the time of a hint, so the caller can yield to the event loop
    between steps.
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
    """Return whether a good simple player with the same view would move differently."""
    board = choice.board
    move = parse_move(board.ruleset, choice.move)
    if brings_home(board.ruleset, move) or len(legal_moves(board)) == 1:
        return False
    return hint(board) != move
