"""The shelf: which journals a node holds, and which of them it forgets."""

from __future__ import annotations

import pytest

from server.service import shelf as module
from server.service.shelf import Shelf
from tests.service.nodes import Node, SetClock
from tests.service.test_held import Holder, Words


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a shelf be full soon."""
    monkeypatch.setattr(module, "MOST_USED", 3)
    monkeypatch.setattr(module, "MOST_LOOKED_AT", 2)


class Filled:
    """A shelf, and what it holds."""

    def __init__(self, node: Node, clock: SetClock) -> None:
        self.shelf = Shelf[str, Words, str]()
        self._node = node
        self._clock = clock

    def put(self, *names: str) -> None:
        """Hold journals that were looked at."""
        for name in names:
            held = Holder(self._node, self._clock).held
            assert self.shelf.put(name, held) is held

    def use(self, *names: str) -> None:
        """Hold journals that grow."""
        for name in names:
            self.put(name)
            assert self.shelf.find_to_use(name) is self.shelf.find(name)

    @property
    def names(self) -> str:
        """The names of those that are held, of all that tests use."""
        return "".join(name for name in "abcdefghij" if self.shelf.find(name))


@pytest.fixture
def filled(node: Node, clock: SetClock, few: None) -> Filled:
    return Filled(node, clock)


def test_what_was_not_used_for_longest_is_forgotten(filled: Filled) -> None:
    filled.use("a", "b", "c")
    assert filled.shelf.find_to_use("a") is not None
    filled.use("d")
    assert filled.names == "acd"
    filled.use("e")
    assert filled.names == "ade"


def test_what_is_looked_at_takes_the_place_of_nothing_that_is_used(filled: Filled) -> None:
    filled.use("a", "b", "c")
    filled.put("d", "e", "f", "g")
    assert filled.names == "abcfg"
    for _ in range(3):
        filled.shelf.find("f")
    filled.put("h")
    # A look makes nothing last longer.
    assert filled.names == "abcgh"


def test_what_is_looked_at_and_then_used_is_held_once(filled: Filled) -> None:
    filled.put("a", "b")
    held = filled.shelf.find("a")
    assert filled.shelf.find_to_use("a") is held
    filled.put("c", "d")
    assert filled.names == "acd"
    assert filled.shelf.find("a") is held
    assert filled.shelf.find_to_use("a") is held


def test_a_journal_is_held_once(filled: Filled, node: Node, clock: SetClock) -> None:
    filled.put("a")
    filled.use("b")
    for name in "ab":
        assert filled.shelf.put(name, Holder(node, clock).held) is filled.shelf.find(name)


def test_what_is_not_held_is_not_found(filled: Filled) -> None:
    assert filled.shelf.find("a") is None
    assert filled.shelf.find_to_use("a") is None
    assert filled.names == ""
