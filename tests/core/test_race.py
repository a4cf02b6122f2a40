"""A race room: its seats, its rounds, and its wins."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.core import race
from server.core.ids import DealId, PlayerId
from server.core.race import Event, Room
from server.core.refusal import Refusal
from server.core.stored import StoredResult
from tests.core.builders import (
    ADA,
    BOB,
    CODE,
    CYD,
    DAN,
    DEAL,
    LIMIT,
    PLAYERS,
    START,
    finished,
    opened,
    race_of,
    reached,
    room_of,
    then,
)


def members(room: Room) -> list[PlayerId]:
    return [seat.player for seat in room.seats]


def started(room: Room, player: PlayerId, deal: str = "dea1000000000001") -> Room:
    return then(room, race.start(room, player, DealId(deal), "c0ffee", START))


def test_a_room_opens_empty_for_its_host() -> None:
    room = opened()
    assert (room.host, room.seats, room.round, room.version) == (ADA, (), None, 1)
    assert room.at == START


def test_a_room_has_the_time_of_its_last_entry() -> None:
    room = room_of(ADA)
    assert then(room, race.take_seat(room, BOB, START + 7)).at == START + 7


def test_seats_are_taken_in_order_until_the_room_is_full() -> None:
    room = room_of(ADA, BOB, CYD)
    assert members(room) == [ADA, BOB, CYD]
    with pytest.raises(Refusal, match="room_full"):
        race.take_seat(room, DAN, START)


def test_a_seat_is_taken_once_even_in_a_full_room() -> None:
    room = room_of(ADA, BOB, seats=2)
    assert race.take_seat(room, BOB, START) is None


def test_a_seat_that_was_left_is_free() -> None:
    room = room_of(ADA, BOB, seats=2)
    room = then(room, race.leave(room, BOB, START))
    assert members(then(room, race.take_seat(room, CYD, START))) == [ADA, CYD]


def test_leaving_without_a_seat_does_nothing() -> None:
    assert race.leave(room_of(ADA), BOB, START) is None


@pytest.mark.parametrize(("leaver", "host"), [(ADA, BOB), (BOB, ADA), (CYD, ADA)])
def test_the_longest_seated_follows_a_host_who_leaves(leaver: PlayerId, host: PlayerId) -> None:
    room = room_of(ADA, BOB, CYD)
    assert then(room, race.leave(room, leaver, START)).host == host


def test_the_first_to_sit_in_an_empty_room_is_its_host() -> None:
    room = room_of(ADA)
    empty = then(room, race.leave(room, ADA, START))
    assert then(empty, race.take_seat(empty, BOB, START)).host == BOB
    # So it is in a room whose opener has not sat down yet.
    assert then(opened(), race.take_seat(opened(), BOB, START)).host == BOB


def test_readiness_is_set_and_withdrawn() -> None:
    room = room_of(ADA, BOB)
    ready = then(room, race.set_ready(room, BOB, True, START))
    assert [seat.ready for seat in ready.seats] == [False, True]
    assert race.set_ready(ready, BOB, True, START) is None
    back = then(ready, race.set_ready(ready, BOB, False, START))
    assert back.seats == room.seats


def test_a_round_is_run_by_the_host_and_those_who_are_ready() -> None:
    room = room_of(ADA, BOB, CYD)
    room = then(room, race.set_ready(room, CYD, True, START))
    room = then(room, race.start(room, ADA, DEAL, "c0ffee", START, rules="d1ce"))
    round_ = room.round
    assert round_ is not None
    assert (round_.number, round_.deal, round_.commitment) == (1, DEAL, "c0ffee")
    assert (round_.players, round_.rules) == ((ADA, CYD), "d1ce")
    assert round_.starts == START + race.COUNTDOWN
    assert round_.deadline == START + race.COUNTDOWN + LIMIT
    assert not any(seat.ready for seat in room.seats), (
        "everyone has to be ready anew for the next round"
    )
    assert room.running == round_


@pytest.mark.parametrize(
    ("decide", "code"),
    [
        (lambda room: race.start(room, DAN, DEAL, "", START), "not_seated"),
        (lambda room: race.start(room, BOB, DEAL, "", START), "not_host"),
        (lambda room: race.start(room, ADA, DEAL, "", START), "round_running"),
        (lambda room: race.set_ready(room, DAN, True, START), "not_seated"),
        (lambda room: race.set_ready(room, ADA, True, START), "round_running"),
    ],
)
def test_a_command_that_does_not_fit_a_running_round_is_refused(
    decide: Callable[[Room], Event | None], code: str
) -> None:
    with pytest.raises(Refusal, match=code):
        decide(race_of(ADA, BOB))


def test_a_round_is_over_when_its_last_runner_is() -> None:
    room = finished(race_of(ADA, BOB), ADA, reached(3))
    assert room.running is not None
    assert room.running.unfinished() == [BOB]
    assert room.wins == {}
    room = finished(room, BOB, reached(5))
    assert room.running is None
    assert room.round is not None
    assert room.round.results == {ADA: reached(3), BOB: reached(5)}
    assert room.round.ranks() == {BOB: 1, ADA: 2}
    assert room.wins == {BOB: 1}


def test_a_finish_counts_once() -> None:
    room = race_of(ADA, BOB)
    event = race.finish(room, DEAL, ADA, reached(3), START + 9)
    assert event == race.RunnerFinished(1, ADA, StoredResult.of(reached(3)), START + 9)
    room = then(room, event)
    assert race.finish(room, DEAL, ADA, reached(9), START) is None


@pytest.mark.parametrize(
    ("deal", "player"), [(DealId("0ther00000000000"), ADA), (DEAL, CYD), (DEAL, DAN)]
)
def test_a_finish_of_another_deal_or_of_no_runner_is_ignored(
    deal: DealId, player: PlayerId
) -> None:
    room = race_of(ADA, BOB)
    room = then(room, race.take_seat(room, CYD, START))
    assert race.finish(room, deal, player, reached(1), START) is None


def test_equal_results_share_a_rank_and_the_win() -> None:
    room = race_of(ADA, BOB, CYD)
    for player, home in ((ADA, 7), (BOB, 7), (CYD, 2)):
        room = finished(room, player, reached(home, time=50, moves=9))
    assert room.round is not None
    assert room.round.ranks() == {ADA: 1, BOB: 1, CYD: 3}
    assert room.wins == {ADA: 1, BOB: 1}


def test_a_runner_alone_wins_nothing() -> None:
    assert finished(race_of(ADA), ADA, reached(52)).wins == {}


def test_a_rematch_keeps_the_wins() -> None:
    room = race_of(ADA, BOB)
    room = finished(finished(room, ADA, reached(9)), BOB, reached(5))
    room = then(room, race.set_ready(room, BOB, True, START))
    room = started(room, ADA, DEAL)
    assert room.round is not None
    assert (room.round.number, room.round.results) == (2, {})
    assert room.wins == {ADA: 1}
    room = finished(finished(room, ADA, reached(9)), BOB, reached(5))
    assert room.wins == {ADA: 2}


def test_a_runner_who_leaves_still_runs_and_a_newcomer_does_not() -> None:
    room = race_of(ADA, BOB)
    room = then(room, race.leave(room, ADA, START))
    room = then(room, race.take_seat(room, CYD, START))
    assert (room.host, members(room)) == (BOB, [BOB, CYD])
    assert room.running is not None
    assert room.running.players == (ADA, BOB)
    room = finished(finished(room, BOB, reached(1)), ADA, reached(2))
    assert room.wins == {ADA: 1}


def test_an_attempt_of_a_round_is_named_by_deal_and_player() -> None:
    running = race_of(ADA, BOB).running
    assert running is not None
    assert running.attempt(BOB) == f"{DEAL}.{BOB}"


JOURNAL: list[tuple[Event, str]] = [
    (
        opened().opened,
        '{"type":"opened","code":"H7KQ2","host":"ada0000000000000","game":"robert",'
        '"variant":"standard","seats":3,"limit":900000,"at":4102488000000}',
    ),
    (
        race.SeatTaken(BOB, START),
        '{"type":"taken","player":"b0b0000000000000","at":4102488000000}',
    ),
    (
        race.SeatLeft(BOB, START),
        '{"type":"left","player":"b0b0000000000000","at":4102488000000}',
    ),
    (
        race.ReadySet(BOB, True, START),
        '{"type":"ready","player":"b0b0000000000000","ready":true,"at":4102488000000}',
    ),
    (
        race.RoundStarted(1, DEAL, "c0ffee", (ADA, BOB), START + 1, START + 2, START),
        '{"type":"round","number":1,"deal":"dea1000000000000","commitment":"c0ffee",'
        '"players":["ada0000000000000","b0b0000000000000"],'
        '"starts":4102488000001,"deadline":4102488000002,"at":4102488000000}',
    ),
    (
        race.RunnerFinished(1, BOB, StoredResult.of(reached(3, 40, 5)), START),
        '{"type":"finished","number":1,"player":"b0b0000000000000",'
        '"result":{"home":3,"left":49,"time":40,"moves":5,"end":"resigned"},"at":4102488000000}',
    ),
]


@pytest.mark.parametrize(("event", "text"), JOURNAL)
def test_an_entry_keeps_its_stored_form(event: Event, text: str) -> None:
    assert msgspec.json.encode(event).decode() == text
    decoded: Event = msgspec.json.decode(text, type=Event)
    assert decoded == event


Command = Callable[[Room], Event | None]


@st.composite
def commands(draw: st.DrawFn) -> Command:
    """Draw a command of a player, which may be refused."""
    player = draw(st.sampled_from(PLAYERS))
    kind = draw(st.sampled_from(["take", "leave", "ready", "unready", "start", "finish"]))
    result = reached(draw(st.integers(0, 2)))

    def decide(room: Room) -> Event | None:
        number = room.round.number if room.round else 0
        match kind:
            case "take":
                return race.take_seat(room, player, START)
            case "leave":
                return race.leave(room, player, START)
            case "start":
                deal = DealId(f"dea10000000000{number:02}")
                return race.start(room, room.host, deal, "c0ffee", START)
            case "finish":
                deal = room.round.deal if room.round else DEAL
                return race.finish(room, deal, player, result, START)
        return race.set_ready(room, player, kind == "ready", START)

    return decide


def check_invariants(before: Room, room: Room) -> None:
    """Check what holds after every event."""
    assert room.version == before.version + 1
    assert len(room.seats) <= room.opened.seats
    assert len(set(members(room))) == len(room.seats)
    if room.seats:
        assert room.seat_of(room.host)
    if room.round is not None:
        assert room.round.results.keys() <= set(room.round.players)
        assert room.round.players, "a round has a runner"
        assert room.round.over == (not room.round.unfinished())
    if room.running:
        assert not any(seat.ready for seat in room.seats)
    assert sum(room.wins.values()) >= sum(before.wins.values())


@settings(max_examples=150)
@given(st.integers(1, 4), st.lists(commands(), max_size=40))
def test_any_order_of_commands_keeps_the_invariants_of_a_room(
    seats: int, given_: list[Command]
) -> None:
    room = opened(seats)
    journal: list[Event] = [room.opened]
    for decide in given_:
        try:
            event = decide(room)
        except Refusal:
            continue
        if event is not None:
            before, room = room, race.fold(room, event)
            journal.append(event)
            check_invariants(before, room)
    again: Room | None = None
    for event in journal:
        decoded: Event = msgspec.json.decode(msgspec.json.encode(event), type=Event)
        again = race.fold(again, decoded)
    assert again == room
    assert room.opened.code == CODE
