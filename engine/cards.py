"""Cards as small integers, piles of them as bytes, and their notation.

A card is `suit * 13 + rank`, 0 to 51, with suits in the order of `SUITS` and ranks in that of
`RANKS`. A pile is a `bytes` of cards from bottom to top: immutable, hashable and cheap to slice. A
face-down card has the bit `DOWN` set. `UNSEEN` is a face-down card of unknown face, the only
face-down card in a view.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine.errors import CardError

RANKS: Final = "A23456789TJQK"
SUITS: Final = "SHDC"
RED_SUITS: Final = "HD"

PACK_SIZE: Final = 52
DOWN: Final = 0x40
UNSEEN: Final = 0x7F

Card = int
Pile = bytes

_NAMES: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
_CARDS: Final = {name: card for card, name in enumerate(_NAMES)}

_TO_VIEW: Final = bytes(UNSEEN if byte & DOWN else byte for byte in range(256))
_TO_DOWN: Final = bytes(byte | DOWN for byte in range(256))
_TO_UP: Final = bytes(byte & ~DOWN for byte in range(256))


def rank_of(card: Card) -> int:
    """Return the rank of a face-up card, 0 (Ace) to 12 (King)."""
    return card % 13


def suit_of(card: Card) -> str:
    """Return the suit letter of a face-up card."""
    return SUITS[card // 13]


def is_red(card: Card) -> bool:
    """Return whether a face-up card is a heart or a diamond."""
    return suit_of(card) in RED_SUITS


def card_of(rank: str, suit: str) -> Card:
    """Return the card with a rank of `RANKS` and a suit of `SUITS`."""
    return SUITS.index(suit) * 13 + RANKS.index(rank)


def pack(packs: int, suits: str = SUITS) -> bytes:
    """Return packs of 52 cards in order.

    Args:
        suits: one, two or four suits. Each contributes thirteen cards in turn, repeatedly, until a
            pack has 52. A pack of all suits goes from AS to KC.
    """
    ranks = range(len(RANKS))
    each = [SUITS.index(suit) * len(RANKS) + rank for suit in suits for rank in ranks]
    return bytes(each) * (packs * PACK_SIZE // len(each))


def parse_card(text: str) -> Card:
    """Return the face-up card that `text` names, such as `TH`, the ten of hearts.

    Raises:
        CardError: `text` is not a rank followed by a suit.
    """
    card = _CARDS.get(text)
    if card is None:
        raise CardError(f"{text!r} is not a card: a rank of {RANKS} and a suit of {SUITS}.")
    return card


def card_name(card: Card) -> str:
    """Return the notation of a card: `TH` face up, `?TH` face down, `??` for `UNSEEN`."""
    if card == UNSEEN:
        return "??"
    return f"?{_NAMES[card & ~DOWN]}" if card & DOWN else _NAMES[card]


def parse_pile(names: Iterable[str]) -> Pile:
    """Return the pile of these cards, bottom to top; a face-down card is written `?TH`.

    Raises:
        CardError: a name is not a card; neither is `??`.
    """
    return bytes(
        parse_card(name[1:]) | DOWN if name.startswith("?") else parse_card(name) for name in names
    )


def pile_names(pile: Pile) -> list[str]:
    """Return the notation of each card, bottom to top."""
    return [card_name(card) for card in pile]


def seen(pile: Pile) -> Pile:
    """Return the pile with every face-down card replaced by `UNSEEN`."""
    return pile.translate(_TO_VIEW)


def turned_down(pile: Pile) -> Pile:
    """Return the pile with every card face down."""
    return pile.translate(_TO_DOWN)


def turned_up(pile: Pile) -> Pile:
    """Return the pile with every card face up."""
    return pile.translate(_TO_UP)
