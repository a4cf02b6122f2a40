"""Absence of members from a room, and its consequences."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.base.core.ids import PlayerId
from server.rooms.core import commands
from server.rooms.core.absence import (
    HOST_ABSENCE_MS,
    QUICK_ABSENCE_MS,
    SEAT_ABSENCE_MS,
    Absence,
    Due,
    due,
    observe,
)
from server.rooms.core.room import Room
from tests.builders import ADA, BOB, CYD, START, finished, race_of, reached, room_of, then

NOTHING = Due(None, (), None)


def test_a_host_is_replaced_after_20_seconds_and_a_seat_freed_after_60() -> None:
    assert (HOST_ABSENCE_MS, SEAT_ABSENCE_MS) == (20_000, 60_000)


def steps(found: Due) -> tuple[PlayerId | None, tuple[PlayerId, ...]]:
    return found.host, found.seats


def told(found: Absence | None) -> tuple[dict[PlayerId, int], int | None] | None:
    return None if found is None else (found.since, found.idle)


def gone(room: Room, online: set[PlayerId], now: int, before: Absence | None = None) -> Absence:
    found = observe(before, room, online, now)
    assert found is not None
    return found


def test_a_seat_that_was_taken_again_has_a_new_absence() -> None:
    room = room_of(ADA, BOB)
    away = observe(None, room, {ADA}, 100)
    left = then(room, commands.leave(room, BOB, START))
    again = then(left, commands.take_seat(left, BOB, START + 1))
    assert told(observe(away, again, {ADA}, 200)) == ({BOB: 200}, 100)


def test_online_members_are_not_absent() -> None:
    assert observe(None, room_of(ADA, BOB), {ADA, BOB, CYD}, 5) is None
    assert observe(None, room_of(), set(), 5) is None


def test_absence_lasts_from_its_observation_to_the_members_return() -> None:
    room = room_of(ADA, BOB, CYD)
    first = observe(None, room, {ADA, CYD}, 100)
    assert told(first) == ({BOB: 100}, 100)
    second = observe(first, room, {CYD}, 200)
    assert told(second) == ({BOB: 100, ADA: 200}, 100)
    back = observe(second, room, {ADA, CYD}, 300)
    assert told(back) == ({BOB: 100}, 100)
    assert told(observe(back, room, {CYD}, 400)) == ({BOB: 100, ADA: 400}, 100)
    assert observe(back, then(room, commands.leave(room, BOB, START)), {ADA, CYD}, 400) is None


def test_an_absent_host_is_replaced_if_a_member_is_present() -> None:
    room = race_of(ADA, BOB)
    away = gone(room, {BOB}, 100)
    assert due(away, room, 100) == Due(None, (), 100 + HOST_ABSENCE_MS)
    assert due(away, room, 99 + HOST_ABSENCE_MS).host is None
    assert due(away, room, 100 + HOST_ABSENCE_MS) == Due(ADA, (), None)
    assert due(gone(room, set(), 200, away), room, 100 + HOST_ABSENCE_MS) == NOTHING
    handed = then(room, commands.hand_over(room, ADA, BOB, START))
    assert due(away, handed, 100 + HOST_ABSENCE_MS) == NOTHING


def test_a_member_who_only_joined_loses_the_seat_soon() -> None:
    """Programs that open links in messages take a seat and vanish."""
    room = room_of(ADA, BOB)
    away = gone(room, {ADA}, 0)
    assert due(away, room, 0) == Due(None, (), QUICK_ABSENCE_MS)
    assert due(away, room, QUICK_ABSENCE_MS) == Due(None, (BOB,), None)
    # The same holds after a round without this member, until they agree to the next one.
    over = finished(race_of(ADA), ADA, reached(1))
    late = then(over, commands.take_seat(over, BOB, START))
    agreed = then(late, commands.set_ready(late, BOB, True, START))
    for each, longest in ((late, QUICK_ABSENCE_MS), (agreed, SEAT_ABSENCE_MS)):
        assert due(gone(each, {ADA}, 0), each, 0).later == longest


def acted(*players: PlayerId) -> Room:
    """Return a room with all members except the host sitting out."""
    room = room_of(*players)
    for player in players[1:]:
        room = then(room, commands.set_ready(room, player, False, START))
    return room


def test_absent_members_lose_their_seats_between_rounds() -> None:
    room = acted(ADA, BOB, CYD)
    away = gone(room, {ADA}, 500, gone(room, {ADA, CYD}, 0))
    assert due(away, room, SEAT_ABSENCE_MS - 1) == Due(None, (), SEAT_ABSENCE_MS)
    assert due(away, room, SEAT_ABSENCE_MS) == Due(None, (BOB,), 500 + SEAT_ABSENCE_MS)
    assert due(away, room, 500 + SEAT_ABSENCE_MS) == Due(None, (BOB, CYD), None)


def test_absence_during_a_round_counts_from_its_end() -> None:
    room = race_of(ADA, BOB)
    away = gone(room, {ADA}, 0)
    assert (told(away), due(away, room, 10 * SEAT_ABSENCE_MS)) == (({BOB: 0}, None), NOTHING)
    over = finished(finished(room, ADA, reached(1)), BOB, reached(0))
    ended = 10 * SEAT_ABSENCE_MS
    away = gone(over, {ADA}, ended, away)
    assert told(away) == ({BOB: 0}, ended)
    assert due(away, over, ended) == Due(None, (), ended + SEAT_ABSENCE_MS)
    assert due(away, over, ended + SEAT_ABSENCE_MS).seats == (BOB,)


def test_a_round_that_a_node_has_missed_ends_the_absences_before_it() -> None:
    """The node counts from before the round, and then receives its start and end at once."""
    before = finished(race_of(ADA, BOB), ADA, reached(1))
    before = finished(before, BOB, reached(0))
    assert before.round is not None
    away = observe(None, before, {ADA}, 0)
    assert away is not None
    assert due(away, before, SEAT_ABSENCE_MS).seats == (BOB,)
    second = replace(before.round, number=2, starts=before.round.starts + SEAT_ABSENCE_MS)
    after = replace(before, round=second)
    for room, event in ((before, True), (after, False)):
        seen = away.anchors[BOB]
        assert bool(commands.free_seat(room, BOB, seen, SEAT_ABSENCE_MS, START)) == event
    assert told(observe(away, after, {ADA}, SEAT_ABSENCE_MS)) == ({BOB: SEAT_ABSENCE_MS}, 0)


@pytest.mark.parametrize("round_runs", [True, False])
@given(data=st.data())
def test_due_consequences_depend_on_the_length_of_absences(
    round_runs: bool, data: st.DataObject
) -> None:
    players = (ADA, BOB, CYD)
    room: Room = (race_of if round_runs else acted)(*players)
    away: Absence | None = None
    gone: dict[PlayerId, int] = {}
    now = 0
    for _ in range(data.draw(st.integers(1, 8))):
        now += data.draw(st.integers(0, SEAT_ABSENCE_MS))
        online = data.draw(st.sets(st.sampled_from(players)))
        away = observe(away, room, online, now)
        gone = {player: gone.get(player, now) for player in players if player not in online}
        assert (away is None) == (not gone)
        if away is None:
            continue
        found = due(away, room, now)
        long = {player for player, since in gone.items() if now - since >= SEAT_ABSENCE_MS}
        assert set(found.seats) <= long
        assert not (round_runs and found.seats)
        followed = now - gone.get(ADA, now) >= HOST_ABSENCE_MS and bool(online)
        assert found.host == (ADA if followed else None)
        assert found.later is None or found.later > now
        if found.later is not None:
            # Nothing is due before that time, and something is due then.
            assert steps(due(away, room, found.later - 1)) == steps(found)
            assert steps(due(away, room, found.later)) != steps(found)
