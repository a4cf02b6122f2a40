"""Lines of play that leave no hope, though moves are legal still."""

from __future__ import annotations

from functools import cache
from random import Random

from engine.catalog import ruleset
from engine.deal import SEED_BYTES, deal_seed
from engine.moves import legal_moves
from engine.notation import move_text
from engine.play import apply
from engine.solver import Hope, search, unseen_cards

LONGEST_LINE = 600


@cache
def hopeless_line(game: str) -> tuple[bytes, tuple[str, ...]]:
    """Return a seed, and moves from its deal to a board without hope on which moves are legal.

    There is hope until the last of them, as far as one can see.
    """
    for number in range(100):
        chance = Random(number)
        seed = chance.randbytes(SEED_BYTES)
        moves = _hopeless_moves(game, seed, chance)
        if moves is not None:
            return seed, moves
    raise AssertionError(f"{game} leads nowhere")


def _hopeless_moves(game: str, seed: bytes, chance: Random) -> tuple[str, ...] | None:
    board = deal_seed(ruleset(game), seed)
    line: list[str] = []
    while len(line) < LONGEST_LINE and (moves := legal_moves(board)):
        if not unseen_cards(board) and search(board).hope is Hope.HOPELESS:
            return tuple(line)
        home = [move for move in moves if move.target in board.ruleset.foundations]
        fresh = [move for move in moves if move.source == board.ruleset.stock]
        move = chance.choice(home or fresh or moves)
        line.append(move_text(board.ruleset, move))
        board = apply(board, move)
    return None
