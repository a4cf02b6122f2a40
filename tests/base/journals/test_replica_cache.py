"""The replica cache: the replicas a node keeps and evicts."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any, cast

import msgspec
import pytest
from msgspec.structs import replace as replace_struct

from engine.catalog import games, ruleset
from engine.deal import deal_seed
from engine.moves import legal_moves
from server.base.core.ids import DealId, PlayerId, attempt_id
from server.base.core.quota import HOUR
from server.base.journals.cache import ReplicaCache
from server.base.journals.replica import EMPTY_SIZE, Replica
from server.deals.store import Deal
from server.play.core.attempt import Attempt, begin, play
from server.play.core.attempt import Event as AttemptEvent
from server.play.core.result import Help
from server.play.journal import AttemptDefinition
from server.rooms.core.commands import finish, set_ready, start, take_seat
from server.rooms.core.events import Event as RoomEvent
from server.rooms.journal import RoomDefinition
from tests.base.journals.test_replica import SIZE, WordJournal, Words
from tests.builders import ADA, CODE, DEAL, LIMIT, START, opened, reached, started, then
from tests.nodes import Node, SetClock
from tests.sizes import SAMPLED, cases
from tests.traced import traced


class _Filled:
    """A cache, filled by names."""

    def __init__(self, node: Node, clock: SetClock) -> None:
        self.replicas = ReplicaCache[str, Words, str](3 * EMPTY_SIZE, 2 * EMPTY_SIZE)
        self._node = node
        self._clock = clock

    def put(self, *names: str) -> None:
        """Add replicas of journals that are only read."""
        for name in names:
            replica = WordJournal(self._node, self._clock).replica
            assert self.replicas.put(name, replica) is replica

    def use(self, *names: str) -> None:
        """Add replicas of journals that are appended to."""
        for name in names:
            self.put(name)
            assert self.replicas.find_to_append(name) is self.replicas.known(name)

    @property
    def names(self) -> str:
        return "".join(name for name in "abcdefghij" if self.replicas.known(name))


@pytest.fixture
def filled(node: Node, clock: SetClock) -> _Filled:
    return _Filled(node, clock)


def test_the_least_recently_used_replica_is_evicted(filled: _Filled) -> None:
    filled.use("a", "b", "c")
    assert filled.replicas.find_to_append("a") is not None
    filled.use("d")
    assert filled.names == "acd"
    filled.use("e")
    assert filled.names == "ade"


def test_read_only_replicas_do_not_evict_used_ones(filled: _Filled) -> None:
    filled.use("a", "b", "c")
    filled.put("d", "e", "f", "g")
    assert filled.names == "abcfg"
    for _ in range(3):
        filled.replicas.known("f")
    filled.put("h")
    # Finding a read-only replica does not make it more recently used.
    assert filled.names == "abcgh"


def test_a_read_only_replica_used_later_is_cached_once(filled: _Filled) -> None:
    filled.put("a", "b")
    replica = filled.replicas.known("a")
    assert filled.replicas.find_to_append("a") is replica
    filled.put("c", "d")
    assert filled.names == "acd"
    assert filled.replicas.known("a") is replica
    assert filled.replicas.find_to_append("a") is replica


def test_a_journal_has_one_replica(filled: _Filled, node: Node, clock: SetClock) -> None:
    filled.put("a")
    filled.use("b")
    for name in "ab":
        assert filled.replicas.put(name, WordJournal(node, clock).replica) is filled.replicas.known(
            name
        )


def test_an_uncached_journal_is_not_found(filled: _Filled) -> None:
    assert filled.replicas.known("a") is None
    assert filled.replicas.find_to_append("a") is None
    assert filled.names == ""


async def test_a_replica_that_has_grown_evicts_others(filled: _Filled) -> None:
    """Replicas are added before they are read. Using a replica, or adding one, updates its size."""
    assert EMPTY_SIZE == SIZE
    filled.use("a", "b", "c")
    grown = filled.replicas.find_to_append("c")
    assert grown is not None
    for word in ("one", "two"):
        await grown.decide(lambda *_, word=word: word)
    assert grown.size == 2 * SIZE
    filled.use("d")
    assert (filled.names, filled.replicas.bytes) == ("cd", 3 * SIZE)
    for number in range(2, 16):
        assert filled.replicas.find_to_append("c") is grown
        assert filled.names == "cd"
        await grown.decide(lambda *_, number=number: f"{number}")
    # A replica in use stays, however large it is.
    assert filled.replicas.find_to_append("c") is grown
    assert (filled.names, filled.replicas.bytes) == ("c", 16 * SIZE)
    filled.use("d")
    assert (filled.names, filled.replicas.bytes) == ("d", SIZE)
    filled.put("e", "f")
    read = filled.replicas.known("e")
    assert read is not None
    await read.refresh()
    filled.put("g")
    assert filled.names == "dfg"


async def test_a_replica_read_after_many_additions_is_counted(filled: _Filled) -> None:
    """After a restart, many replicas are added before the first one has been read."""
    replicas = filled.replicas = ReplicaCache(0, 1_000 * EMPTY_SIZE)
    names = [f"{number}" for number in range(100)]
    filled.put(*names)
    found = [replica for name in names if (replica := replicas.known(name)) is not None]
    await found[0].decide(lambda *_: "one")
    await found[0].decide(lambda *_: "two")
    for each in found[1:]:
        await each.refresh()
    # Each addition counts some of the replicas that have been read by then.
    filled.put(*(f"later {number}" for number in range(10)))
    assert replicas.bytes == 2 * SIZE * len(names) + 10 * EMPTY_SIZE


async def test_growth_by_other_nodes_appends_is_counted_when_a_replica_is_found(
    filled: _Filled,
) -> None:
    replicas = filled.replicas = ReplicaCache(0, 1_000 * EMPTY_SIZE)
    filled.put("a")
    read = replicas.known("a")
    assert read is not None
    for number in range(16):
        await read.decide(lambda *_, number=number: f"{number}")
    assert replicas.bytes == EMPTY_SIZE
    assert replicas.known("a") is read
    assert replicas.bytes == 16 * SIZE


@SAMPLED
@pytest.mark.parametrize("game", games())
@pytest.mark.parametrize(
    ("helped", "moves"), [("undo", 60), *product(("none", "undo"), (0, 10, 200))][: cases(1, 7)]
)
def test_the_estimated_size_of_an_attempt_is_accurate(game: str, helped: Help, moves: int) -> None:
    rng = random.Random(f"{game} {moves}")
    journals = [_played(game, helped, moves, rng) for _ in range(4)]

    def read() -> list[Replica[Any, Any]]:
        found = []
        for deal, texts in journals:
            own = replace(deal, seed=bytes(bytearray(deal.seed)), commitment=deal.commitment + "0")
            definition = AttemptDefinition(attempt_id(deal.id, ADA), own, cast(Any, None))
            found.append(_replica(definition, texts))
        return found

    _assert_accurate(read, 1.5, 1.6)


@pytest.mark.parametrize(
    ("members", "rounds"),
    [(1, 0), (2, 1), (8, 1), (2, 30), pytest.param(8, 30, marks=pytest.mark.deep)],
)
def test_the_estimated_size_of_a_room_is_accurate(members: int, rounds: int) -> None:
    players = [PlayerId(f"p{number}".ljust(16, "a")) for number in range(members)]
    texts = _raced(players, rounds)

    def read() -> list[Replica[Any, Any]]:
        definition = RoomDefinition(cast(Any, None), CODE, cast(Any, None))
        return [_replica(definition, texts) for _ in range(10)]

    _assert_accurate(read, 2, 2)


def _assert_accurate(read: Callable[[], list[Replica[Any, Any]]], less: float, more: float) -> None:
    """Compare the sizes of replicas with the bytes that they take."""
    read()
    with traced() as held:
        replicas = read()
        taken = held()
    estimated = sum(each.size for each in replicas)
    assert taken / less < estimated < more * taken, (taken, estimated, len(replicas))


def _replica(definition: Any, texts: list[str]) -> Replica[Any, Any]:
    replica: Replica[Any, Any] = Replica(cast(Any, None), cast(Any, None), definition)
    for text in texts:
        # Each replica has its own strings, as if they came from Redis.
        replica._machine.fold(text.encode().decode())
    return replica


def _played(game: str, helped: Help, moves: int, rng: random.Random) -> tuple[Deal, list[str]]:
    """Return a deal, and the journal of an attempt at it with up to `moves` legal moves."""
    deal = Deal(DEAL, game, "standard", rng.randbytes(32), "c" * 63, ruleset(game).digest)
    begun = replace_struct(started(game), help=helped)
    attempt = begin(begun, deal_seed(ruleset(game, "standard"), deal.seed))
    events: list[AttemptEvent] = [begun]
    while len(events) <= moves and attempt.end is None and (legal := legal_moves(attempt.board)):
        played = play(attempt, rng.choice(legal), START + LIMIT - 1)
        attempt = played.after
        events.append(played.event)
    return deal, [msgspec.json.encode(event).decode() for event in events]


def _raced(players: list[PlayerId], rounds: int) -> list[str]:
    """Return the journal of a room after `rounds` rounds of these players."""
    room = opened(8)
    events: list[RoomEvent] = [room.opened]

    def happen(event: RoomEvent | None) -> None:
        nonlocal room
        assert event is not None
        events.append(event)
        room = then(room, event)

    for player in players:
        happen(take_seat(room, player, START))
    for number in range(rounds):
        now = START + number * HOUR
        deal = DealId(f"d{number}".ljust(16, "a"))
        for player in players if number else ():
            happen(set_ready(room, player, True, now))
        rules = ruleset(room.terms.game).digest
        happen(start(room, room.host, deal, "c" * 64, now, present=players, rules=rules))
        for home, player in enumerate(players):
            happen(finish(room, deal, player, reached(home), now))
    return [msgspec.json.encode(event).decode() for event in events]


def test_custom_rules_count_once_for_all_their_attempts() -> None:
    replicas = ReplicaCache[str, Attempt, AttemptEvent](200_000)
    rules = ruleset("robert", "waste.redeals=5")

    def use(name: str, variant: str) -> None:
        made = ruleset("robert", variant)
        deal = Deal(DEAL, "robert", variant, bytes(32), "", made.digest)
        definition = AttemptDefinition(attempt_id(DEAL, PlayerId(name)), deal, cast(Any, None))
        first = replace_struct(
            started("robert", player=PlayerId(name)), variant=variant, rules=made.digest
        )
        text = msgspec.json.encode(first).decode()
        replicas.put(name, _replica(definition, [text]))
        assert replicas.find_to_append(name) is not None

    use("alone", "standard")
    alone = replicas.bytes
    use("a", rules.variant)
    use("b", rules.variant)
    assert replicas.bytes == 3 * alone + rules.size
    for redeals in range(6, 60):
        use(f"c{redeals}", f"waste.redeals={redeals}")
    assert replicas.bytes <= 200_000
    assert replicas.size < 200_000 / (alone + rules.size / 2)
    assert replicas.known("a") is None
