"""The list of open rooms: which rooms it has, and in what order."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.core import race_commands
from server.core.ids import RoomCode
from server.core.open_rooms import MAX_OPEN_ROOMS, OpenRow, listed, row_of
from server.core.race import Room
from tests.core.builders import ADA, BOB, CODE, CYD, DEAL, LIMIT, START, room_of, then


def public(room: Room) -> Room:
    return then(room, race_commands.set_public(room, room.host, True, START))


def test_a_public_room_with_somebody_there_is_listed_as_it_is() -> None:
    room = public(room_of(ADA, BOB))
    row = OpenRow(CODE, "robert", "standard", LIMIT, 2, 3, ADA)
    assert row_of(room, {BOB}) == row
    started = race_commands.start(room, ADA, DEAL, "c0ffee", START, present={ADA, BOB})
    assert row_of(then(room, started), {BOB}) == msgspec.structs.replace(row, running=True)


def test_a_room_that_nobody_can_join_is_not_listed() -> None:
    room = public(room_of(ADA, BOB))
    assert row_of(room, {CYD}) is None, "no member is there"
    assert row_of(room_of(ADA, BOB), {ADA}) is None
    assert row_of(public(room_of(ADA, BOB, CYD)), {ADA}) is None
    assert row_of(then(room, race_commands.set_lock(room, ADA, True, START)), {ADA}) is None
    assert row_of(then(room, race_commands.set_public(room, ADA, False, START)), {ADA}) is None


@st.composite
def rows(draw: st.DrawFn) -> OpenRow:
    seats = draw(st.integers(2, 8))
    taken = draw(st.integers(1, seats - 1))
    code = RoomCode(f"C{draw(st.integers(1000, 9999))}")
    return OpenRow(code, "robert", "standard", LIMIT, taken, seats, ADA, draw(st.booleans()))


@given(st.lists(rows(), max_size=60))
def test_the_list_is_bounded_and_begins_with_rooms_that_wait(found: list[OpenRow]) -> None:
    shown = listed(found)
    assert len(shown) == min(len(found), MAX_OPEN_ROOMS)
    keys = [(row.running, row.seats - row.taken) for row in shown]
    assert keys == sorted(keys)
    left = [(row.running, row.seats - row.taken) for row in found if row not in shown]
    assert all(keys[-1] <= key for key in left)


@pytest.mark.parametrize(("running", "text"), [(False, "}"), (True, ',"running":true}')])
def test_a_row_keeps_its_stored_form(running: bool, text: str) -> None:
    row = OpenRow(CODE, "robert", "standard", LIMIT, 2, 3, ADA, running)
    assert msgspec.json.encode(row).decode() == (
        '{"code":"H7KQ2","game":"robert","variant":"standard","limit":900000,"taken":2,"seats":3,'
        '"host":"ada0000000000000"' + text
    )
