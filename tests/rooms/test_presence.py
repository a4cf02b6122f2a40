"""Presence in one room: sessions of this node, and reports of other nodes."""

from __future__ import annotations

import pytest

from server.base.core.ids import PlayerId
from server.rooms.presence import RoomPresence

ADA, BOB, CYD = map(PlayerId, ("ada", "bob", "cyd"))


@pytest.fixture
def room() -> RoomPresence:
    return RoomPresence("here")


def test_only_a_players_first_and_last_session_count(room: RoomPresence) -> None:
    assert [room.add_session(ADA), room.add_session(ADA)] == [True, False]
    assert [room.remove_session(ADA), room.remove_session(ADA)] == [False, True]
    assert room.local == {}


def test_moving_to_another_node_does_not_change_presence(room: RoomPresence) -> None:
    assert room.set_node(ADA, "here")
    found = [room.elsewhere]
    assert not room.set_node(ADA, "there")
    found.append(room.elsewhere)
    assert found == [False, True]
    assert room.set_node(ADA, None)
    assert not room.set_node(ADA, None)


def test_players_of_dead_nodes_are_not_online(room: RoomPresence) -> None:
    room.set_node(ADA, "here")
    room.set_node(BOB, "dead")
    assert room.online(lambda node: node != "dead") == {ADA}


def test_changes_during_a_read_take_precedence_over_it(room: RoomPresence) -> None:
    room.begin_read()
    room.set_node(ADA, "there")
    room.set_node(BOB, None)
    assert room.merge({BOB: "there", CYD: "there"}) == []
    room.end_read()
    assert room.nodes == {ADA: "there", CYD: "there"}
    room.set_node(CYD, None)
    room.begin_read()
    room.merge({CYD: "there"})
    assert room.nodes == {CYD: "there"}


def test_merging_returns_players_whose_presence_here_must_be_rewritten(room: RoomPresence) -> None:
    room.add_session(ADA)
    room.begin_read()
    assert set(room.merge({BOB: "here", CYD: "there"})) == {ADA, BOB}
    assert room.nodes == {ADA: "here", CYD: "there"}


def test_a_newer_session_on_another_node_takes_precedence(room: RoomPresence) -> None:
    room.add_session(ADA)
    room.begin_read()
    assert (room.merge({ADA: "there"}), room.nodes) == ([], {ADA: "there"})
