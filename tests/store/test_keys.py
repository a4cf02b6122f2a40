"""Keys: those that are written together share a slot of a cluster."""

from __future__ import annotations

import ast
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from redis.crc import key_slot

from server.base.core.days import DailyId
from server.base.core.ids import ALPHABET, CODE_ALPHABET
from server.base.redis import keys
from server.results.core.boards import of_daily

ids = st.text(ALPHABET, min_size=16, max_size=16)


def slots(*names: str) -> set[int]:
    return {key_slot(name.encode()) for name in names}


@settings(deadline=None)
@given(ids, ids)
def test_an_attempt_shares_a_slot_with_its_outbox(deal: str, player: str) -> None:
    name = f"{deal}.{player}"
    number = keys.partition(name)
    assert 0 <= number < keys.PARTITIONS
    assert len(slots(keys.attempt(name), keys.outbox(number), keys.due(number))) == 1
    assert slots(keys.barrier(keys.attempt(name))) == slots(keys.attempt(name))


@settings(deadline=None)
@given(st.text(CODE_ALPHABET, min_size=5, max_size=5))
def test_a_room_shares_a_slot_with_its_due_time(code: str) -> None:
    number = keys.partition(code)
    assert len(slots(keys.room(code), keys.presence(code), keys.due(number))) == 1


@given(st.text(ALPHABET, max_size=12))
def test_the_open_rooms_share_a_slot(network: str) -> None:
    assert len(slots(keys.OPEN_ROOMS, keys.OPEN_ROWS, keys.open_rooms_of(network))) == 1


def test_partitions_spread_over_a_cluster() -> None:
    thirds = [key_slot(keys.outbox(number).encode()) * 3 // 16_384
              for number in range(keys.PARTITIONS)]  # fmt: skip
    assert all(thirds.count(third) > keys.PARTITIONS // 5 for third in range(3))


def test_keys_of_different_kinds_differ() -> None:
    daily = DailyId("x", 1)
    made = [
        keys.attempt("x"), keys.room("x"), keys.presence("x"), keys.outbox(1), keys.due(1),
        keys.deal("x"), keys.daily(daily), keys.pool("x"), keys.player("x"), keys.history("x"),
        keys.leaderboard(of_daily(daily, "guests")), keys.leaderboard(of_daily(daily, "ranked")),
        keys.curves(of_daily(daily, "guests")),
        keys.race("x"), keys.met("x"), keys.quota("x"), keys.session("x"),
        keys.creation("x", "y"), keys.NODES, keys.barrier(keys.attempt("x")),
        keys.OPEN_ROOMS, keys.OPEN_ROWS, keys.open_rooms_of(""), keys.open_rooms_of("x"),
    ]  # fmt: skip
    assert len(set(made)) == len(made)


def test_no_name_is_given_twice() -> None:
    """A second life of the same name would be that of the first one, too."""
    tree = ast.parse(Path(str(keys.__file__)).read_text())
    names = [
        target.id
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    ]
    assert len(set(names)) == len(names)
