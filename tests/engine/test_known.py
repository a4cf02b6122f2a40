"""The numbered deals, compared with widely printed ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.cards import parse_pile
from engine.catalog import ruleset
from engine.deal import deal_seed, lay_out, parse_seed
from engine.errors import DeckError, EngineError, SeedError
from engine.known import LAST, known_deck, numbered_deck

PRINTED = {
    1: """
        JD 2D 9H JC 5D 7H 7C 5H
        KD KC 9S 5S AD QC KH 3H
        2S KS 9D QD JS AS AH 3C
        4C 5C TS QH 4H AC 4D 7S
        3S TD 4S TH 8H 2C JH 7D
        6D 8S 8D QS 6C 3D 8C TC
        6S 9C 2H 6H
    """,
    617: """
        7D AD 5C 3S 5S 8C 2D AH
        TD 7S QD AC 6D 8H AS KH
        TH QC 3H 9D 6S 8D 3D TC
        KD 5H 9S 3C 8S 7H 4D JS
        4C QS 9C 9H 7C 6H 2C 2S
        4S TS 2H 5D JC 6C JH QH
        JD KS KC 4H
    """,
    11982: """
        AH AS 4H AC 2D 6S TS JS
        3D 3H QS QC 8S 7H AD KS
        KD 6H 5S 4D 9H JH 9S 3C
        JC 5D 5C 8C 9D TD KH 7C
        6C 2C TH QH 6D TC 4S 7S
        JD 7D 8H 9C 2H QD 4C 5H
        KC 8D 2S 3S
    """,
}


VECTORS = Path(__file__).parent.parent / "vectors" / "known.json"
"""Known deals as the named programs deal them, and refusals. The client is tested with the same."""


@pytest.mark.parametrize("entry", json.loads(VECTORS.read_text(encoding="utf-8")))
def test_known_deals_are_those_of_the_named_programs(entry: dict[str, Any]) -> None:
    rules = ruleset(entry["game"])
    if "deck" in entry:
        assert known_deck(rules, entry["known"]) == parse_pile(entry["deck"].split())
        return
    with pytest.raises(EngineError) as refused:
        known_deck(rules, entry["known"])
    assert refused.value.code == entry["code"]


@pytest.mark.parametrize("number", PRINTED)
def test_deals_match_those_of_the_program(number: int) -> None:
    assert numbered_deck(number) == parse_pile(PRINTED[number].split())


def test_every_number_deals_a_different_pack() -> None:
    numbers = [*range(1, 50), 32_000, 32_001, 65_537, LAST]
    decks = [numbered_deck(number) for number in numbers]
    assert all(sorted(deck) == list(range(52)) for deck in decks)
    assert len(set(decks)) == len(decks)


@pytest.mark.parametrize("number", [0, -1, LAST + 1])
def test_other_numbers_are_refused(number: int) -> None:
    with pytest.raises(DeckError, match="from 1 to 8589934591"):
        numbered_deck(number)


def test_a_known_deal_is_a_number_or_a_deck_of_the_game() -> None:
    freecell, robert = ruleset("freecell"), ruleset("robert")
    deck = numbered_deck(11982)
    assert known_deck(freecell, "11982") == known_deck(robert, deck.hex()) == deck
    assert known_deck(ruleset("spider"), ruleset("spider").pack.hex()) == ruleset("spider").pack


@pytest.mark.parametrize("text", ["x", "00" * 31, "0A" * 52, "34" * 52])
def test_an_invalid_known_deal_is_refused(text: str) -> None:
    with pytest.raises(SeedError):
        known_deck(ruleset("freecell"), text)


@pytest.mark.parametrize(
    ("game", "text"),
    [("freecell", "00" * 32), ("robert", "00" * 52)],
)
def test_a_known_deal_of_other_cards_is_refused(game: str, text: str) -> None:
    with pytest.raises(DeckError):
        known_deck(ruleset(game), text)


def test_the_seed_of_a_known_deal_is_its_deck() -> None:
    rules, deck = ruleset("freecell"), numbered_deck(1)
    assert deal_seed(rules, parse_seed(deck.hex())) == lay_out(rules, deck)
