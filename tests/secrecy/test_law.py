"""The secrecy law holds for random scripts, and servers that break it are detected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings

from tests.secrecy import broken
from tests.secrecy.clients import SCRIPTS, Script, script_of
from tests.secrecy.law import LeakError, check
from tests.simulation.detection import assert_detected
from tests.simulation.race import conditions

EXAMPLES = 4
"""Scripts, each compared for five viewers. `make secrecy` runs any number."""

SEALED = script_of(9, 40)
"""A script with a challenge on a race's deal and an attempt to watch the race."""

MAX_SCRIPTS = 30
"""Scripts within which a broken server must be detected."""

SOON = 10
"""Scripts tried before its known seed counts as outdated."""


@pytest.fixture(autouse=True, scope="module")
def quick() -> Iterator[None]:
    """Run all servers under the simulation's conditions."""
    with conditions():
        yield


def test_messages_do_not_depend_on_unseen_cards() -> None:
    counts: Counter[str] = Counter()

    @settings(max_examples=EXAMPLES, deadline=None, derandomize=True)
    @given(SCRIPTS)
    @example(SEALED)
    def hold(script: Script) -> None:
        check(script, counts)

    hold()
    assert counts["sealed again"] > 0
    # Most viewers are compared, and some up to a card that is shown.
    assert counts["compared"] > 3 * EXAMPLES
    assert 0 < counts["compared to the end"] < counts["compared"]
    assert counts["frames"] > 10 * counts["compared"]


@pytest.mark.parametrize("way", broken.BROKEN, ids=lambda way: str(way.__name__))
def test_a_broken_server_is_detected(way: Callable[[], Any]) -> None:
    with way():
        assert_detected(_is_broken, broken.BROKEN[way], soon=SOON, tried=MAX_SCRIPTS)


def _is_broken(seed: int) -> bool:
    try:
        check(script_of(seed, 40), Counter())
    except LeakError:
        return True
    return False
