"""Deals: the examples in DEALS.md, a second implementation of it, bad decks, and verification."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import count, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import pack, parse_pile, pile_names
from engine.catalog import ruleset
from engine.deal import (
    SEED_BYTES,
    _below,
    _words,
    check_deck,
    commitment,
    deal_seed,
    lay_out,
    parse_seed,
    shuffled,
)
from engine.errors import CommitmentError, DeckError, SeedError
from engine.verify import Verification, verify
from tests.engine.markdown import Row, table
from tests.engine.positions import SEED, VARIANTS, dealt, easy_deck, shown

SEEDS = st.binary(min_size=SEED_BYTES, max_size=SEED_BYTES)


@pytest.mark.parametrize("row", table("DEALS.md", "seed", "stream", "one pack", "two packs"))
def test_streams_and_packs_match_deals_md(row: Row) -> None:
    seed = parse_seed(row["seed"])
    words = row["stream"].split()
    assert [f"{word:08x}" for word in islice(_words(seed), len(words))] == words
    for packs, column in ((1, "one pack"), (2, "two packs")):
        cards = row[column].split()
        assert pile_names(shuffled(pack(packs), seed))[: len(cards)] == cards


@pytest.mark.parametrize("row", table("DEALS.md", "below", "skipped from"))
def test_bounds_of_draws_match_deals_md(row: Row) -> None:
    below = int(row["below"])
    highest = 2**32 - 1
    bound = highest + 1 if row["skipped from"] == "none" else int(row["skipped from"], 16)
    assert _below(below, iter([bound - 1])) == below - 1
    for skipped in range(bound, highest + 1):
        assert _below(below, iter([skipped, highest, below + 1])) == 1


@pytest.mark.parametrize("row", table("DEALS.md", "deal id", "seed", "commitment"))
def test_commitments_match_deals_md(row: Row) -> None:
    assert commitment(row["deal id"], parse_seed(row["seed"])) == row["commitment"]


@pytest.mark.parametrize("row", table("DEALS.md", "game", "pile", "cards"))
def test_piles_match_deals_md(row: Row) -> None:
    cards = shown(dealt(row["game"]), row["pile"])
    if row["cards"].startswith("… "):
        assert cards.endswith(row["cards"].removeprefix("…"))
    else:
        assert cards == row["cards"]


def shuffled_by_the_page(seed: bytes, packs: int) -> list[str]:
    """Shuffle the pack with an implementation of DEALS.md that shares no code."""
    numbers = []
    for block in count():
        message = b"samedeal deal 1" + bytes(1) + seed + block.to_bytes(8, "big")
        digest = hashlib.sha256(message).digest()
        numbers += [int.from_bytes(digest[at : at + 4], "big") for at in range(0, 32, 4)]
        if len(numbers) > 52 * packs * 2:
            break
    cards = [rank + suit for suit in "SHDC" for rank in "A23456789TJQK"] * packs
    for place in reversed(range(1, len(cards))):
        choices = place + 1
        while numbers[0] >= 2**32 // choices * choices:
            del numbers[0]
        other = numbers.pop(0) % choices
        cards[place], cards[other] = cards[other], cards[place]
    return cards


@given(SEEDS, st.sampled_from([1, 2]))
def test_an_implementation_from_deals_md_alone_gives_the_same_pack(seed: bytes, packs: int) -> None:
    assert pile_names(shuffled(pack(packs), seed)) == shuffled_by_the_page(seed, packs)


@given(SEEDS, st.sampled_from(VARIANTS))
def test_a_shuffle_is_the_whole_pack_and_depends_on_the_seed_alone(
    seed: bytes, variant: tuple[str, str]
) -> None:
    rules = ruleset(*variant)
    cards = rules.pack
    deck = shuffled(cards, seed)
    assert Counter(deck) == Counter(cards)
    assert shuffled(cards, seed) == deck
    assert deal_seed(rules, seed) == lay_out(rules, deck)


@given(SEEDS, st.text(st.characters(codec="utf-8")))
def test_a_commitment_is_a_hash_over_id_and_seed(seed: bytes, deal_id: str) -> None:
    message = b"samedeal commitment 1\0" + deal_id.encode() + b"\0" + seed
    assert commitment(deal_id, seed) == hashlib.sha256(message).hexdigest()


@given(SEEDS)
def test_a_seed_is_read_back(seed: bytes) -> None:
    assert parse_seed(seed.hex()) == seed


@pytest.mark.parametrize(
    "text",
    ["", "00", "0" * 63, "0" * 65, "F" * 64, "g" * 64, "0" * 64 + "\n", "\u0660" * 64, " " * 64],
)
def test_a_malformed_seed_is_refused(text: str) -> None:
    with pytest.raises(SeedError):
        parse_seed(text)


@pytest.mark.parametrize(("game", "variant"), VARIANTS)
@pytest.mark.parametrize("change", ["empty", "short", "long", "twice", "face down"])
def test_a_deck_other_than_the_games_pack_is_refused(game: str, variant: str, change: str) -> None:
    rules = ruleset(game, variant)
    deck = shuffled(easy_deck(rules), SEED)
    bad = {
        "empty": b"",
        "short": deck[1:],
        "long": deck + deck[:1],
        "twice": deck[1:2] * 3 + deck[3:],
        "face down": bytes([deck[0] | 0x40]) + deck[1:],
    }[change]
    with pytest.raises(DeckError):
        lay_out(rules, bad)


def test_the_refusal_of_a_deck_names_the_wrong_card() -> None:
    rules = ruleset("robert")
    with pytest.raises(DeckError, match="needs 52 cards with 1 of KC; this deck has 52 with 0"):
        check_deck(rules, parse_pile(["AS"]) + pack(1)[:51])
    for name, card in (("AS", b"\0"), ("KC", b"\x33")):
        with pytest.raises(DeckError, match=f"with 1 of {name}; this deck has 53 with 2"):
            check_deck(rules, pack(1) + card)


ROBERT = ruleset("robert")
PUBLISHED = commitment("deal", SEED)


def test_a_deal_matching_its_commitment_is_verified() -> None:
    dealt = deal_seed(ROBERT, SEED)
    assert verify(ROBERT, "deal", SEED.hex(), PUBLISHED) == Verification(True, PUBLISHED, dealt)


@pytest.mark.parametrize(("deal_id", "seed"), [("deal", bytes(32)), ("other", SEED)])
def test_another_seed_or_deal_fails_verification(deal_id: str, seed: bytes) -> None:
    found = verify(ROBERT, deal_id, seed.hex(), PUBLISHED)
    assert found == Verification(False, commitment(deal_id, seed), deal_seed(ROBERT, seed))


@pytest.mark.parametrize("text", ["", "0" * 63, "0" * 65, "A" * 64, "g" * 64, "0" * 64 + "\n"])
def test_a_malformed_commitment_or_seed_is_refused(text: str) -> None:
    with pytest.raises(CommitmentError):
        verify(ROBERT, "deal", SEED.hex(), text)
    with pytest.raises(SeedError):
        verify(ROBERT, "deal", text, PUBLISHED)
