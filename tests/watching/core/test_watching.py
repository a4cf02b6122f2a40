"""Sight: visibility of the boards of a round to watchers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.base.core.ids import PlayerId
from server.base.core.refusal import Refusal
from server.rooms.core import commands
from server.rooms.core.room import Room
from server.watching.core.sight import sight
from tests.builders import (
    ADA,
    BOB,
    CYD,
    DAN,
    EVE,
    PLAYERS,
    START,
    agreed,
    finished,
    race_of,
    reached,
    room_of,
    then,
)


def seen(room: Room, player: PlayerId, *, has_key: bool = False) -> str:
    try:
        return sight(room, player, has_key=has_key)
    except Refusal as refusal:
        return refusal.code.name


@pytest.fixture
def race() -> Room:
    room = room_of(ADA, BOB, CYD)
    room = then(room, commands.set_ready(room, CYD, False, START))
    deal, commitment = race_of(ADA, BOB).round.deal, ""  # type: ignore[union-attr]
    started = commands.start(room, ADA, deal, commitment, START, present=PLAYERS)
    return finished(then(room, started), ADA, reached(3))


@pytest.mark.parametrize("has_key", [False, True])
def test_a_runner_sees_nothing_until_their_attempt_ends(race: Room, has_key: bool) -> None:
    assert seen(race, BOB, has_key=has_key) == "still_racing"


def test_a_finished_runner_sees_all_boards_live(race: Room) -> None:
    assert seen(race, ADA) == "live"


def test_a_runner_who_has_left_still_counts_as_one(race: Room) -> None:
    assert seen(then(race, commands.leave(race, ADA, START)), ADA) == "live"
    assert seen(then(race, commands.leave(race, BOB, START)), BOB) == "still_racing"


def test_a_member_who_sits_out_sees_all_boards_delayed(race: Room) -> None:
    assert seen(race, CYD) == "delayed"


def test_others_need_the_key_and_see_all_boards_delayed(race: Room) -> None:
    assert (seen(race, DAN), seen(race, DAN, has_key=True)) == ("not_invited", "delayed")


@pytest.mark.parametrize("has_key", [False, True])
def test_a_removed_player_sees_nothing(race: Room, has_key: bool) -> None:
    room = then(race, commands.remove(race, ADA, CYD, START))
    assert seen(room, CYD, has_key=has_key) == "removed"


def test_before_the_first_round_there_is_nothing_to_hide() -> None:
    room = room_of(ADA, BOB)
    assert [seen(room, each) for each in (ADA, BOB, CYD)] == ["delayed", "delayed", "not_invited"]


def test_a_public_round_is_shown_when_it_is_over(race: Room) -> None:
    race = then(race, commands.set_public(race, ADA, True, START))
    watchers = (ADA, BOB, CYD, DAN)
    assert [seen(race, each, has_key=True) for each in watchers] == [
        "hidden",
        "still_racing",
        "hidden",
        "hidden",
    ]
    over = finished(race, BOB, reached(1))
    assert [seen(over, each, has_key=True) for each in watchers] == [
        "live",
        "live",
        "delayed",
        "delayed",
    ]


def test_a_watcher_can_run_in_the_next_round(race: Room) -> None:
    room = agreed(finished(race, BOB, reached(1)), ADA, BOB, CYD)
    started = commands.start(room, CYD, race_of(ADA).round.deal, "", START, present=PLAYERS)  # type: ignore[union-attr]
    assert [seen(then(room, started), each) for each in (ADA, BOB, CYD)] == ["still_racing"] * 3


@given(
    runs=st.sets(st.sampled_from(PLAYERS[:3]), min_size=1),
    done=st.sets(st.sampled_from(PLAYERS[:3])),
    player=st.sampled_from((*PLAYERS[:3], EVE)),
    has_key=st.booleans(),
)
def test_no_runner_sees_anything(
    runs: set[PlayerId], done: set[PlayerId], player: PlayerId, *, has_key: bool
) -> None:
    room = race_of(*sorted(runs))
    for each in sorted(done & runs):
        room = finished(room, each, reached(1))
    found = seen(room, player, has_key=has_key)
    assert (found == "still_racing") == (player in runs - done)
    assert (found == "live") == (player in runs & done)
