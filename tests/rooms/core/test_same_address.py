"""Members of a room at the same address."""

from __future__ import annotations

from server.base.core.ids import PlayerId
from server.rooms.core.same_address import groups
from tests.builders import ADA, BOB, CYD, race_of


def test_players_at_one_address_are_grouped_in_seat_order() -> None:
    room = race_of(ADA, BOB, CYD)
    assert (groups(room, {}), groups(room, {ADA: "x", BOB: "y", CYD: "x"})) == ((), ((ADA, CYD),))
    assert groups(room, {ADA: "x", BOB: "x", CYD: "x"}) == ((ADA, BOB, CYD),)
    assert groups(room, {ADA: "x", PlayerId("9" * 16): "x"}) == ()
