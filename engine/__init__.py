"""The rules of solitaire games as a library: pure functions on immutable boards.

Only `engine.solver` needs more than the standard library. A game is a TOML file in `games/`; see
`RULES.md` for its keys, `DEALS.md` for the dealing algorithm, and `python -m engine` for a driver
on standard input.

The server deals a complete board from a seed and applies legal moves to it:

>>> from engine import deal_seed, legal_moves, move_text, parse_move, play, ruleset
>>> rules = ruleset("robert")
>>> board = deal_seed(rules, bytes(32))
>>> [move_text(rules, move) for move in legal_moves(board)]
['s>w']
>>> board, delta = play(board, parse_move(rules, "s>w"))
>>> board.moves, board.home, board.won
(1, 1, False)

A client has a view, in which face-down cards are unseen. It reads the view from the server's
messages and lists legal moves in the same way. A move is sent as three numbers:

>>> from engine import apply_delta, card_name, read_delta, read_view
>>> view = read_view(rules, [bytes([6]), bytes([127] * 51), b""])
>>> move, = legal_moves(view)
>>> rules.numbers_of(move)
(1, 2, 1)
>>> view = apply_delta(view, read_delta(view, [[1, 1], [2, 0, 20]]))
>>> [move_text(rules, move) for move in legal_moves(view)], card_name(view.piles[2][-1])
(['w>f0', 's>w'], '8H')

Invalid input raises an `EngineError` with a `code`. Some modules offer more than is exported here:
`search` finds out whether another card can still come home.
"""

from engine.board import Board, Change, Delta, Piles, View, apply_delta, view_of
from engine.cards import DOWN, UNSEEN, Card, Pile, card_name, is_red, parse_card, rank_of, suit_of
from engine.catalog import games, ruleset
from engine.deal import commitment, deal_seed, lay_out, parse_seed
from engine.errors import EngineError
from engine.moves import is_legal, is_stuck, is_won, legal_moves
from engine.notation import move_text, parse_move
from engine.play import apply, play
from engine.position import parse_position, position_of
from engine.ruleset import ROW, Move, Ruleset
from engine.schema import STANDARD, Game
from engine.verify import Verification, verify
from engine.wire import read_delta, read_view

__all__ = [
    "DOWN",
    "ROW",
    "STANDARD",
    "UNSEEN",
    "Board",
    "Card",
    "Change",
    "Delta",
    "EngineError",
    "Game",
    "Move",
    "Pile",
    "Piles",
    "Ruleset",
    "Verification",
    "View",
    "apply",
    "apply_delta",
    "card_name",
    "commitment",
    "deal_seed",
    "games",
    "is_legal",
    "is_red",
    "is_stuck",
    "is_won",
    "lay_out",
    "legal_moves",
    "move_text",
    "parse_card",
    "parse_move",
    "parse_position",
    "parse_seed",
    "play",
    "position_of",
    "rank_of",
    "read_delta",
    "read_view",
    "ruleset",
    "suit_of",
    "verify",
    "view_of",
]
