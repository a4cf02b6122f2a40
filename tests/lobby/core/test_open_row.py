"""The list of open rooms: its rows and their order."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.base.core.ids import PlayerId, RoomCode
from server.lobby.core.open_row import MAX_OF_NETWORK, MAX_OPEN_ROOMS, OpenRow, listed, row_of
from server.rooms.core import commands
from server.rooms.core.room import Room
from tests.builders import ADA, BOB, CODE, CYD, DEAL, LIMIT, START, room_of, then


def public(room: Room) -> Room:
    return then(room, commands.set_public(room, room.seats[0].player, True, START))


def test_a_public_room_with_an_online_member_is_listed() -> None:
    room = public(room_of(ADA, BOB))
    row = OpenRow(CODE, "robert", "standard", LIMIT, 2, 3, ADA)
    assert row_of(room, {BOB}) == row
    started = commands.start(room, ADA, DEAL, "c0ffee", START, present={ADA, BOB})
    assert row_of(then(room, started), {BOB}) == msgspec.structs.replace(row, running=True)


def test_a_room_closed_to_strangers_is_not_listed() -> None:
    room = public(room_of(ADA, BOB))
    assert row_of(room, {CYD}) is None, "no member is online"
    assert row_of(room_of(ADA, BOB), {ADA}) is None
    assert row_of(public(room_of(ADA, BOB, CYD)), {ADA}) is None
    assert row_of(then(room, commands.set_lock(room, ADA, True, START)), {ADA}) is None
    assert row_of(then(room, commands.set_public(room, ADA, False, START)), {ADA}) is None


@st.composite
def rows(draw: st.DrawFn) -> list[OpenRow]:
    """Draw rooms of one, some or many networks, nearly all with different hosts."""
    random = draw(st.randoms(use_true_random=False))
    networks, most = draw(st.sampled_from([(1, 60), (3, 30), (12, 8), (55, 3)]))
    found = []
    for number in range(draw(st.integers(1, networks)) * draw(st.integers(1, most))):
        seats = random.randint(2, 8)
        host = PlayerId(f"{0 if random.random() < 0.1 else number:016}")
        network = f"{random.randrange(networks) or ''}"
        taken, running = random.randint(1, seats - 1), random.random() < 0.5
        code = RoomCode(f"C{number:04}")
        found.append(
            OpenRow(code, "robert", "standard", LIMIT, taken, seats, host, running, network)
        )
    return found


def preference(row: OpenRow) -> tuple[bool, int]:
    return row.running, row.seats - row.taken


@given(rows())
def test_the_list_is_bounded_and_starts_with_waiting_rooms(found: list[OpenRow]) -> None:
    shown = listed(found)
    assert len(shown) <= MAX_OPEN_ROOMS
    keys = list(map(preference, shown))
    assert keys == sorted(keys)
    hosts = Counter(row.host for row in shown)
    networks = Counter(row.network for row in shown)
    assert max(hosts.values(), default=0) <= 1
    assert max(networks.values(), default=0) <= MAX_OF_NETWORK
    for row in found:
        # Omitted rooms gave way to rooms of the same host or network, or to a full list.
        assert (
            row in shown
            or row.host in hosts
            or networks[row.network] == MAX_OF_NETWORK
            or len(shown) == MAX_OPEN_ROOMS
        )


@given(rows(), st.integers(0, 200))
def test_other_networks_never_hide_the_rooms_of_one(others: list[OpenRow], before: int) -> None:
    own = OpenRow(CODE, "robert", "standard", LIMIT, 1, 8, ADA, True, "own")
    shown = listed([*others[:before], own, *others[before:]])
    other_networks = {row.network for row in others}
    assert own in shown or len(other_networks) >= MAX_OPEN_ROOMS


@given(rows())
def test_a_network_gets_a_second_room_only_when_all_have_their_first(found: list[OpenRow]) -> None:
    shown = listed(found)
    networks = Counter(row.network for row in shown)
    hosts = {row.host for row in shown}
    if max(networks.values()) > 1:
        assert all(row.network in networks or row.host in hosts for row in found)


@pytest.mark.parametrize(
    ("running", "network", "text"),
    [(False, "", "}"), (True, "", ',"running":true}'), (False, "net", ',"network":"net"}')],
)
def test_a_row_keeps_its_stored_form(running: bool, network: str, text: str) -> None:
    row = OpenRow(CODE, "robert", "standard", LIMIT, 2, 3, ADA, running, network)
    assert msgspec.json.encode(row).decode() == (
        '{"code":"H7KQ2","game":"robert","variant":"standard","limit":900000,"taken":2,"seats":3,'
        '"host":"ada0000000000000"' + text
    )
