"""Known deals: the order of the cards comes from elsewhere, so that anybody may know it.

Such a deal is named by its order, or by its number among those of the classic FreeCell program of
Windows.

Players have known the numbered deals since 1991: 1 to 32,000 in the first programs, and up to
1,000,000 in the later ones, which deal the first 32,000 alike. Of those, all but number 11982 can
be won.

The program shuffles with the `rand` of Microsoft's C library, a linear congruential generator of
15 bits, and takes each card out of a pack in the order AC AD AH AS 2C to KS: the last card left in
the pack takes the place of the one that was taken. It deals round by round, one card to each pile,
as `deal.lay_out` does.
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

LAST: Final = 1_000_000
"""The greatest number of a deal."""

_NUMBER: Final = re.compile(r"[1-9]\d{0,6}", re.ASCII)

_PACK: Final = bytes(card_of(rank, suit) for rank in RANKS for suit in "CDHS")


def known_deck(ruleset: Ruleset, text: str) -> bytes:
    """Return the deck of a known deal, face up, the first card dealt first.

    Args:
        ruleset: the rules that it is to be played by.
        text: a number of the classic program, or the deck in hexadecimal as `deal.parse_seed`
            reads it.

    Raises:
        DeckError: there is no deal of this number, or the deck is not that of the game.
        SeedError: the text is neither.
    """
    deck = numbered_deck(int(text)) if _NUMBER.fullmatch(text) else parse_seed(text)
    if len(deck) == SEED_BYTES:
        raise DeckError("A known deal is a deck, and not a seed.")
    check_deck(ruleset, deck)
    return deck


def numbered_deck(number: int) -> bytes:
    """Return the deck of a numbered deal: 52 cards, face up, the first dealt first.

    Raises:
        DeckError: there is no deal of this number.
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
