"""The rate limit of a player's changes to a room."""

from __future__ import annotations

from server.base.core.ids import PlayerId
from server.base.core.refusal import Refusal
from server.rooms.core import commands, rate_limit
from server.rooms.core.events import Event
from server.rooms.core.room import Room
from tests.builders import ADA, BOB, START, finished, race_of, reached, refusal_of, room_of, then

SECOND = 1_000


def toggle(room: Room, player: PlayerId, at: int) -> Room:
    seat = room.seat_of(player)
    assert seat is not None
    return then(room, commands.set_ready(room, player, not seat.ready, at))


def test_toggling_costs_more_and_more_and_the_refusal_states_the_wait() -> None:
    room, now, last = room_of(ADA, BOB), START, START
    pauses: list[int] = []
    codes: set[str] = set()
    while now < START + 600 * SECOND:
        try:
            room = toggle(room, BOB, now)
        except Refusal as refusal:
            codes.add(refusal.code.name)
            now += max(refusal.wait, 1)
        else:
            pauses.append(now - last)
            last = now
    assert codes == {"too_fast"}
    at_once = pauses.count(0)
    assert 15 < at_once < 25
    assert len(pauses) < at_once + 75
    assert 8 * SECOND < pauses[-1] < 9 * SECOND
    assert room.version == 3 + len(pauses)


def test_players_pay_only_for_their_own_changes_and_can_always_leave() -> None:
    room = room_of(ADA, BOB)
    while room.paces[BOB] <= START + rate_limit.MOST_MS:
        room = toggle(room, BOB, START)
    assert refusal_of(lambda: toggle(room, BOB, START)) == "too_fast"
    room = then(room, commands.set_lock(room, ADA, True, START))
    room = then(room, commands.set_lock(room, ADA, False, START))
    room = then(room, commands.leave(room, BOB, START))
    assert refusal_of(lambda: commands.take_seat(room, BOB, START)) == "too_fast"
    wait = room.paces[BOB] - rate_limit.MOST_MS - START
    assert refusal_of(lambda: commands.take_seat(room, BOB, START + wait - 1)) == "too_fast"
    assert commands.take_seat(room, BOB, START + wait)


def test_playing_round_after_round_is_never_too_fast() -> None:
    room, now = race_of(ADA, BOB), START
    for _ in range(200):
        assert room.round is not None
        for player in (ADA, BOB):
            room = finished(room, player, reached(3))
        now += commands.COUNTDOWN_MS
        for _ in range(3):
            room = toggle(room, BOB, now)
        room = then(room, start(room, now))
    assert max(room.paces.values()) < now + 10 * SECOND


def start(room: Room, now: int) -> Event:
    assert room.round is not None
    return commands.start(room, ADA, room.round.deal, "c0ffee", now, present=[ADA, BOB])
