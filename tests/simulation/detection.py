"""Seeds whose races detect broken servers."""

from __future__ import annotations

from collections.abc import Callable


def assert_detected(detects: Callable[[int], bool], first: int, *, soon: int, tried: int) -> None:
    """Assert that a seed detects a broken server, and that `first` is not outdated.

    Any change to what happens in a race, such as another game, changes which seeds detect a defect.
    If `first` is far off, every run of the test spends most of its time searching.

    Args:
        first: the seed tried first; the others count up from it.
        soon: a seed has to detect it within this many, counted from `first`.
    """
    found = next(filter(detects, range(first, first + tried)), None)
    assert found is not None, f"none of {tried} seeds from {first} detects it"
    assert found < first + soon, (
        f"the first seed that detects it is {found} now, not {first}: update it"
    )
