"""Positions: complete boards as JSON values, with validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.board import Board
from engine.cards import DOWN, Pile, parse_pile, pile_names, rank_of, suit_of, turned_up
from engine.catalog import ruleset as known_ruleset
from engine.deal import check_deck
from engine.errors import PositionError
from engine.fits import EMPTY, RUN_LENGTH, pair_fits
from engine.moves import fits_foundation, is_covered, is_stuck, leaving_to, run_length
from engine.ruleset import Ruleset
from engine.schema import STANDARD, Reserve, Tableau, dealt_down

MAX_MOVES = 1_000_000  # accepted in a position
_KEYS = {"game", "variant", "piles", "redeals", "moves", "won", "stuck"}


def position_of(board: Board) -> dict[str, Any]:
    """Return a board as JSON values, with `?` before each face-down card."""
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
        PositionError: the value is malformed, or the position is unreachable.
        UnknownGameError, UnknownVariantError: there is no such game or variant.
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
        if not _could_be_foundation(board, pile):
            raise PositionError(f"{ruleset.pile_names[pile]} holds cards that it cannot take.")
    rules = ruleset.rules
    for part, numbers in ((rules.tableau, ruleset.tableau), (rules.reserve, ruleset.reserve)):
        if part is not None and not (ruleset.peaks and numbers is ruleset.tableau):
            _check_dealt(board, part, numbers)
    if ruleset.peaks:
        _check_peaks(board)
    if ruleset.clears and not (board.won or any(board.piles[pile] for pile in ruleset.tableau)):
        raise PositionError("The tableau is empty, but not all cards are on the foundation.")
    for pile in ruleset.cells:
        if len(board.piles[pile]) > 1 or not _down_below_up(board.piles[pile], 0):
            raise PositionError(f"{ruleset.pile_names[pile]} holds more than a card face up.")
    if not _could_be_stock(board):
        raise PositionError(
            "The stock has an impossible number of cards, or some the wrong way up."
        )
    if ruleset.waste is not None and any(card & DOWN for card in board.piles[ruleset.waste]):
        raise PositionError("A card of the waste lies face down.")
    # A reserve never gains cards, so no pile can be empty while it lasts.
    could_fill = any(
        board.piles[place]
        for place in ruleset.fill
        if place in ruleset.reserve or _always_fills(ruleset)
    )
    if could_fill and not all(board.piles[pile] for pile in ruleset.tableau):
        raise PositionError("A tableau pile is empty that would have been filled.")


def _check_dealt(board: Board, part: Tableau | Reserve, numbers: range) -> None:
    ruleset = board.ruleset
    for pile, dealt, most in zip(numbers, part.deal, dealt_down(part), strict=True):
        name, cards = ruleset.pile_names[pile], board.piles[pile]
        if not _down_below_up(cards, most):
            raise PositionError(f"{name} has the wrong cards face down.")
        if isinstance(part, Reserve) and len(cards) > dealt:
            raise PositionError(f"{name} has more cards than it was dealt.")
        if ruleset.automatic and leaving_to(ruleset, board.piles, pile) is not None:
            raise PositionError(f"{name} ends in a run that would have left.")


def _check_peaks(board: Board) -> None:
    ruleset, tableau = board.ruleset, board.ruleset.rules.tableau
    assert tableau is not None
    for pile, dealt in zip(ruleset.tableau, dealt_down(tableau), strict=True):
        name, cards = ruleset.pile_names[pile], board.piles[pile]
        covered = is_covered(ruleset, board.piles, pile)
        if len(cards) > 1 or (covered and not cards):
            raise PositionError(f"{name} must hold one card, or none if no other covers it.")
        if cards and (cards[0] & DOWN != 0) != (covered and dealt > 0):
            raise PositionError(f"The card of {name} lies the wrong way up.")


def _always_fills(ruleset: Ruleset) -> bool:
    """Return whether no tableau pile can be empty while a filling pile has cards."""
    # A stock can add to a waste that fills later, and a waste turned over is a new stock.
    return ruleset.stock in ruleset.fill and (ruleset.waste in ruleset.fill or not ruleset.redeals)


def _could_be_foundation(board: Board, target: int) -> bool:
    ruleset, pile = board.ruleset, board.piles[target]
    group = ruleset.groups[target]
    if any(card & DOWN for card in pile):
        return False
    if group.takes == "run":
        return not pile or (
            len(pile) == RUN_LENGTH
            and bool(ruleset.run_heads[target][pile[0]])
            and run_length(pile, ruleset.carries) == RUN_LENGTH
        )
    if not pile:
        return group.setup == "empty"
    if ruleset.rules.stock.to_foundation == "any" or (ruleset.clears and board.won):
        return True
    if group.takes == "pair":
        return _could_be_pairs(ruleset, target, pile)
    laid_out = {f: suit for f, _, suit in ruleset.laid_out_suits()}
    starts = suit_of(pile[0]) == laid_out.get(target, suit_of(pile[0]))
    if target in ruleset.same_rank:
        starts = rank_of(pile[0]) == rank_of(board.piles[0][0])
    return starts and all(
        fits_foundation(ruleset, target, pile[:at], card) for at, card in enumerate(pile)
    )


def _could_be_pairs(ruleset: Ruleset, target: int, pile: Pile) -> bool:
    """Return whether a foundation consists of pairs and of cards that it takes alone."""
    cards = iter(pile)
    return all(
        ruleset.homes[target][EMPTY][card] or pair_fits()[card][next(cards, card)] for card in cards
    )


def _down_below_up(pile: Pile, most: int) -> bool:
    """Return whether at most `most` cards are face down, all below a face-up card."""
    down = sum(1 for card in pile if card & DOWN)
    return (
        down <= most and all(card & DOWN for card in pile[:down]) and (not pile or down < len(pile))
    )


def _could_be_stock(board: Board) -> bool:
    ruleset = board.ruleset
    stock = board.piles[ruleset.stock]
    full = ruleset.in_stock
    if len(stock) > full or (stock and (full - len(stock)) % _dealt_at_once(board)):
        return False
    up = 1 if ruleset.rules.stock.top == "up" and stock else 0
    hidden = len(stock) - up
    return all(c & DOWN for c in stock[:hidden]) and not any(c & DOWN for c in stock[hidden:])


def _dealt_at_once(board: Board) -> int:
    """Return the number of cards per deal: a nonempty stock has dealt a multiple of it."""
    ruleset = board.ruleset
    if ruleset.rules.stock.plays == ("row",):
        return len(ruleset.tableau)
    # A stock that was the waste, or one that fills piles, can have any number of cards.
    regular = board.redeals == 0 and ruleset.stock not in ruleset.fill
    return ruleset.turns_to_waste if regular else 1
