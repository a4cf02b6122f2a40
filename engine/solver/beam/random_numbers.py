"""Reproducible random numbers."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from functools import cache

from engine.solver.beam.hashes import MASK, mixed


def numbers(values: Iterable[int]) -> array[int]:
    """Return an array of 64-bit integers."""
    return array("q", values)


class Xorshift:
    """A small pseudo-random number generator: Marsaglia's 32-bit xorshift."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def next(self) -> int:
        """Return the next number, from 1 to 2**32 - 1."""
        x = self.state
        x ^= (x << 13) & 0xFFFFFFFF
        x ^= x >> 17
        x ^= (x << 5) & 0xFFFFFFFF
        self.state = x
        return x

    def wide(self) -> int:
        """Return a number of up to 62 bits."""
        return (self.next() << 30 ^ self.next()) & MASK


@cache
def random_numbers(count: int) -> array[int]:
    """Return `count` wide random numbers, always the same."""
    chance = Xorshift(0x9E3779B9)
    # Xorshift is linear: without mixing, one in 2**32 pairs of sets would have the same exclusive
    # or, and two piles the same hash.
    return numbers(mixed(chance.wide()) for _ in range(count))
