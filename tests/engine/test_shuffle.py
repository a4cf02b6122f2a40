"""The shuffle is fair: counts over many fixed seeds, for a stable result.

Pearson's chi-square compares the counts with those expected of a fair shuffle. Of all choices of
seeds, one in a thousand would exceed the critical values despite a fair shuffle; these seeds do
not. The words that a draw skips are too rare for counts; the table of bounds in `DEALS.md` tests
them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from math import factorial, sqrt
from statistics import NormalDist

import pytest

from engine.cards import pack
from engine.deal import SEED_BYTES, _below, _words, shuffled
from tests.sizes import SAMPLED, cases

SHUFFLES = 200_000
FIVE = bytes(range(5))
SIGNIFICANCE = 0.001

Choice = Callable[[int, int, Iterator[int]], int]
"""Chooses a card's place from the pack's size, the card's position and the seed's stream."""


def seeds(count: int) -> Iterator[bytes]:
    return (number.to_bytes(SEED_BYTES, "big") for number in range(count))


def critical(freedom: int) -> float:
    """Return the critical value of a chi-square at `SIGNIFICANCE`.

    By Wilson and Hilferty: the cube root of a chi-square over its degrees of freedom is nearly
    normal. From 119 degrees of freedom, the error is below a tenth.
    """
    spread = 2 / (9 * freedom)
    return freedom * (1 - spread + NormalDist().inv_cdf(1 - SIGNIFICANCE) * sqrt(spread)) ** 3


def order_statistic(shuffles: Iterable[bytes], cards: int) -> float:
    """Return the chi-square of the counts of orders, with `cards! - 1` degrees of freedom."""
    found = Counter(shuffles)
    expected = found.total() / factorial(cards)
    missing = (factorial(cards) - len(found)) * expected
    return missing + sum((count - expected) ** 2 / expected for count in found.values())


def place_statistic(shuffles: Iterable[bytes], cards: int) -> float:
    """Return the chi-square of the counts of each card in each place.

    It has `(cards - 1)²` degrees of freedom. Each row and column of the table adds up to the number
    of shuffles, so the cells vary a little more than independent ones: the factor corrects that.
    """
    found = Counter(place for order in shuffles for place in enumerate(order))
    expected = found.total() / cards**2
    missing = (cards**2 - len(found)) * expected
    total = missing + sum((count - expected) ** 2 / expected for count in found.values())
    return total * (cards - 1) / cards


def shuffled_by(choice: Choice, cards: bytes, seed: bytes) -> bytes:
    """Shuffle cards like `shuffled`, but with another choice of places."""
    order = bytearray(cards)
    words = _words(seed)
    for last in range(len(order) - 1, 0, -1):
        other = choice(len(order), last, words)
        order[last], order[other] = order[other], order[last]
    return bytes(order)


def fair(_: int, last: int, words: Iterator[int]) -> int:
    return _below(last + 1, words)


def few_bits(_: int, last: int, words: Iterator[int]) -> int:
    return next(words) % 16 % (last + 1)


def never_itself(_: int, last: int, words: Iterator[int]) -> int:
    return _below(last, words)


def anywhere(size: int, _: int, words: Iterator[int]) -> int:
    return _below(size, words)


BIASED = pytest.mark.parametrize("choice", [few_bits, never_itself, anywhere])


@SAMPLED
def test_every_order_of_five_cards_is_equally_likely() -> None:
    found = order_statistic((shuffled(FIVE, seed) for seed in seeds(SHUFFLES // cases(10, 1))), 5)
    assert found < critical(factorial(5) - 1)


@SAMPLED
def test_every_card_reaches_every_place_equally_often() -> None:
    found = place_statistic(
        (shuffled(pack(1), seed) for seed in seeds(SHUFFLES // cases(40, 10))), 52
    )
    assert found < critical(51**2)


@BIASED
def test_a_biased_order_is_found(choice: Choice) -> None:
    """A tenth of the shuffles is enough."""
    orders = (shuffled_by(choice, FIVE, seed) for seed in seeds(SHUFFLES // 10))
    assert order_statistic(orders, 5) > critical(factorial(5) - 1)


@BIASED
def test_a_biased_place_is_found(choice: Choice) -> None:
    orders = (shuffled_by(choice, pack(1), seed) for seed in seeds(SHUFFLES // 100))
    assert place_statistic(orders, 52) > critical(51**2)


def test_the_biased_shuffles_differ_only_in_their_choice() -> None:
    for seed in seeds(20):
        assert shuffled_by(fair, pack(2), seed) == shuffled(pack(2), seed)


@pytest.mark.parametrize(("freedom", "value"), [(119, 172.42), (2601, 2829.59)])
def test_the_critical_values_match_published_tables(freedom: int, value: float) -> None:
    assert critical(freedom) == pytest.approx(value, abs=0.1)
