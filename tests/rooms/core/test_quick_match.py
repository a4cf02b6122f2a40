"""Quick matches: waiting for players, and starting rounds automatically."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from server.base.core.ids import PACE_BOT, DealId, PlayerId
from server.base.core.refusal import Refusal
from server.rooms.core import absence, commands, quick_match
from server.rooms.core import room as race
from server.rooms.core.absence import QUICK_ABSENCE_MS, SEAT_ABSENCE_MS
from server.rooms.core.events import (
    Event,
    HostChanged,
    LockSet,
    PublicSet,
    RoomOpened,
    SeatLeft,
    Terms,
)
from server.rooms.core.quick_match import BOT_AFTER_MS
from server.rooms.core.room import Room
from tests.builders import (
    ADA,
    BOB,
    CODE,
    CYD,
    DEAL,
    LIMIT,
    START,
    finished,
    reached,
    refusal_of,
    room_of,
    round_of,
    then,
)


def match_of(*players: PlayerId) -> Room:
    """Return a quick match of these players, who took their seats one second apart."""
    opened = RoomOpened(
        CODE, ADA, "robert", "standard", quick_match.SEATS, LIMIT, START, quick=True
    )
    room = race.fold(None, opened)
    for nth, player in enumerate(players):
        room = then(room, commands.match(room, player, START + 1_000 * nth))
    return room


def start(room: Room, present: set[PlayerId]) -> Event:
    return commands.start(room, None, DEAL, "c0ffee", START, present=present)


def with_bot() -> Room:
    room = match_of(ADA)
    return then(room, quick_match.seat_bot(room, START + BOT_AFTER_MS))


def racing() -> Room:
    room = with_bot()
    return then(room, start(room, {ADA}))


def test_a_quick_match_is_public_and_waits_for_a_second_player() -> None:
    room = match_of(ADA)
    assert room.public
    assert quick_match.waits(room)
    assert quick_match.offered(room, {ADA})
    assert not quick_match.offered(room, {BOB}), "its player is away"
    assert commands.match(room, ADA, START) is None, "the player keeps the seat"
    assert not quick_match.offered(match_of(ADA, BOB), {ADA, BOB})


@pytest.mark.parametrize("room", [room_of(ADA), racing()])
def test_other_rooms_and_rooms_with_a_round_do_not_wait(room: Room) -> None:
    assert not quick_match.waits(room)
    assert not quick_match.offered(room, {ADA})
    assert quick_match.bot_at(room) is None
    assert refusal_of(lambda: commands.match(room, BOB, START)) == "room_full"


def test_a_match_made_private_by_an_earlier_release_does_not_wait() -> None:
    room = match_of(ADA)
    for each in (then(room, PublicSet(False, START)), then(room, LockSet(True, START))):
        assert not quick_match.offered(each, {ADA})
        assert quick_match.bot_at(each) is None


def test_the_bot_joins_20_seconds_after_the_waiting_player() -> None:
    room = match_of(ADA)
    assert quick_match.bot_at(room) == START + BOT_AFTER_MS
    assert quick_match.seat_bot(room, START + BOT_AFTER_MS - 1) is None
    seated = then(room, quick_match.seat_bot(room, START + BOT_AFTER_MS))
    assert [seat.player for seat in seated.seats] == [ADA, PACE_BOT]
    assert quick_match.seat_bot(seated, START + 2 * BOT_AFTER_MS) is None


def test_a_player_left_alone_waits_again() -> None:
    room = match_of(ADA, BOB)
    assert quick_match.bot_at(room) is None
    left = then(room, commands.leave(room, ADA, START + 5_000))
    assert quick_match.offered(left, {BOB})
    assert quick_match.bot_at(left) == START + 1_000 + BOT_AFTER_MS


def test_a_bot_removed_by_an_earlier_release_does_not_return() -> None:
    room = then(with_bot(), SeatLeft(PACE_BOT, START, ADA))
    assert quick_match.bot_at(room) is None
    assert quick_match.offered(room, {ADA})


def test_the_round_starts_when_both_players_are_present() -> None:
    room = match_of(ADA, BOB)
    assert not quick_match.starts(room, {ADA})
    assert not quick_match.starts(match_of(ADA), {ADA})
    assert quick_match.starts(room, {ADA, BOB})
    out = then(room, commands.set_ready(room, BOB, False, START))
    assert not quick_match.starts(out, {ADA, BOB}), "a player sits out"
    assert refusal_of(lambda: start(room, {ADA})) == "players_away"
    begun = then(room, start(room, {ADA, BOB}))
    assert (round_of(begun).players, round_of(begun).public) == ((ADA, BOB), True)
    assert refusal_of(lambda: start(begun, {ADA, BOB})) == "round_running"
    over = finished(finished(begun, ADA, reached(1)), BOB, reached(1))
    assert refusal_of(lambda: start(over, {ADA, BOB})) == "round_running", "no second round"


def test_the_bot_stops_when_all_other_players_have_finished() -> None:
    assert not quick_match.bot_stops(with_bot()), "no round is running"
    assert not quick_match.bot_stops(racing())
    assert quick_match.bot_stops(finished(racing(), ADA, reached(1)))
    first = finished(racing(), PACE_BOT, reached(1))
    assert not quick_match.bot_stops(first)
    assert not quick_match.bot_stops(finished(first, ADA, reached(1)))


def test_the_bot_is_always_present_and_plays_with_any_player() -> None:
    room = racing()
    assert room.round is not None
    assert room.round.players == (ADA, PACE_BOT)
    for player in (ADA, PACE_BOT):
        room = finished(room, player, reached(2 if player == ADA else 1))
    assert (room.points, room.wins) == ({ADA: 1}, {ADA: 1})
    deal = DealId("dea2000000000000")
    assert commands.start(room, ADA, deal, "c0ffee", START, present={ADA}) is not None
    idle = then(room, commands.set_ready(room, ADA, False, START))
    with pytest.raises(Refusal, match="nobody_plays"):
        commands.start(idle, ADA, deal, "c0ffee", START, present={ADA})


def test_nobody_runs_a_quick_match() -> None:
    other = Terms("roosevelt", "standard", LIMIT)
    for room in (match_of(ADA, BOB), racing(), then(match_of(ADA, BOB), HostChanged(BOB, START))):
        assert room.host is None
        second = room.seats[1].player
        hosts: list[Callable[[Room], object]] = [
            lambda room, second=second: commands.remove(room, ADA, second, START),  # type: ignore[misc]
            lambda room, second=second: commands.hand_over(room, ADA, second, START),  # type: ignore[misc]
            lambda room: commands.set_lock(room, ADA, True, START),
            lambda room: commands.set_public(room, ADA, False, START),
            lambda room: commands.set_terms(room, ADA, other, START),
            lambda room: commands.propose_terms(room, ADA, other, START),
        ]
        for act in hosts:
            assert refusal_of(partial(act, room)) == "no_host"
        assert commands.replace_host(room, ADA, START, {BOB}, START) is None
        assert then(room, commands.leave(room, ADA, START)).host is None
    waiting = match_of(ADA, BOB)
    by_hand = partial(commands.start, waiting, ADA, DEAL, "", START, present={ADA}, anyway=True)
    assert refusal_of(by_hand) == "no_host", "it starts automatically, with both players"
    left = then(with_bot(), commands.leave(with_bot(), ADA, START))
    assert then(left, commands.take_seat(left, CYD, START)).host is None


def test_a_rematch_of_a_quick_match_needs_both_players_agreement() -> None:
    room = match_of(ADA, BOB)
    room = then(room, start(room, {ADA, BOB}))
    for player in (ADA, BOB):
        room = finished(room, player, reached(1))

    def rematch(*, anyway: bool) -> Event:
        return commands.start(room, BOB, DEAL, "", START, present={ADA, BOB}, anyway=anyway)

    assert refusal_of(lambda: rematch(anyway=False)) == "not_ready"
    assert round_of(then(room, rematch(anyway=True))).players == (BOB,)
    room = then(room, commands.set_ready(room, ADA, True, START))
    assert round_of(then(room, rematch(anyway=False))).players == (ADA, BOB)


def test_the_bot_is_never_away() -> None:
    assert absence.observe(None, with_bot(), {ADA}, 0) is None
    away = absence.observe(None, with_bot(), set(), 0)
    assert away is not None
    assert away.since == {ADA: 0}
    assert absence.due(away, with_bot(), 10**9).host is None, "no member could replace the host"


def test_an_absent_player_loses_the_seat_sooner_while_another_waits() -> None:
    waiting = match_of(ADA, BOB)
    away = absence.observe(None, waiting, {ADA}, 0)
    assert away is not None
    assert absence.due(away, waiting, QUICK_ABSENCE_MS).seats == (BOB,)
    assert absence.due(away, waiting, QUICK_ABSENCE_MS - 1).later == QUICK_ABSENCE_MS
    over = finished(finished(racing(), ADA, reached(1)), PACE_BOT, reached(1))
    later = absence.observe(None, over, set(), 0)
    assert later is not None
    assert absence.due(later, over, SEAT_ABSENCE_MS - 1).seats == ()
