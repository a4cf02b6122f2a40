"""The replica cache: which replicas a node keeps, and which of them it evicts."""

from __future__ import annotations

import pytest

from server.service import replica_cache as module
from server.service.replica_cache import ReplicaCache
from tests.service.nodes import Node, SetClock
from tests.service.test_replica import WordJournal, Words


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the bounds of a cache small."""
    monkeypatch.setattr(module, "MAX_USED", 3)
    monkeypatch.setattr(module, "MAX_READ_ONLY", 2)


class Filled:
    """A cache, filled by names."""

    def __init__(self, node: Node, clock: SetClock) -> None:
        self.replicas = ReplicaCache[str, Words, str]()
        self._node = node
        self._clock = clock

    def put(self, *names: str) -> None:
        """Put replicas of journals that were only read."""
        for name in names:
            replica = WordJournal(self._node, self._clock).replica
            assert self.replicas.put(name, replica) is replica

    def use(self, *names: str) -> None:
        """Put replicas of journals that are appended to."""
        for name in names:
            self.put(name)
            assert self.replicas.find_to_append(name) is self.replicas.find(name)

    @property
    def names(self) -> str:
        """The names in the cache, of all that the tests use."""
        return "".join(name for name in "abcdefghij" if self.replicas.find(name))


@pytest.fixture
def filled(node: Node, clock: SetClock, few: None) -> Filled:
    return Filled(node, clock)


def test_the_least_recently_used_replica_is_evicted(filled: Filled) -> None:
    filled.use("a", "b", "c")
    assert filled.replicas.find_to_append("a") is not None
    filled.use("d")
    assert filled.names == "acd"
    filled.use("e")
    assert filled.names == "ade"


def test_read_only_replicas_evict_no_used_ones(filled: Filled) -> None:
    filled.use("a", "b", "c")
    filled.put("d", "e", "f", "g")
    assert filled.names == "abcfg"
    for _ in range(3):
        filled.replicas.find("f")
    filled.put("h")
    # Finding a read-only replica does not make it more recently used.
    assert filled.names == "abcgh"


def test_a_read_only_replica_that_is_then_used_is_cached_once(filled: Filled) -> None:
    filled.put("a", "b")
    replica = filled.replicas.find("a")
    assert filled.replicas.find_to_append("a") is replica
    filled.put("c", "d")
    assert filled.names == "acd"
    assert filled.replicas.find("a") is replica
    assert filled.replicas.find_to_append("a") is replica


def test_a_journal_has_one_replica(filled: Filled, node: Node, clock: SetClock) -> None:
    filled.put("a")
    filled.use("b")
    for name in "ab":
        assert filled.replicas.put(name, WordJournal(node, clock).replica) is filled.replicas.find(
            name
        )


def test_a_journal_that_is_not_cached_is_not_found(filled: Filled) -> None:
    assert filled.replicas.find("a") is None
    assert filled.replicas.find_to_append("a") is None
    assert filled.names == ""
