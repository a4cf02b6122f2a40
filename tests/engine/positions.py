"""Boards for tests, specified by the piles that matter; the other cards are put out of the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from engine.board import Board, View
from engine.cards import (
    DOWN,
    RANKS,
    UNSEEN,
    Pile,
    card_name,
    card_of,
    parse_card,
    pile_names,
    rank_of,
)
from engine.catalog import games
from engine.deal import deal_seed, lay_out
from engine.moves import legal_moves
from engine.notation import move_text, parse_move
from engine.play import play
from engine.position import parse_position
from engine.ruleset import Ruleset
from tests.relatives import RELATED, find_ruleset

VARIANTS = [(game.id, variant) for game in games().values() for variant in game.variants]
"""(game, variant) of every game of the catalogue in every variant."""

ALL = [*VARIANTS, *RELATED]
"""`VARIANTS` and the relatives' games and variants."""

SEED = bytes(range(32))
"""A seed for tests that do not depend on the deal."""


def face_down(board: Board) -> int:
    """Return how many cards lie face down, seen or unseen."""
    return sum(1 for pile in board.piles for card in pile if card & DOWN)


def sequence(first: str, last: str) -> list[str]:
    """Return the cards of one suit from rank `first` up to the card `last`, with wrap-around."""
    start, end = RANKS.index(first), RANKS.index(last[0])
    return [RANKS[(start + step) % 13] + last[1] for step in range((end - start) % 13 + 1)]


def run_down(first: str, other: str, length: int = 13) -> str:
    """Return a run down from the card `first` as text; every second card is of suit `other`."""
    start = RANKS.index(first[0])
    return " ".join(RANKS[start - step] + (first[1], other)[step % 2] for step in range(length))


def position(
    game: str, variant: str = "standard", *, redeals: int = 0, rest: str = "", **piles: str
) -> dict[str, Any]:
    """Return a position with these piles, each a text of cards from bottom to top.

    A foundation with a fixed first rank may be given by its top card alone. The other cards go
    under those of the pile `rest`; without it, to the bottom of the stock as far as there is room,
    then under the last tableau pile given.
    """
    rules = find_ruleset(game, variant)
    found = {name: _cards(rules, name, piles.pop(name, "")) for name in rules.pile_names}
    assert not piles, f"{game} has no piles {piles}"
    spare = _spare(rules, found)
    if not rest:
        room = _room(rules, found, len(spare))
        found["s"] = spare[:room] + found["s"]
        spare = spare[room:]
    if spare:
        rest = rest or max(name for name in found if name.startswith("t") and found[name])
        found[rest] = _set_apart(rules, spare, found[rest]) + found[rest]
    up = -1 if rules.rules.stock.top == "up" else len(found["s"])
    found["s"] = [f"?{card}" for card in found["s"][:up]] + found["s"][up:]
    return {"game": game, "variant": variant, "redeals": redeals, "piles": found}


def board(game: str, variant: str = "standard", **given: Any) -> Board:
    return parse_position(position(game, variant, **given), find_ruleset)


def _cards(rules: Ruleset, name: str, text: str) -> list[str]:
    """Return the cards of a pile, completing a foundation given by its top card."""
    laid_out = {rules.pile_names[pile]: rank + suit for pile, rank, suit in rules.laid_out_suits()}
    cards = (text or laid_out.get(name, "")).split()
    first = rules.groups[rules.pile_numbers[name]].first if name.startswith("f") else "any"
    return sequence(first, cards[0]) if len(cards) == 1 and first not in ("any", "same") else cards


def _spare(rules: Ruleset, found: Mapping[str, list[str]]) -> list[str]:
    """Return the cards in no pile, in the order of an unshuffled pack."""
    held = Counter(card.strip("?") for cards in found.values() for card in cards)
    whole = Counter(map(card_name, rules.pack))
    assert held <= whole, f"too often: {held - whole}"
    return sorted((whole - held).elements(), key=parse_card)


def _room(rules: Ruleset, found: Mapping[str, list[str]], spare: int) -> int:
    """Return how many spare cards fit in the stock; with rows, whole rows must remain."""
    room = len(dealt(rules.game, rules.variant).piles[rules.stock]) - len(found["s"])
    row = len(rules.tableau) if "row" in rules.rules.stock.plays else rules.turns_to_waste
    return next((size for size in range(room, -1, -row) if size <= spare), 0)


def _set_apart(rules: Ruleset, spare: list[str], over: list[str]) -> list[str]:
    """Return the spare cards, rotated so that the cards above do not continue a run."""
    if rules.moves_runs and over and "?" not in over[0]:
        while rules.builds[parse_card(spare[-1])][parse_card(over[0])]:
            spare = spare[-1:] + spare[:-1]
    return spare


def dealt(game: str, variant: str = "standard") -> Board:
    return deal_seed(find_ruleset(game, variant), SEED)


def easy_deck(rules: Ruleset) -> bytes:
    """Return a deck in the order of the foundations.

    It is easily won, unless runs leave the tableau automatically.
    """
    laid_out = {card_of(rank, suit) for _, rank, suit in rules.laid_out_suits()}
    cards = sorted(rules.pack, key=lambda card: card not in laid_out)
    if rules.pairs:
        # Low cards, then the Kings, then the partners of the low cards, which stock and waste hold.
        cards.sort(key=lambda card: rank_of(card) if rank_of(card) < 6 else 18 - rank_of(card))
    if any(group.order == "either" and not group.wrap for group in rules.groups):
        cards = _there_and_back(cards)
    first = sum(group.setup == "dealt" for group in rules.groups)
    last = rules.total - rules.in_stock
    at_once = rules.turns_to_waste
    stock = [cards[at : at + at_once][::-1] for at in range(last, rules.total, at_once)]
    return bytes(cards[:first] + cards[first:last][::-1] + [c for deal in stock for c in deal])


def _there_and_back(cards: list[int]) -> list[int]:
    suits = [cards[at : at + 13] for at in range(0, len(cards), 13)]
    return [card for nth, suit in enumerate(suits) for card in suit[:: (1, -1)[nth % 2]]]


def easy_board(rules: Ruleset) -> Board:
    return lay_out(rules, easy_deck(rules))


def is_view_pile(pile: Pile) -> bool:
    """Return whether every face-down card of a pile is `UNSEEN`."""
    return all(card == UNSEEN or not card & DOWN for card in pile)


def legal(layout: Board | View) -> list[str]:
    return sorted(move_text(layout.ruleset, move) for move in legal_moves(layout))


def moves_of(layout: Board, source: str) -> list[str]:
    """Return the texts of the legal moves from one pile, sorted."""
    return [move for move in legal(layout) if move.split(">")[0] == source]


def moves_to(layout: Board, target: str) -> list[str]:
    """Return the texts of the legal moves to one pile, sorted."""
    return [move for move in legal(layout) if move.split(">")[1].split("x")[0] == target]


def after(layout: Board, *moves: str) -> Board:
    """Return the board after the moves.

    Raises:
        EngineError: one is malformed or not legal where it is played.
    """
    for move in moves:
        layout, _ = play(layout, parse_move(layout.ruleset, move))
    return layout


def shown(layout: Board, pile: str) -> str:
    """Return the cards of a pile in text, bottom to top."""
    return " ".join(pile_names(layout.piles[layout.ruleset.pile_numbers[pile]]))


def sizes(layout: Board, kind: str) -> list[int]:
    """Return the number of cards in each pile of a kind: `f`, `t`, `s` or `w`."""
    names = layout.ruleset.pile_names
    return [
        len(pile) for name, pile in zip(names, layout.piles, strict=True) if name.startswith(kind)
    ]
