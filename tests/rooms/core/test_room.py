"""A race room: its seats, its rounds, and its wins."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.base.core.ids import BOT_START, DealId, PlayerId
from server.base.core.refusal import Refusal
from server.play.core.result import Result
from server.rooms.core import commands as race_commands
from server.rooms.core import events
from server.rooms.core import room as race
from server.rooms.core.absence import QUICK_ABSENCE_MS, SEAT_ABSENCE_MS
from server.rooms.core.effects import race_over
from server.rooms.core.events import Event, Terms
from server.rooms.core.room import MAX_SCORES, Room
from tests.builders import (
    ADA,
    BOB,
    CODE,
    CYD,
    DAN,
    DEAL,
    LIMIT,
    PLAYERS,
    START,
    agreed,
    finished,
    opened,
    race_of,
    reached,
    refusal_of,
    room_of,
    round_of,
    running_in,
    then,
)
from tests.rooms.core.acts import OTHER, Act, acts, step
from tests.sizes import cases


def members(room: Room) -> list[PlayerId]:
    return [seat.player for seat in room.seats]


def words(room: Room) -> list[tuple[bool, bool]]:
    return [(seat.ready, seat.out) for seat in room.seats]


def started(room: Room, player: PlayerId, deal: str = DEAL, home: int = 0) -> Room:
    room = agreed(room)
    event = race_commands.start(
        room, player, DealId(deal), "c0ffee", START, present=members(room), home=home
    )
    return then(room, event)


def start(
    room: Room, player: PlayerId, present: tuple[PlayerId, ...] = PLAYERS, *, anyway: bool = False
) -> events.RoundStarted:
    event = race_commands.start(room, player, DEAL, "", START, present=present, anyway=anyway)
    assert isinstance(event, events.RoundStarted)
    return event


def test_a_room_opens_empty_for_its_host() -> None:
    room = opened()
    assert (room.host, room.seats, room.round, room.version, room.at) == (ADA, (), None, 1, START)
    assert then(room, race_commands.take_seat(room, BOB, START + 7)).at == START + 7


def test_colours_stay_when_a_round_starts_and_when_a_runner_leaves() -> None:
    room = room_of(ADA, BOB, CYD)
    assert (set(room.colours), len(set(room.colours.values()))) == ({ADA, BOB, CYD}, 3)
    room = then(room, race_commands.set_ready(room, BOB, False, START))
    running = started(room, ADA)
    assert round_of(running).players == (ADA, CYD)
    left = then(running, race_commands.leave(running, ADA, START))
    come = then(left, race_commands.take_seat(left, DAN, START))
    for later in (running, left, come):
        assert {player: later.colours[player] for player in (ADA, BOB, CYD)} == room.colours
    assert len(set(come.colours.values())) == 4


def test_seats_are_taken_in_order_until_the_room_is_full() -> None:
    room = room_of(ADA, BOB, CYD)
    assert members(room) == [ADA, BOB, CYD]
    assert refusal_of(lambda: race_commands.take_seat(room, DAN, START)) == "room_full"


def test_a_seat_is_taken_once_until_it_is_left() -> None:
    room = room_of(ADA, BOB, seats=2)
    assert race_commands.take_seat(room, BOB, START) is None
    room = then(room, race_commands.leave(room, BOB, START))
    assert members(then(room, race_commands.take_seat(room, CYD, START))) == [ADA, CYD]


def test_only_players_of_the_last_round_can_repeat_leaving() -> None:
    assert refusal_of(lambda: race_commands.leave(room_of(ADA), BOB, START)) == "unknown_room"
    room = race_of(ADA, BOB)
    left = then(room, race_commands.leave(room, BOB, START))
    assert race_commands.leave(left, BOB, START) is None
    assert refusal_of(lambda: race_commands.leave(left, CYD, START)) == "unknown_room"


def test_the_longest_seated_member_replaces_a_host_who_leaves() -> None:
    room = room_of(ADA, BOB, CYD)
    for leaver, host in ((ADA, BOB), (BOB, ADA), (CYD, ADA)):
        assert then(room, race_commands.leave(room, leaver, START)).host == host


def test_the_first_member_of_an_empty_room_becomes_its_host() -> None:
    room = room_of(ADA)
    empty = then(room, race_commands.leave(room, ADA, START))
    assert then(empty, race_commands.take_seat(empty, BOB, START)).host == BOB
    # The same holds for a room whose creator has not taken a seat yet.
    assert then(opened(), race_commands.take_seat(opened(), BOB, START)).host == BOB


def test_members_agree_to_the_first_round_unless_they_sit_out() -> None:
    room = room_of(ADA, BOB)
    assert words(room) == [(True, False), (True, False)]
    assert race_commands.set_ready(room, BOB, True, START) is None
    out = then(room, race_commands.set_ready(room, BOB, False, START))
    assert words(out) == [(True, False), (False, True)]
    assert race_commands.set_ready(out, BOB, False, START) is None
    again = started(out, ADA)
    assert words(again) == [(False, False), (False, True)], "members sit out until they agree"
    assert then(out, race_commands.set_ready(out, BOB, True, START)).seats == room.seats


def test_each_later_round_needs_a_new_agreement() -> None:
    over = finished(finished(race_of(ADA, BOB, CYD), ADA, reached(1)), BOB, reached(2))
    over = finished(over, CYD, reached(3))
    assert words(over) == [(False, False)] * 3
    assert refusal_of(lambda: start(over, BOB)) == "not_ready"
    event = start(over, BOB, anyway=True)
    assert (event.players, event.by) == ((BOB,), BOB), "no member is entered by another"
    ready = agreed(over, ADA)
    assert refusal_of(lambda: start(ready, BOB)) == "not_ready"
    assert refusal_of(lambda: start(ready, BOB, (ADA, BOB))) == "players_away"
    both = start(ready, BOB, anyway=True)
    assert both.players == (ADA, BOB)
    # Members who sit out do not block the start, and newcomers have not agreed.
    idle = then(ready, race_commands.set_ready(ready, CYD, False, START))
    assert start(idle, BOB) == both
    late = then(idle, race_commands.leave(idle, CYD, START))
    late = then(late, race_commands.take_seat(late, DAN, START))
    assert words(late)[-1] == (False, False)


def test_new_terms_reset_the_agreement_of_all_but_the_host() -> None:
    room = room_of(ADA, BOB)
    assert words(then(room, race_commands.set_terms(room, ADA, OTHER, START))) == words(room)
    over = agreed(finished(finished(race_of(ADA, BOB), ADA, reached(1)), BOB, reached(2)))
    assert words(over) == [(True, False)] * 2
    proposed = then(over, race_commands.propose_terms(over, BOB, OTHER, START))
    kept = then(proposed, race_commands.set_terms(proposed, ADA, over.terms, START))
    assert words(kept) == words(over), "the terms are the same"
    other = then(over, race_commands.set_terms(over, ADA, OTHER, START))
    assert words(other) == [(True, False), (False, False)]


def test_a_round_starts_with_the_present_members_who_do_not_sit_out() -> None:
    room = room_of(ADA, BOB, CYD, DAN, seats=4)
    room = then(room, race_commands.set_ready(room, BOB, False, START))
    event = race_commands.start(
        room, ADA, DEAL, "c0ffee", START, present=[BOB, CYD], anyway=True, rules="d1ce", home=4
    )
    room = then(room, event)
    round_ = room.round
    assert round_ is not None
    assert (round_.number, round_.deal, round_.commitment) == (1, DEAL, "c0ffee")
    # The member who gives the command counts as present.
    assert (round_.players, round_.rules, round_.home) == ((ADA, CYD), "d1ce", 4)
    assert round_.starts == START + race_commands.COUNTDOWN_MS
    assert (round_.deadline, room.running) == (START + race_commands.COUNTDOWN_MS + LIMIT, round_)


def test_a_start_excludes_absent_members_only_if_requested() -> None:
    room = room_of(ADA, BOB, CYD)
    assert refusal_of(lambda: start(room, ADA, (ADA, CYD))) == "players_away"
    assert round_of(then(room, start(room, ADA, (ADA, CYD), anyway=True))).players == (ADA, CYD)
    out = then(room, race_commands.set_ready(room, BOB, False, START))
    assert start(out, ADA, (ADA, CYD)).players == (ADA, CYD)


def test_a_host_can_sit_out_but_a_round_needs_a_player() -> None:
    room = room_of(ADA, BOB)
    room = then(room, race_commands.set_ready(room, ADA, False, START))
    assert start(room, ADA).players == (BOB,)
    for away, out in (((ADA,), ()), (PLAYERS, (BOB,))):
        nobody = room
        for player in out:
            nobody = then(nobody, race_commands.set_ready(nobody, player, False, START))
        with pytest.raises(Refusal, match="nobody_plays"):
            start(nobody, ADA, away, anyway=True)


@pytest.mark.parametrize(
    ("decide", "code"),
    [
        (lambda room: start(room, DAN), "unknown_room"),
        (lambda room: start(room, BOB), "round_running"),
        (lambda room: start(room, ADA), "round_running"),
        (lambda room: race_commands.set_ready(room, DAN, True, START), "unknown_room"),
        (lambda room: race_commands.set_ready(room, ADA, True, START), "round_running"),
        (lambda room: race_commands.set_terms(room, DAN, OTHER, START), "unknown_room"),
        (lambda room: race_commands.set_terms(room, BOB, OTHER, START), "not_host"),
        (lambda room: race_commands.set_terms(room, ADA, OTHER, START), "round_running"),
        (lambda room: race_commands.propose_terms(room, DAN, OTHER, START), "unknown_room"),
        (lambda room: race_commands.propose_terms(room, BOB, OTHER, START), "round_running"),
        (lambda room: race_commands.remove(room, DAN, BOB, START), "unknown_room"),
        (lambda room: race_commands.remove(room, BOB, ADA, START), "not_host"),
        (lambda room: race_commands.remove(room, ADA, BOB, START), "round_running"),
        (lambda room: race_commands.hand_over(room, DAN, BOB, START), "unknown_room"),
        (lambda room: race_commands.hand_over(room, BOB, BOB, START), "not_host"),
        (lambda room: race_commands.hand_over(room, ADA, DAN, START), "not_seated"),
        (lambda room: race_commands.set_lock(room, DAN, True, START), "unknown_room"),
        (lambda room: race_commands.set_lock(room, BOB, True, START), "not_host"),
        (lambda room: race_commands.set_public(room, DAN, True, START), "unknown_room"),
        (lambda room: race_commands.set_public(room, BOB, True, START), "not_host"),
    ],
)
def test_running_rounds_refuse_commands(decide: Callable[[Room], Event | None], code: str) -> None:
    assert refusal_of(lambda: decide(race_of(ADA, BOB))) == code


def test_the_host_starts_the_first_round_and_any_member_a_rematch() -> None:
    room = room_of(ADA, BOB)
    assert refusal_of(lambda: start(room, BOB)) == "not_host"
    room = started(room, ADA)
    room = finished(finished(room, ADA, reached(1)), BOB, reached(2))
    rematch = started(room, BOB, "dea1000000000001")
    assert (round_of(rematch).number, round_of(rematch).results, rematch.host) == (2, {}, ADA)


def test_a_runner_cannot_be_removed_even_after_finishing() -> None:
    room = finished(then(race_of(ADA, BOB), events.SeatTaken(CYD, START)), BOB, reached(1))
    assert refusal_of(lambda: race_commands.remove(room, ADA, BOB, START)) == "round_running"
    room = then(room, race_commands.remove(room, ADA, CYD, START))
    assert members(room) == [ADA, BOB], "members outside the round can be removed"
    over = finished(room, ADA, reached(2))
    assert members(then(over, race_commands.remove(over, ADA, BOB, START))) == [ADA]


def test_rounds_with_members_who_joined_a_public_room_are_public() -> None:
    room = room_of(ADA)
    room = then(room, race_commands.set_public(room, ADA, True, START))
    room = then(room, race_commands.take_seat(room, BOB, START))
    room = then(room, race_commands.set_public(room, ADA, False, START))
    room = then(room, race_commands.take_seat(room, CYD, START))
    assert [seat.public for seat in room.seats] == [False, True, False]
    assert round_of(started(room, ADA)).public
    friends = started(then(room, race_commands.set_ready(room, BOB, False, START)), ADA)
    assert not round_of(friends).public


def test_a_change_of_host_a_removal_and_a_lock_revoke_watch_keys() -> None:
    room = room_of(ADA, BOB, CYD)
    ends = [
        race_commands.hand_over(room, ADA, BOB, START),
        race_commands.replace_host(room, ADA, START, [BOB], START),
        race_commands.leave(room, ADA, START),
        race_commands.remove(room, ADA, BOB, START),
        race_commands.set_lock(room, ADA, True, START),
    ]
    assert [then(room, event).watch_epoch for event in ends] == [1] * len(ends)
    stays = [
        race_commands.leave(room, BOB, START),
        race_commands.set_public(room, ADA, True, START),
        race_commands.set_terms(room, ADA, OTHER, START),
        race_commands.set_ready(room, BOB, False, START),
        start(room, ADA),
    ]
    assert [then(room, event).watch_epoch for event in stays] == [0] * len(stays)
    locked = then(room, ends[-1])
    assert then(locked, race_commands.set_lock(locked, ADA, False, START)).watch_epoch == 1


def test_a_removed_player_cannot_return() -> None:
    room = room_of(ADA, BOB, CYD)
    event = race_commands.remove(room, ADA, BOB, START + 5)
    assert event == events.SeatLeft(BOB, START + 5, ADA)
    room = then(room, event)
    assert members(room) == [ADA, CYD]
    assert refusal_of(lambda: race_commands.take_seat(room, BOB, START)) == "removed"
    assert race_commands.remove(room, ADA, BOB, START) is None
    assert race_commands.remove(room, ADA, ADA, START) is None, "hosts cannot remove themselves"
    left = then(room, race_commands.leave(room, CYD, START))
    assert members(then(left, race_commands.take_seat(left, CYD, START))) == [ADA, CYD]


def test_a_host_can_hand_over() -> None:
    room = room_of(ADA, BOB, CYD)
    assert race_commands.hand_over(room, ADA, ADA, START) is None
    room = then(room, race_commands.hand_over(room, ADA, CYD, START))
    assert (room.host, members(room)) == (CYD, [ADA, BOB, CYD])
    assert refusal_of(lambda: race_commands.hand_over(room, ADA, ADA, START)) == "not_host"


def test_an_absent_host_is_replaced_by_the_longest_seated_present_member() -> None:
    room = room_of(ADA, BOB, CYD, DAN, seats=4)
    event = race_commands.replace_host(room, ADA, START, {DAN, CYD}, START)
    assert event == events.HostChanged(CYD, START)
    room = then(room, event)
    # Another node decides the same a moment later, or with other members present.
    for present in ({DAN, CYD}, {BOB, DAN}):
        assert race_commands.replace_host(room, ADA, START, present, START) is None
    for present in ({CYD, BOB}, set[PlayerId]()):  # the host has returned, or all are absent
        assert race_commands.replace_host(room, CYD, START, present, START) is None


def test_an_absent_member_loses_the_seat_except_during_a_round() -> None:
    room = race_of(ADA, BOB)
    assert room.round is not None
    seen = room.round.starts
    assert race_commands.free_seat(room, BOB, seen, SEAT_ABSENCE_MS, START) is None
    room = finished(finished(room, ADA, reached(1)), BOB, reached(2))
    event = race_commands.free_seat(room, BOB, seen, SEAT_ABSENCE_MS, START)
    assert event == events.SeatLeft(BOB, START)
    room = then(room, event)
    assert race_commands.free_seat(room, BOB, seen, SEAT_ABSENCE_MS, START) is None
    assert members(then(room, race_commands.take_seat(room, BOB, START))) == [ADA, BOB]


def test_a_member_who_acted_unseen_keeps_the_seat_for_the_longer_absence() -> None:
    room = room_of(ADA, BOB)
    assert race_commands.free_seat(room, BOB, START, QUICK_ABSENCE_MS - 1, START) is None
    assert race_commands.free_seat(room, BOB, START, QUICK_ABSENCE_MS, START) is not None
    room = then(room, race_commands.set_ready(room, BOB, False, START))
    assert race_commands.free_seat(room, BOB, START, SEAT_ABSENCE_MS - 1, START) is None
    assert race_commands.free_seat(room, BOB, START, SEAT_ABSENCE_MS, START) is not None


def test_an_absence_does_not_concern_a_seat_that_was_taken_again() -> None:
    room = room_of(ADA, BOB)
    room = then(room, race_commands.leave(room, ADA, START))
    room = then(room, race_commands.take_seat(room, ADA, START + 1))
    room = then(room, race_commands.hand_over(room, BOB, ADA, START + 2))
    assert race_commands.replace_host(room, ADA, START, {BOB}, START + 3) is None
    assert race_commands.replace_host(room, ADA, START + 1, {BOB}, START + 3) is not None
    assert race_commands.free_seat(room, ADA, START, SEAT_ABSENCE_MS, START + 3) is None
    assert race_commands.free_seat(room, ADA, START + 1, SEAT_ABSENCE_MS, START + 3) is not None


def test_a_round_is_public_if_its_room_was_at_any_time() -> None:
    room = race_of(ADA, BOB)
    assert not round_of(room).public
    assert race_commands.set_public(room, ADA, False, START) is None
    opened_ = then(room, race_commands.set_public(room, ADA, True, START))
    closed = then(opened_, race_commands.set_public(opened_, ADA, False, START))
    assert (opened_.public, round_of(opened_).public) == (True, True)
    assert (closed.public, round_of(closed).public) == (False, True)
    over = finished(finished(closed, ADA, reached(1)), BOB, reached(2))
    assert round_of(over).public
    assert not round_of(started(over, ADA, "dea2000000000000")).public
    waiting = room_of(ADA, BOB)
    waiting = then(waiting, race_commands.set_public(waiting, ADA, True, START))
    assert round_of(started(waiting, ADA)).public


BOT = PlayerId(f"{BOT_START}0000000000")


def test_strangers_never_meet_a_players_bot_in_any_order_of_events() -> None:
    room = room_of(ADA)
    public = then(room, race_commands.set_public(room, ADA, True, START))
    let_in = then(room, race_commands.take_seat(room, BOT, START))
    # A stranger may have joined while the room was public.
    joined = then(public, race_commands.take_seat(public, CYD, START))
    for state in (public, then(joined, race_commands.set_public(joined, ADA, False, START))):
        with pytest.raises(Refusal, match="not_for_bots"):
            race_commands.take_seat(state, BOT, START)
    assert refusal_of(lambda: race_commands.set_public(let_in, ADA, True, START)) == "not_for_bots"
    assert race_commands.take_seat(let_in, CYD, START) is not None
    left = then(let_in, race_commands.leave(let_in, BOT, START))
    assert race_commands.set_public(left, ADA, True, START) is not None


def test_bots_are_not_part_of_a_race() -> None:
    for players, raced in (((ADA, BOT, BOB), {ADA, BOB}), ((ADA, BOT), None)):
        room = race_of(*players)
        for player in players:
            room = finished(room, player, reached(5, 900, 9))
        race_ = race_over(room)
        assert (race_ and set(race_.results)) == raced


def test_a_locked_room_takes_no_new_members() -> None:
    room = room_of(ADA, BOB)
    assert race_commands.set_lock(room, ADA, False, START) is None
    room = then(room, race_commands.set_lock(room, ADA, True, START))
    assert race_commands.set_lock(room, ADA, True, START) is None
    assert race_commands.take_seat(room, BOB, START) is None
    assert refusal_of(lambda: race_commands.take_seat(room, CYD, START)) == "room_locked"
    unlocked = then(room, race_commands.set_lock(room, ADA, False, START))
    assert race_commands.take_seat(unlocked, CYD, START) is not None
    for player in (ADA, BOB):
        room = then(room, race_commands.leave(room, player, START))
    # No member remains to unlock it.
    assert then(room, race_commands.take_seat(room, CYD, START)).host == CYD


def test_a_round_keeps_its_terms() -> None:
    room = room_of(ADA, BOB)
    before = room.terms
    assert before == Terms("robert", "standard", LIMIT)
    room = finished(finished(started(room, ADA), ADA, reached(1)), BOB, reached(2))
    assert race_commands.set_terms(room, ADA, before, START) is None
    room = then(room, race_commands.set_terms(room, ADA, OTHER, START))
    assert (room.terms, round_of(room).terms) == (OTHER, before)
    room = started(room, BOB, "dea1000000000001")
    assert room.round is not None
    assert (room.round.terms, room.round.deadline - room.round.starts) == (OTHER, OTHER.limit)


def test_the_latest_proposal_of_each_member_stands_until_terms_are_set() -> None:
    room = room_of(ADA, BOB, CYD)
    longer = Terms("robert", "standard", LIMIT + 60_000)
    assert race_commands.propose_terms(room, BOB, room.terms, START) is None
    for player, terms in ((BOB, OTHER), (CYD, OTHER), (BOB, longer)):
        room = then(room, race_commands.propose_terms(room, player, terms, START))
    assert room.proposals == {BOB: longer, CYD: OTHER}
    assert race_commands.propose_terms(room, BOB, longer, START) is None
    assert then(room, race_commands.leave(room, BOB, START)).proposals == {CYD: OTHER}
    assert started(room, ADA).proposals == {}
    # The host rejects them by setting the current terms again.
    kept = then(room, race_commands.set_terms(room, ADA, room.terms, START))
    assert (kept.terms, kept.proposals) == (room.terms, {})


def test_a_round_is_over_when_its_last_runner_has_finished() -> None:
    room = finished(race_of(ADA, BOB), ADA, reached(3))
    assert (running_in(room).unfinished(), room.wins) == ([BOB], {})
    room = finished(room, BOB, reached(5))
    assert (room.running, round_of(room).results) == (None, {ADA: reached(3), BOB: reached(5)})
    assert (round_of(room).ranks(), room.wins) == ({BOB: 1, ADA: 2}, {BOB: 1})
    assert room.points == {BOB: 1}


def test_a_finish_counts_once_and_only_for_the_rounds_deal_and_runners() -> None:
    room = race_of(ADA, BOB)
    room = then(room, race_commands.take_seat(room, CYD, START))
    for deal, player in ((DealId("0ther00000000000"), ADA), (DEAL, CYD), (DEAL, DAN)):
        assert race_commands.finish(room, deal, player, reached(1), START) is None
    event = race_commands.finish(room, DEAL, ADA, reached(3), START + 9)
    assert event == events.RunnerFinished(1, ADA, reached(3), START + 9)
    room = then(room, event)
    assert race_commands.finish(room, DEAL, ADA, reached(9), START) is None


@pytest.mark.parametrize(
    ("home", "results", "ranks", "points"),
    [
        # Runs without a card home share the last rank.
        (4, (reached(4), reached(4, 0, 30), reached(5, 90, 200)), (3, 3, 1), (0, 0, 2)),
        (0, (reached(0), reached(0)), (2, 2), (0, 0)),
        (0, (reached(7, 50, 9), reached(7, 50, 9), reached(2, 50, 9)), (1, 1, 3), (1, 1, 0)),
    ],
)
def test_players_are_ranked_by_their_results_and_the_first_win(
    home: int, results: tuple[Result, ...], ranks: tuple[int, ...], points: tuple[int, ...]
) -> None:
    players = PLAYERS[: len(results)]
    room = started(room_of(*players), ADA, home=home)
    for player, result in zip(players, results, strict=True):
        room = finished(room, player, result)
    assert round_of(room).ranks() == dict(zip(players, ranks, strict=True))
    assert room.wins == {
        player: 1 for player, rank in zip(players, ranks, strict=True) if rank == 1
    }
    every = dict(zip(players, points, strict=True))
    assert room.scores[-1].points == every
    assert room.points == {player: count for player, count in every.items() if count}


def test_points_are_summed_and_the_latest_scores_are_kept() -> None:
    room = room_of(ADA, BOB, CYD)
    for number in range(MAX_SCORES + 2):
        deal = DealId(f"dea1{number:012}")
        room = started(room, ADA, deal)
        for player, home in ((ADA, 1), (BOB, 3), (CYD, 3)):
            room = then(room, race_commands.finish(room, deal, player, reached(home), START))
    assert room.points == room.wins == {BOB: MAX_SCORES + 2, CYD: MAX_SCORES + 2}
    assert [score.number for score in room.scores] == list(range(3, MAX_SCORES + 3))
    last = room.scores[-1]
    assert (last.game, last.ranks) == ("robert", {BOB: 1, CYD: 1, ADA: 3})
    assert last.points == {ADA: 0, BOB: 1, CYD: 1}


def test_former_members_are_kept_while_a_score_includes_them() -> None:
    room = finished(finished(race_of(ADA, BOB), ADA, reached(1)), BOB, reached(3))
    assert room.former == []
    room = then(room, race_commands.leave(room, BOB, START))
    assert (room.former, room.points) == ([BOB], {BOB: 1})
    room = then(room, race_commands.take_seat(room, CYD, START))
    for number in range(MAX_SCORES):
        assert room.former == [BOB]
        deal = DealId(f"dea1{number:012}")
        room = started(room, ADA, deal)
        for player in (ADA, CYD):
            room = then(room, race_commands.finish(room, deal, player, reached(1), START))
    assert room.former == []


def test_a_single_runner_wins_nothing() -> None:
    room = finished(race_of(ADA), ADA, reached(52))
    assert (room.wins, room.points, room.scores, round_of(room).winners()) == ({}, {}, (), [ADA])
    assert round_of(finished(started(room_of(ADA), ADA), ADA, reached(0))).winners() == []


def test_a_runner_who_leaves_still_runs_and_a_newcomer_does_not() -> None:
    room = race_of(ADA, BOB)
    room = then(room, race_commands.leave(room, ADA, START))
    room = then(room, race_commands.take_seat(room, CYD, START))
    assert (room.host, members(room), running_in(room).players) == (BOB, [BOB, CYD], (ADA, BOB))
    room = finished(finished(room, BOB, reached(1)), ADA, reached(2))
    assert room.wins == {ADA: 1}


JOURNAL: list[tuple[Event, str]] = [
    (
        events.RoomOpened(CODE, ADA, "robert", "standard", 2, LIMIT, START, quick=True),
        '{"type":"opened","code":"H7KQ2","host":"ada0000000000000","game":"robert",'
        '"variant":"standard","seats":2,"limit":900000,"at":4102488000000,"quick":true}',
    ),
    (
        opened().opened,
        '{"type":"opened","code":"H7KQ2","host":"ada0000000000000","game":"robert",'
        '"variant":"standard","seats":3,"limit":900000,"at":4102488000000}',
    ),
    (
        events.SeatTaken(BOB, START),
        '{"type":"taken","player":"b0b0000000000000","at":4102488000000}',
    ),
    (events.SeatLeft(BOB, START), '{"type":"left","player":"b0b0000000000000","at":4102488000000}'),
    (
        events.SeatLeft(BOB, START, ADA),
        '{"type":"left","player":"b0b0000000000000","at":4102488000000,"by":"ada0000000000000"}',
    ),
    (
        events.HostChanged(BOB, START),
        '{"type":"host","player":"b0b0000000000000","at":4102488000000}',
    ),
    (
        events.TermsSet(OTHER, START),
        '{"type":"terms","terms":{"game":"roosevelt","variant":"standard","limit":60000},'
        '"at":4102488000000}',
    ),
    (
        events.TermsProposed(BOB, OTHER, START),
        '{"type":"proposed","player":"b0b0000000000000",'
        '"terms":{"game":"roosevelt","variant":"standard","limit":60000},"at":4102488000000}',
    ),
    (events.LockSet(True, START), '{"type":"lock","locked":true,"at":4102488000000}'),
    (events.PublicSet(True, START), '{"type":"public","public":true,"at":4102488000000}'),
    (
        events.RoundStarted(1, DEAL, "c0ffee", (ADA,), START + 1, START + 2, START, "d1ce", 0, ADA),
        '{"type":"round","number":1,"deal":"dea1000000000000","commitment":"c0ffee",'
        '"players":["ada0000000000000"],"starts":4102488000001,"deadline":4102488000002,'
        '"at":4102488000000,"rules":"d1ce","home":0,"by":"ada0000000000000"}',
    ),
    (
        events.ReadySet(BOB, True, START),
        '{"type":"ready","player":"b0b0000000000000","ready":true,"at":4102488000000}',
    ),
    (
        events.RoundStarted(1, DEAL, "c0ffee", (ADA, BOB), START + 1, START + 2, START, "d1ce", 4),
        '{"type":"round","number":1,"deal":"dea1000000000000","commitment":"c0ffee",'
        '"players":["ada0000000000000","b0b0000000000000"],'
        '"starts":4102488000001,"deadline":4102488000002,"at":4102488000000,'
        '"rules":"d1ce","home":4}',
    ),
    (
        events.RunnerFinished(1, BOB, reached(3, 40, 5), START),
        '{"type":"finished","number":1,"player":"b0b0000000000000",'
        '"result":{"home":3,"left":49,"time":40,"moves":5,"end":"resigned"},"at":4102488000000}',
    ),
]


@pytest.mark.parametrize(("event", "text"), JOURNAL)
def test_an_entry_keeps_its_stored_form(event: Event, text: str) -> None:
    assert msgspec.json.encode(event).decode() == text
    decoded: Event = msgspec.json.decode(text, type=Event)
    assert decoded == event


def check_invariants(before: Room, event: Event, room: Room) -> None:
    assert room.version == before.version + 1
    assert len(room.seats) <= room.opened.seats
    assert len(set(members(room))) == len(room.seats)
    if room.seats:
        assert room.seat_of(room.host)
    assert not any(seat.ready and seat.out for seat in room.seats)
    assert set(room.removed).isdisjoint(members(room))
    assert room.proposals.keys() <= set(members(room))
    if room.round is not None:
        assert room.round.results.keys() <= set(room.round.players)
        assert room.round.players, "a round has a runner"
        assert room.round.over == (not room.round.unfinished())
        if before.round is not None and before.round.number == room.round.number:
            assert room.round.terms == before.round.terms
    if isinstance(event, events.RoundStarted):
        ready = {seat.player for seat in before.seats if seat.ready}
        assert set(event.players) <= ready | {event.by}
        assert not any(seat.ready for seat in room.seats), "each round needs a new agreement"
        assert round_of(room).terms == before.terms == room.terms
    if isinstance(event, events.TermsSet | events.RoundStarted):
        assert not room.proposals
    check_scores(before, room)


def check_scores(before: Room, room: Room) -> None:
    """Check that wins, points and scores change only with the end of a round of several players."""
    round_ = room.round
    ended = before.running is not None and room.running is None
    if round_ is None or not ended or len(round_.players) == 1:
        counted = (before.wins, before.points, before.scores)
        assert (room.wins, room.points, room.scores) == counted
        return
    score = room.scores[-1]
    assert (score.number, score.game) == (round_.number, round_.terms.game)
    assert score.points == {
        player: sum(score.ranks[other] > rank for other in round_.players)
        for player, rank in score.ranks.items()
    }
    won = {player for player in round_.players if room.wins.get(player) != before.wins.get(player)}
    best = max(round_.players, key=lambda player: round_.results[player].home)
    assert won == {player for player, rank in score.ranks.items() if rank == 1}
    assert bool(won) == (round_.results[best].home > 0)
    gained = sum(room.points.values()) - sum(before.points.values())
    assert gained == sum(score.points.values())


@settings(max_examples=cases(40, 200))
@given(st.integers(1, 4), st.lists(acts(), min_size=20, max_size=50))
def test_commands_in_any_order_keep_a_rooms_invariants(seats: int, given_: list[Act]) -> None:
    room = opened(seats)
    journal: list[Event] = [room.opened]
    for act in given_:
        if (event := step(room, act)) is not None:
            before, room = room, race.fold(room, event)
            journal.append(event)
            check_invariants(before, event, room)
    again: Room | None = None
    for event in journal:
        decoded: Event = msgspec.json.decode(msgspec.json.encode(event), type=Event)
        again = race.fold(again, decoded)
    assert (again, room.opened.code) == (room, CODE)
