"""Deals: from a secret seed to a pack's order to a board. `DEALS.md` says it in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256

from engine.board import Board
from engine.cards import Pile, card_name, card_of, pack, turned_down, turned_up
from engine.errors import DealIdError, DeckError, SeedError
from engine.ruleset import Ruleset

SEED_BYTES = 32
_STREAM_LABEL = b"samedeal deal 1"
_COMMITMENT_LABEL = b"samedeal commitment 1"
_WORD = 1 << 32


def parse_seed(text: str) -> bytes:
    """Return the seed written in hexadecimal.

    Raises:
        SeedError: it is not 64 lower-case hexadecimal digits.
    """
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        raise SeedError("A seed is 64 lower-case hexadecimal digits.")
    return bytes.fromhex(text)


def commitment(deal_id: str, seed: bytes) -> str:
    """Return what is published before a deal is played: SHA-256 over its id and seed, in hex.

    Raises:
        DealIdError: the id cannot be written in UTF-8.
    """
    try:
        name = deal_id.encode()
    except UnicodeEncodeError as error:
        raise DealIdError("A deal's id is text that UTF-8 can write.") from error
    return sha256(_COMMITMENT_LABEL + b"\0" + name + b"\0" + seed).hexdigest()


def shuffled(cards: bytes, seed: bytes) -> bytes:
    """Return `cards` in the order that the seed gives: Fisher-Yates, from the last place down."""
    order = bytearray(cards)
    words = _words(seed)
    for last in range(len(order) - 1, 0, -1):
        other = _below(last + 1, words)
        order[last], order[other] = order[other], order[last]
    return bytes(order)


def _words(seed: bytes) -> Iterator[int]:
    """Yield the seed's stream as 32-bit big-endian words, from SHA-256 in counter mode."""
    counter = 0
    while True:
        block = sha256(_STREAM_LABEL + b"\0" + seed + counter.to_bytes(8, "big")).digest()
        for at in range(0, len(block), 4):
            yield int.from_bytes(block[at : at + 4], "big")
        counter += 1


def _below(limit: int, words: Iterator[int]) -> int:
    """Return an unbiased number below `limit`: words beyond its last whole multiple are skipped."""
    bound = _WORD - _WORD % limit
    return next(word for word in words if word < bound) % limit


def deal_seed(ruleset: Ruleset, seed: bytes) -> Board:
    """Return the board that a seed deals."""
    return lay_out(ruleset, shuffled(pack(ruleset.rules.packs), seed))


def lay_out(ruleset: Ruleset, deck: bytes) -> Board:
    """Return the board at the start, from the cards in the order in which they are dealt.

    Raises:
        DeckError: the deck is not the packs of this game.
    """
    check_deck(ruleset, deck)
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
    _deal_tableau(ruleset, piles, cards)
    stock = turned_down(bytes(cards)[::-1])
    if ruleset.rules.stock.top == "up":
        stock = stock[:-1] + turned_up(stock[-1:])
    piles[ruleset.stock] = stock
    return Board(ruleset, tuple(piles))


def _deal_tableau(ruleset: Ruleset, piles: list[Pile], cards: Iterator[int]) -> None:
    """Deal round by round: each round one card to each pile that is to get more."""
    tableau = ruleset.rules.tableau
    if tableau is None:
        return
    for round_ in range(max(tableau.deal)):
        for pile, size in zip(ruleset.tableau, tableau.deal, strict=True):
            if size > round_:
                piles[pile] += bytes((next(cards),))
    if tableau.face_up != "all":
        for pile in ruleset.tableau:
            hidden = max(0, len(piles[pile]) - tableau.face_up)
            piles[pile] = turned_down(piles[pile][:hidden]) + piles[pile][hidden:]


def check_deck(ruleset: Ruleset, cards: bytes) -> None:
    """Check that `cards`, all face up, are the packs of this game.

    Raises:
        DeckError: a card is missing or stands too often.
    """
    wanted = Counter(pack(ruleset.rules.packs))
    found = Counter(cards)
    if found != wanted:
        wrong = next(iter((wanted - found) | (found - wanted)))
        raise DeckError(
            f"{ruleset.game} is played with {ruleset.total} cards, {card_name(wrong)} "
            f"{wanted[wrong]} times; here are {len(cards)}, and {found[wrong]} of that."
        )
