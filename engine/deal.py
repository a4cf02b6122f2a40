"""Deals: a secret seed determines the order of the pack, and thus the board. See `DEALS.md`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from struct import unpack

from engine.board import Board
from engine.cards import PACK_SIZE, Pile, card_name, card_of, turned_down, turned_up
from engine.errors import DealIdError, DeckError, SeedError
from engine.ruleset import Ruleset
from engine.schema import Reserve, Tableau, dealt_down

SEED_BYTES = 32
_STREAM_LABEL = b"samedeal deal 1"
_COMMITMENT_LABEL = b"samedeal commitment 1"
_WORD = 1 << 32
_SEED = re.compile(r"[0-9a-f]{64}|(?:[0-9a-f]{104}){1,2}", re.ASCII)


def parse_seed(text: str) -> bytes:
    """Return a seed written in hexadecimal: 32 bytes, or a known deal's deck, a byte per card.

    Raises:
        SeedError: `text` is neither 64 lower-case hexadecimal digits nor a deck of face-up cards.
    """
    if not _SEED.fullmatch(text):
        raise SeedError("A seed is 64 lower-case hexadecimal digits.")
    seed = bytes.fromhex(text)
    if len(seed) != SEED_BYTES and max(seed) >= PACK_SIZE:
        raise SeedError("A known deal has two lower-case hexadecimal digits for each card.")
    return seed


def commitment(deal_id: str, seed: bytes) -> str:
    """Return the commitment to publish before a deal is played.

    It is the SHA-256 over the deal's id and seed, as 64 lower-case hexadecimal digits.

    Raises:
        DealIdError: the id cannot be encoded in UTF-8.
    """
    try:
        name = deal_id.encode()
    except UnicodeEncodeError as error:
        raise DealIdError("A deal's id must be valid Unicode text.") from error
    return sha256(_COMMITMENT_LABEL + b"\0" + name + b"\0" + seed).hexdigest()


# Everyone gets the same deal, so that it is shuffled once for all its players.
@lru_cache(maxsize=1_024)
def shuffled(cards: bytes, seed: bytes) -> bytes:
    """Return `cards` shuffled by the seed: Fisher-Yates, from the last index down."""
    order = bytearray(cards)
    words = _words(seed)
    for last in range(len(order) - 1, 0, -1):
        other = _below(last + 1, words)
        order[last], order[other] = order[other], order[last]
    return bytes(order)


def _words(seed: bytes) -> Iterator[int]:
    """Yield 32-bit big-endian words from the seed: SHA-256 in counter mode."""
    counter = 0
    while True:
        block = sha256(_STREAM_LABEL + b"\0" + seed + counter.to_bytes(8, "big")).digest()
        yield from unpack(">8I", block)
        counter += 1


def _below(limit: int, words: Iterator[int]) -> int:
    """Return an unbiased number below `limit`."""
    # Words beyond the greatest multiple of `limit` are skipped: they would favour small numbers.
    bound = _WORD - _WORD % limit
    while (word := next(words)) >= bound:
        pass
    return word % limit


def deal_seed(ruleset: Ruleset, seed: bytes) -> Board:
    """Return the initial board for a seed of 32 bytes, or for the deck of a known deal.

    Raises:
        DeckError: the deck is not exactly the packs of this game.
    """
    if len(seed) == SEED_BYTES:
        return _lay_out(ruleset, shuffled(ruleset.pack, seed))
    return lay_out(ruleset, seed)


def lay_out(ruleset: Ruleset, deck: bytes) -> Board:
    """Return the initial board for a deck.

    Args:
        deck: all cards, face up, the first dealt first. Cards that the rules lay out on foundations
            beforehand are skipped wherever they are.

    Raises:
        DeckError: the deck is not exactly the packs of this game.
    """
    check_deck(ruleset, deck)
    return _lay_out(ruleset, deck)


def _lay_out(ruleset: Ruleset, deck: bytes) -> Board:
    piles: list[Pile] = [b""] * len(ruleset.pile_names)
    rest = bytearray(deck)
    for pile, rank, suit in ruleset.laid_out_suits():
        card = card_of(rank, suit)
        rest.remove(card)
        piles[pile] = bytes((card,))
    cards = iter(rest)
    for pile, group in enumerate(ruleset.groups):
        if group.setup == "dealt":
            piles[pile] = bytes((next(cards),))
    rules = ruleset.rules
    for part, numbers in ((rules.reserve, ruleset.reserve), (rules.tableau, ruleset.tableau)):
        if part is not None:
            _deal_rounds(piles, numbers, part, cards)
    stock = turned_down(bytes(cards)[::-1])
    if ruleset.rules.stock.top == "up":
        stock = stock[:-1] + turned_up(stock[-1:])
    piles[ruleset.stock] = stock
    return Board(ruleset, tuple(piles))


def _deal_rounds(
    piles: list[Pile], numbers: range, part: Reserve | Tableau, cards: Iterator[int]
) -> None:
    """Deal a part of the layout in rounds of one card to each incomplete pile."""
    for round_ in range(max(part.deal)):
        for pile, size in zip(numbers, part.deal, strict=True):
            if size > round_:
                piles[pile] += bytes((next(cards),))
    for pile, hidden in zip(numbers, dealt_down(part), strict=True):
        piles[pile] = turned_down(piles[pile][:hidden]) + piles[pile][hidden:]


def check_deck(ruleset: Ruleset, cards: bytes) -> None:
    """Check that `cards`, all face up and in any order, are exactly the packs of this game.

    Raises:
        DeckError: a card is missing or occurs too often.
    """
    wanted = Counter(ruleset.pack)
    found = Counter(cards)
    if found != wanted:
        wrong = next(iter((wanted - found) | (found - wanted)))
        raise DeckError(
            f"{ruleset.game} needs {ruleset.total} cards with {wanted[wrong]} of "
            f"{card_name(wrong)}; this deck has {len(cards)} with {found[wrong]}."
        )
