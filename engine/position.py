"""Positions as JSON values: the full truth of a board in text, and reading one back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.board import Board
from engine.cards import DOWN, SUITS, Pile, parse_pile, pile_names, turned_up
from engine.catalog import ruleset as known_ruleset
from engine.deal import check_deck
from engine.errors import PositionError
from engine.fits import RUN_LENGTH
from engine.moves import fits_foundation, is_stuck, run_length
from engine.ruleset import Ruleset
from engine.schema import STANDARD

MOST_MOVES = 1_000_000
_KEYS = {"game", "variant", "piles", "redeals", "moves", "won", "stuck"}


def position_of(board: Board) -> dict[str, Any]:
    """Return a board as JSON values, with `?` before each card that lies face down."""
    ruleset = board.ruleset
    piles = zip(ruleset.pile_names, board.piles, strict=True)
    return {
        "game": ruleset.game,
        "variant": ruleset.variant,
        "piles": {name: pile_names(pile) for name, pile in piles},
        "redeals": board.redeals,
        "moves": board.moves,
        "won": board.won,
        "stuck": is_stuck(board),
    }


def parse_position(
    position: Any, find_ruleset: Callable[[str, str], Ruleset] = known_ruleset
) -> Board:
    """Return the board that a position describes.

    `redeals`, `moves`, `won` and `stuck` may be left out; the last two must be true if given.

    Args:
        position: the JSON values.
        find_ruleset: what gives the rules of a game and variant; the catalogue if left out.

    Raises:
        EngineError: the position cannot be.
    """
    if not isinstance(position, dict) or not position.keys() <= _KEYS:
        raise PositionError(f"A position is an object with the keys {', '.join(sorted(_KEYS))}.")
    game, variant = position.get("game"), position.get("variant", STANDARD)
    if not isinstance(game, str) or not isinstance(variant, str):
        raise PositionError("A position names its game and variant.")
    ruleset = find_ruleset(game, variant)
    board = Board(
        ruleset,
        _read_piles(ruleset, position.get("piles")),
        _read_count(position, "redeals", ruleset.rules.waste.redeals if ruleset.rules.waste else 0),
        _read_count(position, "moves", MOST_MOVES),
    )
    _check_board(board)
    for key, value in (("won", board.won), ("stuck", is_stuck(board))):
        if key in position and position[key] is not value:
            raise PositionError(f"{key} is {str(value).lower()} in this position.")
    return board


def _read_piles(ruleset: Ruleset, piles: Any) -> tuple[Pile, ...]:
    if not isinstance(piles, dict) or not piles.keys() <= ruleset.pile_numbers.keys():
        raise PositionError(f"The piles of {ruleset.game} are {', '.join(ruleset.pile_names)}.")
    for name, cards in piles.items():
        if not isinstance(cards, list) or not all(isinstance(card, str) for card in cards):
            raise PositionError(f"The pile {name} must be a list of cards.")
    return tuple(parse_pile(piles.get(name, [])) for name in ruleset.pile_names)


def _read_count(position: dict[str, Any], key: str, most: int) -> int:
    value = position.get(key, 0)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is not int or not 0 <= value <= most:
        raise PositionError(f"{key} must be a whole number from 0 to {most}.")
    return value


def _check_board(board: Board) -> None:
    """Check what every board that play can reach has in common."""
    ruleset = board.ruleset
    check_deck(ruleset, b"".join(map(turned_up, board.piles)))
    for pile in ruleset.foundations:
        if not _could_be_foundation(ruleset, pile, board.piles[pile]):
            raise PositionError(f"{ruleset.pile_names[pile]} holds what it does not take.")
    tableau = ruleset.rules.tableau
    if tableau is not None:
        for pile, dealt in zip(ruleset.tableau, tableau.deal, strict=True):
            most = 0 if tableau.face_up == "all" else max(0, dealt - tableau.face_up)
            if not _down_below_up(board.piles[pile], most):
                raise PositionError(f"{ruleset.pile_names[pile]} has the wrong cards face down.")
    if not _could_be_stock(board):
        raise PositionError("The stock cannot have these cards, or not this way up.")
    if ruleset.waste is not None and any(card & DOWN for card in board.piles[ruleset.waste]):
        raise PositionError("The waste lies face up.")
    could_fill = _always_fills(ruleset) and any(board.piles[place] for place in ruleset.fill)
    if could_fill and not all(board.piles[pile] for pile in ruleset.tableau):
        raise PositionError("An empty pile would have been filled.")


def _always_fills(ruleset: Ruleset) -> bool:
    """Return whether a pile stays empty only where the places that fill it have no more cards.

    A waste gets cards again from the stock, and the stock from a waste that is turned over.
    """
    return ruleset.stock in ruleset.fill and (ruleset.waste in ruleset.fill or not ruleset.redeals)


def _could_be_foundation(ruleset: Ruleset, target: int, pile: Pile) -> bool:
    group = ruleset.groups[target]
    if any(card & DOWN for card in pile):
        return False
    if group.takes == "run":
        return not pile or (
            len(pile) == RUN_LENGTH
            and bool(ruleset.run_heads[target][pile[0]])
            and run_length(pile, ruleset.builds) == RUN_LENGTH
        )
    if group.setup != "empty" and not pile:
        return False
    if ruleset.rules.stock.to_foundation == "any":
        return True
    laid_out = {f: suit for f, _, suit in ruleset.laid_out_suits()}
    if target in laid_out and pile and pile[0] // 13 != SUITS.index(laid_out[target]):
        return False
    return all(fits_foundation(ruleset, target, pile[:at], card) for at, card in enumerate(pile))


def _down_below_up(pile: Pile, most: int) -> bool:
    """Return whether at most `most` cards lie face down, all at the bottom, under one face up."""
    down = sum(1 for card in pile if card & DOWN)
    return (
        down <= most and all(card & DOWN for card in pile[:down]) and (not pile or down < len(pile))
    )


def _could_be_stock(board: Board) -> bool:
    ruleset = board.ruleset
    stock = board.piles[ruleset.stock]
    tableau = ruleset.rules.tableau
    dealt = sum(tableau.deal) if tableau else 0
    full = ruleset.total - dealt - sum(group.setup != "empty" for group in ruleset.groups)
    if len(stock) > full:
        return False
    if (
        ruleset.rules.stock.plays == ("row",)
        and stock
        and (full - len(stock)) % len(ruleset.tableau)
    ):
        return False
    up = 1 if ruleset.rules.stock.top == "up" and stock else 0
    hidden = len(stock) - up
    return all(c & DOWN for c in stock[:hidden]) and not any(c & DOWN for c in stock[hidden:])
