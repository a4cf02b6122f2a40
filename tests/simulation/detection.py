"""The seeds by which broken servers are detected."""

from __future__ import annotations

from collections.abc import Callable


def assert_detected(detects: Callable[[int], bool], first: int, *, soon: int, tried: int) -> None:
    """Assert that a seed detects a broken server, and that the one to be tried first is not old.

    Any change of what happens in a race, such as another game, changes what the race of a seed
    detects. The search for another seed then is most of a test's time, each time that it runs.

    Args:
        detects: returns whether a seed does.
        first: the seed that is tried first; the others count up from it.
        soon: the number of seeds, from the first one, of which one has to.
        tried: the number of seeds that are tried.
    """
    found = next(filter(detects, range(first, first + tried)), None)
    assert found is not None, f"no seed of {tried} from {first} on detects it"
    assert found < first + soon, f"the seed to be tried first is {found} now, not {first}"
