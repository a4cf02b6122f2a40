"""Lines of play to dead ends: legal moves remain, but no card can reach a foundation any more."""

from __future__ import annotations

from functools import cache
from random import Random

from engine.board import Board
from engine.catalog import ruleset
from engine.deal import SEED_BYTES, deal_seed
from engine.moves import brings_home, has_few_moves, legal_moves
from engine.notation import move_text
from engine.play import apply
from engine.ruleset import ENDLESS
from engine.search import Outcome, cards_never_seen, search

MAX_LINE_MOVES = 600


@cache
def dead_end_line(game: str) -> tuple[bytes, tuple[str, ...]]:
    """Return a seed, and the moves from its deal to a dead end.

    A search of the boards before the last move does not report a dead end.
    """
    for number in range(100):
        chance = Random(number)
        seed = chance.randbytes(SEED_BYTES)
        moves = _dead_end_moves(game, seed, chance)
        if moves is not None:
            return seed, moves
    raise AssertionError(f"no dead end of {game} found")


def _dead_end_moves(game: str, seed: bytes, chance: Random) -> tuple[str, ...] | None:
    board = deal_seed(ruleset(game), seed)
    line: list[str] = []
    while len(line) < MAX_LINE_MOVES and (moves := legal_moves(board)):
        if _is_searched(board) and search(board).outcome is Outcome.UNREACHABLE:
            return tuple(line)
        home = [move for move in moves if brings_home(board.ruleset, move)]
        fresh = [move for move in moves if move.source == board.ruleset.stock]
        move = chance.choice(home or fresh or moves)
        line.append(move_text(board.ruleset, move))
        board = apply(board, move)
    return None


def _is_searched(board: Board) -> bool:
    """Return whether a server searches a board.

    It does when all cards are seen, at the start of a pass if redeals are unlimited, and if few
    moves are left in a game without a waste whose stock is empty.
    """
    waste = board.ruleset.waste
    passes = board.ruleset.redeals == ENDLESS and waste is not None and not board.piles[waste]
    if (passes and board.redeals > 0) or not cards_never_seen(board):
        return True
    return waste is None and not board.piles[board.ruleset.stock] and has_few_moves(board, 6)
