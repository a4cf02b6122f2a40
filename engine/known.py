"""Known deals: their order comes from elsewhere, so anyone may know it.

A known deal is named by its order of cards, or by its number in the classic FreeCell program of
Windows. Numbered deals date from 1991: 1 to 32,000 in the first programs, and up to 1,000,000 in
later ones, which deal the first 32,000 identically. All of those but number 11982 can be won.

The program shuffles with `rand` of Microsoft's C library, a linear congruential generator with 15
bits of output, and draws cards from a pack in the order AC AD AH AS 2C to KS: the last remaining
card takes the place of the drawn one. It deals in rounds of one card to each pile, as
`deal.lay_out` does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from engine.cards import RANKS, card_of
from engine.deal import SEED_BYTES, check_deck, parse_seed
from engine.errors import DeckError
from engine.ruleset import Ruleset

LAST: Final = 1_000_000  # the last numbered deal
_NUMBER: Final = re.compile(r"[1-9]\d{0,6}", re.ASCII)

_PACK: Final = bytes(card_of(rank, suit) for rank in RANKS for suit in "CDHS")


def known_deck(ruleset: Ruleset, text: str) -> bytes:
    """Return the deck of a known deal, face up, the first card dealt first.

    Args:
        text: a number of the classic program, or the deck in hexadecimal, as `deal.parse_seed`
            reads it.

    Raises:
        DeckError: there is no deal with this number, or the deck does not fit the game.
        SeedError: the text is neither a number nor a deck.
    """
    deck = numbered_deck(int(text)) if _NUMBER.fullmatch(text) else parse_seed(text)
    if len(deck) == SEED_BYTES:
        raise DeckError("A known deal is a deck, not a seed.")
    check_deck(ruleset, deck)
    return deck


def numbered_deck(number: int) -> bytes:
    """Return the deck of a numbered deal: 52 cards, face up, the first dealt first.

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


def _words(seed: int) -> Iterator[int]:
    """Yield numbers of 15 bits, as `rand` returns them after `srand(seed)`."""
    state = seed
    while True:
        state = (state * 214_013 + 2_531_011) % (1 << 31)
        yield state >> 16
