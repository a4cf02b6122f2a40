"""Cards and piles: their notation, and turning them over."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import (
    DOWN,
    PACK_SIZE,
    RANKS,
    SUITS,
    UNSEEN,
    card_name,
    is_red,
    pack,
    parse_card,
    parse_pile,
    pile_names,
    rank_of,
    seen,
    suit_of,
    turned_down,
    turned_up,
)
from engine.errors import CardError

CARDS = st.integers(0, PACK_SIZE - 1)
PILES = st.lists(st.tuples(CARDS, st.booleans())).map(
    lambda cards: bytes(card | (DOWN if down else 0) for card, down in cards)
)


def test_every_card_is_its_rank_and_suit() -> None:
    names = [card_name(card) for card in range(PACK_SIZE)]
    assert names == [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"]
    assert [parse_card(name) for name in names] == list(range(PACK_SIZE))
    assert [RANKS[rank_of(c)] + suit_of(c) for c in range(PACK_SIZE)] == names


def test_hearts_and_diamonds_are_red() -> None:
    assert [suit for suit in SUITS if is_red(parse_card(f"7{suit}"))] == ["H", "D"]


@pytest.mark.parametrize("packs", [1, 2])
def test_a_pack_holds_each_card_once(packs: int) -> None:
    assert sorted(pack(packs)) == sorted([*range(PACK_SIZE)] * packs)
    assert card_name(pack(packs)[0]) == "AS"
    assert card_name(pack(packs)[-1]) == "KC"


@pytest.mark.parametrize(
    "text",
    ["", "T", "TX", "XH", "10H", "th", "HT", "TH ", "?TH", "??", "TH\n", "\ud800", "1H", "TН"],  # noqa: RUF001
)
def test_a_malformed_card_is_refused(text: str) -> None:
    with pytest.raises(CardError):
        parse_card(text)


@pytest.mark.parametrize("text", ["?", "??", "??TH", "?th", ""])
def test_a_malformed_card_of_a_pile_is_refused(text: str) -> None:
    with pytest.raises(CardError):
        parse_pile(["TH", text])


@given(PILES)
def test_a_pile_parses_back(pile: bytes) -> None:
    assert parse_pile(pile_names(pile)) == pile


@given(PILES)
def test_a_seen_pile_shows_only_face_up_cards(pile: bytes) -> None:
    assert list(seen(pile)) == [UNSEEN if card & DOWN else card for card in pile]
    assert pile_names(seen(pile)) == [
        "??" if name.startswith("?") else name for name in pile_names(pile)
    ]
    assert seen(seen(pile)) == seen(pile)


@given(PILES)
def test_turned_piles_are_all_face_up_or_all_face_down(pile: bytes) -> None:
    assert all(card & DOWN for card in turned_down(pile))
    assert turned_up(turned_down(pile)) == turned_up(pile)
    assert not any(card & DOWN for card in turned_up(pile))
