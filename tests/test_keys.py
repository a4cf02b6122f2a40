"""Keys: those written together share a cluster slot."""

from __future__ import annotations

import ast
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from redis.crc import key_slot

from server.base.core import keys
from server.base.core.days import DailyId
from server.base.core.ids import ALPHABET, CODE_ALPHABET
from server.lobby.core import keys as lobby_keys
from server.play.core import keys as play_keys
from server.results.core import keys as results_keys
from server.results.core.boards import of_daily
from server.rooms.core import keys as rooms_keys
from tests.base.redis.key_modules import KEY_MODULES, PERMANENT, all_of

ids = st.text(ALPHABET, min_size=16, max_size=16)


def slots(*names: str) -> set[int]:
    return {key_slot(name.encode()) for name in names}


@settings(deadline=None)
@given(ids, ids)
def test_an_attempt_shares_a_slot_with_its_outbox(deal: str, player: str) -> None:
    name = f"{deal}.{player}"
    number = keys.partition(name)
    assert 0 <= number < keys.PARTITIONS
    assert len(slots(play_keys.attempt(name), keys.outbox(number), keys.due(number))) == 1
    assert slots(keys.barrier(play_keys.attempt(name))) == slots(play_keys.attempt(name))


@settings(deadline=None)
@given(st.text(CODE_ALPHABET, min_size=5, max_size=5))
def test_a_room_shares_a_slot_with_its_due_time(code: str) -> None:
    number = keys.partition(code)
    assert len(slots(rooms_keys.room(code), keys.presence(code), keys.due(number))) == 1


@given(st.text(ALPHABET, max_size=12))
def test_the_open_rooms_share_a_slot(network: str) -> None:
    assert (
        len(slots(lobby_keys.OPEN_ROOMS, lobby_keys.OPEN_ROWS, lobby_keys.open_rooms_of(network)))
        == 1
    )


def test_partitions_spread_over_a_cluster() -> None:
    thirds = [key_slot(keys.outbox(number).encode()) * 3 // 16_384
              for number in range(keys.PARTITIONS)]  # fmt: skip
    assert all(thirds.count(third) > keys.PARTITIONS // 5 for third in range(3))


def test_keys_of_different_kinds_differ() -> None:
    board = of_daily(DailyId("x", 1), "guests")
    made = [key for module in KEY_MODULES for key in all_of(module).values()]
    made += [keys.barrier(play_keys.attempt("x")), lobby_keys.open_rooms_of("")]
    made += [
        results_keys.leaderboard(board),
        results_keys.leaderboard(board._replace(group="ranked")),
    ]
    assert len(set(made)) == len(made)


def test_wings_do_not_share_kinds_of_keys() -> None:
    wings: dict[str, set[str]] = {}
    for module in KEY_MODULES:
        for key in all_of(module).values():
            wings.setdefault(keys.kind_of(key)[0], set()).add(module.__name__)
    assert {kind for kind, of in wings.items() if len(of) > 1} == set()
    assert wings.keys() >= PERMANENT


@pytest.mark.parametrize("module", KEY_MODULES, ids=lambda module: module.__name__)
def test_names_of_key_lives_are_unique(module: ModuleType) -> None:
    """A second expiry for the same name would silently apply to the first."""
    tree = ast.parse(Path(str(module.__file__)).read_text())
    assigned = [each.targets for each in tree.body if isinstance(each, ast.Assign)]
    names = [
        target.id for targets in assigned for target in targets if isinstance(target, ast.Name)
    ]
    assert len(set(names)) == len(names)
