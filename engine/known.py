"""Known deals: their order comes from elsewhere, so anyone may know it.

A known deal is named by its order of cards, or by its number: in the classic FreeCell program of
Windows, or in PySolFC. `DEALS.md` describes how both programs deal a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Final

from engine.cards import PACK_SIZE, RANKS, card_of
from engine.deal import SEED_BYTES, check_deck, parse_seed
from engine.errors import DeckError
from engine.ruleset import Ruleset

LAST: Final = (1 << 33) - 1  # the last numbered deal
_COLUMNS: Final = (7, 7, 7, 7, 6, 6, 6, 6)  # of the games that numbered deals are for

# No deck consists of so few digits, and none of decimal digits alone.
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,62}", re.ASCII)
_PYSOLFC_NUMBER: Final = re.compile(r"[0-9]{20}", re.ASCII)

_FIRST_OF_PYSOLFC: Final = 32_000  # PySolFC takes lower numbers for those of the classic program
_FIRST_WIDE: Final = 1 << 31  # from here on, the words have 16 bits with the highest set
_FIRST_WIDER: Final = 1 << 32  # from here on, they have 16 bits, plus one

_PACK: Final = bytes(card_of(rank, suit) for rank in RANKS for suit in "CDHS")
_PYSOLFC_PACK: Final = bytes(card_of(rank, suit) for suit in "CSHD" for rank in RANKS)


def known_deck(ruleset: Ruleset, text: str) -> bytes:
    """Return the deck of a known deal, face up, the first card dealt first.

    Args:
        text: a number of the classic program, a number of PySolFC with its 20 digits, or the deck
            in hexadecimal, as `deal.parse_seed` reads it.

    Raises:
        DeckError: there is no deal with this number, or the deck does not fit the game.
        SeedError: the text is neither a number nor a deck.
    """
    is_pysolfc = _PYSOLFC_NUMBER.fullmatch(text) is not None
    if is_pysolfc or _NUMBER.fullmatch(text):
        if not has_numbers(ruleset):
            raise DeckError("Only deals of FreeCell have numbers here. Give the cards instead.")
        return pysolfc_deck(int(text)) if is_pysolfc else numbered_deck(int(text))
    deck = parse_seed(text)
    if len(deck) == SEED_BYTES:
        raise DeckError("A known deal is a deck, not a seed.")
    check_deck(ruleset, deck)
    return deck


def has_numbers(ruleset: Ruleset) -> bool:
    """Return whether a game is dealt as in FreeCell, so that deals have numbers."""
    tableau = ruleset.rules.tableau
    return (
        len(set(ruleset.pack)) == ruleset.total == PACK_SIZE
        and tableau is not None
        and tuple(tableau.deal) == _COLUMNS
    )


def numbered_deck(number: int) -> bytes:
    """Return the deck of a deal of the classic program: 52 cards, face up, the first dealt first.

    Raises:
        DeckError: there is no deal with this number.
    """
    if not 1 <= number <= LAST:
        raise DeckError(f"Numbered deals are from 1 to {LAST}.")
    pack = bytearray(_PACK)
    deck = bytearray()
    for word in islice(_words(number), len(_PACK)):
        at = word % len(pack)
        deck.append(pack[at])
        pack[at] = pack[-1]
        pack.pop()
    return bytes(deck)


def _words(number: int) -> Iterator[int]:
    """Yield the random numbers for a deal: of 15 bits up to 2³¹ - 1, and of 16 bits above."""
    state = number
    while True:
        state = (state * 214_013 + 2_531_011) % (1 << 32)
        word = state >> 16
        if number >= _FIRST_WIDER:
            yield word + 1
        elif number >= _FIRST_WIDE:
            yield word | 1 << 15
        else:
            yield word & ((1 << 15) - 1)


def pysolfc_deck(number: int) -> bytes:
    """Return the deck of one of PySolFC's deals of FreeCell, as `numbered_deck` does.

    Raises:
        DeckError: there is no deal with this number.
    """
    if number < _FIRST_OF_PYSOLFC:
        return numbered_deck(number)
    # CPython's generator, which PySolFC uses: MT19937, seeded with the number's 32-bit words.
    draw = Random(number).random  # noqa: S311 - a deal that everyone may know
    deck = bytearray(_PYSOLFC_PACK)
    for last in range(len(deck) - 1, 0, -1):
        other = int(draw() * (last + 1))
        deck[last], deck[other] = deck[other], deck[last]
    return bytes(deck[::-1])
