"""Positions: complete boards as JSON values, written and parsed with validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.board import Board
from engine.cards import DOWN, Pile, parse_pile, pile_names, suit_of, turned_up
from engine.catalog import ruleset as known_ruleset
from engine.deal import check_deck
from engine.errors import PositionError
from engine.fits import RUN_LENGTH
from engine.moves import fits_foundation, is_stuck, run_length
from engine.ruleset import Ruleset
from engine.schema import STANDARD

MAX_MOVES = 1_000_000
"""The largest `moves` of a position that is accepted."""

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

    `variant`, `redeals`, `moves`, `won` and `stuck` are optional; `won` and `stuck` must agree with
    the piles if given.

    Args:
        position: the decoded JSON value, of any type.
        find_ruleset: returns the rules of a game and variant; by default from the catalogue.

    Raises:
        PositionError: the value has the wrong form, or no play of the game can reach the position.
        UnknownGameError: there is no such game.
        UnknownVariantError: the game has no such variant.
        CardError: a card is malformed.
        DeckError: the piles are not exactly the packs of the game.
    """
    if not isinstance(position, dict) or not position.keys() <= _KEYS:
        raise PositionError(
            f"A position must be an object with the keys {', '.join(sorted(_KEYS))}."
        )
    game, variant = position.get("game"), position.get("variant", STANDARD)
    if not isinstance(game, str) or not isinstance(variant, str):
        raise PositionError("game and variant must be strings.")
    ruleset = find_ruleset(game, variant)
    board = Board(
        ruleset,
        _read_piles(ruleset, position.get("piles")),
        _read_count(position, "redeals", ruleset.redeals),
        _read_count(position, "moves", MAX_MOVES),
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
            raise PositionError(f"The pile {name} must be a list of strings.")
    return tuple(parse_pile(piles.get(name, [])) for name in ruleset.pile_names)


def _read_count(position: dict[str, Any], key: str, most: int) -> int:
    value = position.get(key, 0)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is not int or not 0 <= value <= most:
        raise PositionError(f"{key} must be a whole number from 0 to {most}.")
    return value


def _check_board(board: Board) -> None:
    """Check the invariants of boards that play can reach; raise `PositionError` or `DeckError`."""
    ruleset = board.ruleset
    check_deck(ruleset, b"".join(map(turned_up, board.piles)))
    for pile in ruleset.foundations:
        if not _could_be_foundation(ruleset, pile, board.piles[pile]):
            raise PositionError(f"{ruleset.pile_names[pile]} holds cards that it cannot take.")
    tableau = ruleset.rules.tableau
    if tableau is not None:
        for pile, dealt in zip(ruleset.tableau, tableau.deal, strict=True):
            most = 0 if tableau.face_up == "all" else max(0, dealt - tableau.face_up)
            if not _down_below_up(board.piles[pile], most):
                raise PositionError(f"{ruleset.pile_names[pile]} has the wrong cards face down.")
    if not _could_be_stock(board):
        raise PositionError(
            "The stock has an impossible number of cards, or some the wrong way up."
        )
    if ruleset.waste is not None and any(card & DOWN for card in board.piles[ruleset.waste]):
        raise PositionError("A card of the waste lies face down.")
    could_fill = _always_fills(ruleset) and any(board.piles[place] for place in ruleset.fill)
    if could_fill and not all(board.piles[pile] for pile in ruleset.tableau):
        raise PositionError("A tableau pile is empty that would have been filled.")


def _always_fills(ruleset: Ruleset) -> bool:
    """Return whether an emptied pile is filled as long as any of the filling piles has cards.

    Not so where only the waste fills, since the stock can add to it later; nor where only the stock
    fills, if the waste can be turned over to be the stock again.
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
    if target in laid_out and pile and suit_of(pile[0]) != laid_out[target]:
        return False
    return all(fits_foundation(ruleset, target, pile[:at], card) for at, card in enumerate(pile))


def _down_below_up(pile: Pile, most: int) -> bool:
    """Return whether at most `most` cards lie face down, all of them below a face-up card."""
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
