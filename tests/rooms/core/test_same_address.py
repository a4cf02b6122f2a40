"""The members of a room who are at the same address."""

from __future__ import annotations

from server.base.core.ids import PlayerId
from server.rooms.core.same_address import groups
from tests.builders import ADA, BOB, CYD, race_of


def test_players_at_one_place_are_grouped_in_the_order_of_seats() -> None:
    room = race_of(ADA, BOB, CYD)
    assert groups(room, {}) == ()
    assert groups(room, {ADA: "x", BOB: "y", CYD: "x"}) == ((ADA, CYD),)
    assert groups(room, {ADA: "x", BOB: "x", CYD: "x"}) == ((ADA, BOB, CYD),)
    assert groups(room, {ADA: "x", PlayerId("9" * 16): "x"}) == ()
