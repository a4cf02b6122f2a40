"""The checker finds each kind of error in an otherwise correct recording."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from engine.board import view_of
from engine.cards import card_name
from server.base.core.days import DailyId
from server.base.core.ids import PlayerId, attempt_id
from server.base.wire import codec
from server.play.core.digest import digest
from server.results.core.boards import of_daily
from server.rooms.core.events import (
    Event,
    HostChanged,
    ReadySet,
    RoundStarted,
    SeatLeft,
    Terms,
    TermsSet,
)
from server.watching import present as watching_present
from server.watching.core.sight import WATCH_DELAY_MS
from server.watching.watching import WatchedEntry
from tests.builders import ADA, BOB, CODE, CYD, LIMIT, START
from tests.faults import nodelog
from tests.faults.checker import check
from tests.faults.complaint import SLACK
from tests.faults.ledger import Ledger, Message
from tests.faults.recording import (
    DAY,
    GAME,
    HAD,
    MOVES,
    RACED,
    TODAY,
    Recording,
    board_of,
    correct_recording,
)
from tests.faults.watched import WatchedChecks

RACE = attempt_id(RACED, ADA)
DAILY = attempt_id(TODAY, ADA)
BOARD = of_daily(DailyId(GAME, DAY), "ranked")


def kinds(recording: Recording) -> set[str]:
    verdict = check(recording.stored, list(recording.ledgers.values()), recording.at + 60_000)
    return {complaint.kind for complaint in verdict.complaints}


def test_a_correct_recording_gives_no_complaints() -> None:
    recording = correct_recording()
    verdict = check(recording.stored, list(recording.ledgers.values()), recording.at + 60_000)

    assert verdict.complaints == []
    assert verdict.counts["races"] == 1
    assert verdict.counts["moves stored"] == 3 * MOVES


def test_a_correct_recording_with_help_gives_no_complaints() -> None:
    recording = correct_recording("hints")
    assert kinds(recording) == set()
    types = [json.loads(text)["type"] for _, text in recording.stored.attempts[RACE]]
    assert types[-3:] == ["undone", "hinted", "ended"]


def test_a_checkpoint_of_the_current_state_is_correct() -> None:
    recording = correct_recording()
    recording.write_checkpoint()
    assert kinds(recording) == set()


def test_a_checkpoint_of_another_state_is_invented() -> None:
    recording = correct_recording()
    assert recording.room is not None
    recording.room = dataclasses.replace(recording.room, wins={})
    recording.write_checkpoint()
    assert kinds(recording) == {"invented"}


def test_a_changed_copy_of_a_round_is_found() -> None:
    recording = correct_recording()
    kept = recording.stored.rounds[RACED]
    recording.stored.rounds[RACED] = kept.replace("resigned", "time")
    assert kinds(recording) == {"invented"}
    del recording.stored.rounds[RACED]
    assert kinds(recording) == {"lost"}


def test_removing_an_unknown_player_is_correct() -> None:
    recording = correct_recording()
    command = {"type": "room.remove", "id": 99, "code": CODE, "player": "nobody"}
    recording.ledgers[ADA].record_command(command)
    assert kinds(recording) == set()


UNDONE, HINTED = MOVES + 2, MOVES + 3
"""The numbers of the entries for an undo and a hint."""


def play_without_help(recording: Recording) -> None:
    rewrite(recording.stored.attempts[RACE], 1, help="undo")


def give_another_hint(recording: Recording) -> None:
    rewrite(recording.stored.attempts[RACE], HINTED, move="t0>t6")


def forget_the_undo(recording: Recording) -> None:
    rewrite(recording.stored.attempts[RACE], UNDONE, type="moved", move="s>w")


def ask_for_no_help(recording: Recording) -> None:
    old = recording.ledgers[ADA]
    new = recording.ledgers[ADA] = Ledger(ADA)
    for at, command in old.commands():
        if command["type"] not in {"Undo", "Hint"}:
            new.record_command(command, at)
    for at, event in old.events():
        new.record_event(event, at)


def send_another_hint(recording: Recording) -> None:
    def change(at: int, event: Message) -> tuple[int, Message]:
        return at, event | {"move": "t0>t6"} if event["type"] == "Hinted" else event

    change_events(recording, change)


def send_no_mark(recording: Recording) -> None:
    def change(at: int, event: Message) -> tuple[int, Message]:
        if event["type"] == "missed" and event["moves"][-1][0] == "undo":
            event = event | {"result": event["result"] | {"undos": 0}}
        return at, event

    change_events(recording, change)


@pytest.mark.parametrize(
    ("spoil", "kind"),
    [
        (play_without_help, "invented"),
        (give_another_hint, "invented"),
        (forget_the_undo, "invented"),
        (ask_for_no_help, "invented"),
        (send_another_hint, "misreported"),
        (send_no_mark, "misreported"),
    ],
)
def test_an_error_in_help_is_found(spoil: Callable[[Recording], None], kind: str) -> None:
    recording = correct_recording("hints")
    spoil(recording)
    assert kind in kinds(recording)


def rewrite(journal: list[tuple[str, str]], number: int, **fields: Any) -> None:
    entry, text = journal[number - 1]
    journal[number - 1] = (entry, json.dumps(json.loads(text) | fields))


def insert(journal: list[tuple[str, str]], number: int) -> None:
    texts = [text for _, text in journal]
    texts.insert(number, texts[number - 1])
    journal[:] = [(f"0-{n}", text) for n, text in enumerate(texts, 1)]


def change_events(
    recording: Recording, change: Callable[[int, Message], tuple[int, Message]]
) -> None:
    old = recording.ledgers[ADA]
    new = recording.ledgers[ADA] = Ledger(ADA)
    for at, command in old.commands():
        new.record_command(command, at)
    for at, event in old.events():
        changed_at, changed = change(at, event)
        new.record_event(changed, changed_at)


def lose_last(recording: Recording) -> None:
    del recording.stored.attempts[RACE][-1]


def lose_journal(recording: Recording) -> None:
    del recording.stored.attempts[DAILY]


def lose_room(recording: Recording) -> None:
    del recording.stored.rooms[CODE]


def lose_deal(recording: Recording) -> None:
    del recording.stored.deals[TODAY]


def lose_row(recording: Recording) -> None:
    recording.stored.leaderboards[BOARD].clear()


def replace_moves(recording: Recording) -> None:
    # Another move replaces an acknowledged one.
    texts = recording.stored.attempts[RACE]
    texts[2], texts[3] = ("0-3", texts[3][1]), ("0-4", texts[2][1])


def double_move(recording: Recording) -> None:
    insert(recording.stored.attempts[RACE], 3)


def double_finish(recording: Recording) -> None:
    insert(recording.stored.rooms[CODE], 6)


def double_seat(recording: Recording) -> None:
    insert(recording.stored.rooms[CODE], 3)


def invent_player(recording: Recording) -> None:
    del recording.ledgers[BOB]


def invent_move(recording: Recording) -> None:
    old = recording.ledgers[ADA]
    new = recording.ledgers[ADA] = Ledger(ADA)
    for at, command in old.commands():
        if command.get("seq") != 4:
            new.record_command(command, at)
    for at, event in old.events():
        new.record_event(event, at)


def invent_row(recording: Recording) -> None:
    recording.stored.leaderboards[BOARD][BOB] = 7


def invent_stuck(recording: Recording) -> None:
    rewrite(recording.stored.attempts[RACE], MOVES + 2, end="stuck")


def invent_end(recording: Recording) -> None:
    rewrite(recording.stored.attempts[RACE], 4, end="stuck")


def invent_attempt(recording: Recording) -> None:
    texts = recording.stored.rooms[CODE]
    del texts[4:]


def drop_middle(recording: Recording) -> None:
    del recording.stored.attempts[RACE][3]


def drop_middle_of_room(recording: Recording) -> None:
    del recording.stored.rooms[CODE][3]


def set_entry_back(recording: Recording) -> None:
    entry = json.loads(recording.stored.attempts[RACE][3][1])
    rewrite(recording.stored.attempts[RACE], 4, at=entry["at"] - 150)


def set_entries_ahead(recording: Recording) -> None:
    for number in range(5, MOVES + 3):
        entry = json.loads(recording.stored.attempts[RACE][number - 1][1])
        rewrite(recording.stored.attempts[RACE], number, at=entry["at"] + 10_000)


def set_start_back(recording: Recording) -> None:
    journal = recording.stored.attempts[DAILY]
    rewrite(journal, 1, at=json.loads(journal[0][1])["at"] - 10_000)


def end_by_time_at_the_wrong_time(recording: Recording) -> None:
    rewrite(recording.stored.attempts[RACE], MOVES + 2, end="time")


def end_by_time_before_it_is_up(recording: Recording) -> None:
    deadline = json.loads(recording.stored.attempts[RACE][0][1])["deadline"]
    rewrite(recording.stored.attempts[RACE], MOVES + 2, end="time", at=deadline)


def send_cards_early(recording: Recording) -> None:
    change_events(recording, lambda at, e: (at - 9_000 if e["type"] == "attempt" else at, e))


def send_wrong_cards(recording: Recording) -> None:
    change_events(recording, lambda at, e: (at, e | {"piles": e["piles"] | {"f0": "KS"}}
                                if e["type"] == "attempt" else e))  # fmt: skip


def send_wrong_changes(recording: Recording) -> None:
    change_events(recording, lambda at, e: (at, e | {"changes": []} if e["type"] == "moved" else e))


def send_wrong_counters(recording: Recording) -> None:
    change_events(recording, lambda at, e: (at, e | {"result": e["result"] | {"home": 40}}
                                if e["type"] == "ended" else e))  # fmt: skip


def send_wrong_members(recording: Recording) -> None:
    change_events(recording, lambda at, e: (at, e | {"members": e["members"][:1]}
                                if e["type"] == "room" else e))  # fmt: skip


def send_wrong_ranks(recording: Recording) -> None:
    def change(at: int, event: Message) -> tuple[int, Message]:
        if event["type"] == "room" and event["round"]:
            runners = [runner | {"rank": 1} for runner in event["round"]["runners"]]
            event["round"]["runners"] = runners
        return at, event

    change_events(recording, change)


def change_missed(change: Callable[[Message], object]) -> Callable[[Recording], None]:
    def break_it(recording: Recording) -> None:
        def changed(at: int, event: Message) -> tuple[int, Message]:
            if event["type"] == "missed":
                change(event)
            return at, event

        change_events(recording, changed)

    return break_it


def miss_another_move(missed: Message) -> None:
    missed["moves"][1][0] = missed["moves"][0][0]


def miss_other_changes(missed: Message) -> None:
    missed["moves"][0][1] = missed["moves"][1][1]


def miss_other_redeals(missed: Message) -> None:
    missed["moves"][0][2] += 1


def miss_another_result(missed: Message) -> None:
    missed["result"]["home"] += 1


def miss_the_end(missed: Message) -> None:
    missed["result"]["end"] = None


def miss_one_move_too_few(missed: Message) -> None:
    del missed["moves"][-1]


def miss_a_move_twice(missed: Message) -> None:
    missed["moves"].append(missed["moves"][-1])


def miss_since_the_start(missed: Message) -> None:
    missed["since"] = 1


def miss_a_missing_entry(missed: Message) -> None:
    missed["seq"] = MOVES + 3


def answer_another_command(missed: Message) -> None:
    missed["re"] = 1


def send_missed_early(recording: Recording) -> None:
    change_events(recording, lambda at, e: (at - 9_000 if e["type"] == "missed" else at, e))


def reveal_a_hidden_card(recording: Recording) -> None:
    shown = json.dumps([event for _, event in recording.ledgers[ADA].events()])
    hidden = next(name for name in map(card_name, range(52)) if name not in shown)
    change_missed(lambda missed: _add_card(missed, hidden))(recording)


def _add_card(missed: Message, name: str) -> None:
    missed["moves"][0][1][0][2] += name


def first_missed(recording: Recording) -> Message:
    return next(e for _, e in recording.ledgers[ADA].events() if e["type"] == "missed")


def claim(recording: Recording, **have: int) -> None:
    missed = first_missed(recording)
    command = next(c for _, c in recording.ledgers[ADA].commands() if c["id"] == missed["re"])
    recording.at += 1_000
    number = recording.send(ADA, "attempt.open", attempt=RACE, have=command["have"] | have)
    recording.ledgers[ADA].record_event(
        missed | {"re": number, "since": have.get("seq", HAD)}, recording.at
    )


def follow(change: Callable[[Message], object]) -> Callable[[Recording], None]:
    """Return a function that sends a changed report of Ada's move to another session of hers."""

    def tell(recording: Recording) -> None:
        missed = first_missed(recording)
        moved = next(
            event
            for _, event in recording.ledgers[ADA].events()
            if event["type"] == "moved" and event["seq"] == HAD + 1
        )
        news = missed | {"seq": HAD + 1, "moves": missed["moves"][:1], "result": moved["result"]}
        del news["re"]
        change(news)
        recording.ledgers[ADA].record_event(news, recording.at)

    return tell


def follow_nothing(news: Message) -> None:
    news["since"] += 1
    news["moves"] = []


def believe_a_wrong_digest(recording: Recording) -> None:
    claim(recording, digest=7)


def believe_a_missing_entry(recording: Recording) -> None:
    claim(recording, seq=99)


def miss_by_the_claim_of_another_attempt(recording: Recording) -> None:
    missed = first_missed(recording)
    command = next(c for _, c in recording.ledgers[ADA].commands() if c["id"] == missed["re"])
    number = recording.send(ADA, "attempt.open", attempt=DAILY, have=command["have"])
    recording.ledgers[ADA].record_event(missed | {"re": number}, recording.at)


def send_stale_missed(recording: Recording) -> None:
    claim(recording)


def send_an_unneeded_snapshot(recording: Recording) -> None:
    snapshot = next(e for _, e in recording.ledgers[ADA].events() if e["type"] == "attempt")
    have = {"seq": 1, "digest": digest(view_of(board_of()))}
    number = recording.send(ADA, "attempt.open", attempt=RACE, have=have)
    recording.ledgers[ADA].record_event(snapshot | {"re": number}, recording.at)


def send_stale_snapshot(recording: Recording) -> None:
    snapshot = next(e for _, e in recording.ledgers[ADA].events() if e["type"] == "attempt")
    recording.at += 1_000
    number = recording.send(ADA, "attempt.open", attempt=RACE)
    recording.ledgers[ADA].record_event(snapshot | {"re": number}, recording.at)


def set_room_back(recording: Recording) -> None:
    # One millisecond is enough: no entry may be earlier than the previous one.
    at = json.loads(recording.stored.rooms[CODE][-2][1])["at"]
    rewrite(recording.stored.rooms[CODE], len(recording.stored.rooms[CODE]), at=at - 1)


def rank_wrongly(recording: Recording) -> None:
    recording.stored.leaderboards[BOARD][ADA] += 1


def finish_wrongly(recording: Recording) -> None:
    entry = json.loads(recording.stored.rooms[CODE][5][1])
    rewrite(recording.stored.rooms[CODE], 6, result=entry["result"] | {"time": 1})


def append_to_room(recording: Recording, event: Event, *, after: int | None = None) -> None:
    journal = recording.stored.rooms[CODE]
    del journal[len(journal) if after is None else after :]
    journal.append((f"0-{len(journal) + 1}", msgspec.json.encode(event).decode()))


def lose_a_seat_too_early(recording: Recording) -> None:
    append_to_room(recording, SeatLeft(BOB, recording.at + 30_000))


def lose_a_seat_in_a_round(recording: Recording) -> None:
    append_to_room(recording, SeatLeft(BOB, recording.at + 600_000), after=5)


def follow_a_host_too_early(recording: Recording) -> None:
    append_to_room(recording, HostChanged(BOB, START + 10_000), after=4)


def follow_a_host_by_a_stranger(recording: Recording) -> None:
    append_to_room(recording, HostChanged(CYD, recording.at + 60_000))


def remove_the_host(recording: Recording) -> None:
    recording.send(BOB, "room.remove", code=CODE, player=ADA)
    append_to_room(recording, SeatLeft(ADA, recording.at, BOB))


def remove_without_a_request(recording: Recording) -> None:
    append_to_room(recording, SeatLeft(BOB, recording.at + 600_000, ADA))


def set_terms_without_a_request(recording: Recording) -> None:
    append_to_room(recording, TermsSet(Terms("robert", "standard", LIMIT), recording.at))


def start_a_round_without_a_request(recording: Recording) -> None:
    append_to_room(recording, round_of(recording, ADA, BOB, at=START - 60_000), after=4)


def start_a_round_with_a_stranger(recording: Recording) -> None:
    append_to_room(recording, round_of(recording, ADA, CYD), after=4)


def start_a_round_with_a_spectator(recording: Recording) -> None:
    recording.send(BOB, "room.ready", code=CODE, ready=False)
    round_ = round_of(recording, ADA, BOB)
    append_to_room(recording, ReadySet(BOB, False, START), after=4)
    append_to_room(recording, round_)


def round_of(recording: Recording, *players: PlayerId, at: int | None = None) -> Event:
    event = msgspec.json.decode(recording.stored.rooms[CODE][4][1], type=RoundStarted)
    return msgspec.structs.replace(event, players=players, at=at or event.at)


def record_an_act_twice(recording: Recording) -> None:
    text = json.dumps({"type": "repair", "id": "a", "at": START, "game": "robert", "day": 1})
    recording.stored.acts.extend([("1-0", text), ("2-0", text)])


def keep_a_voided_result(recording: Recording) -> None:
    player, game, day = next(
        (player, *field.split(":")[1:])
        for player, fields in recording.stored.histories.items()
        for field in fields
        if field.startswith("d:")
    )
    act = {"type": "void", "id": "a", "at": START, "player": player, "attempt": "x", "void": True}
    text = json.dumps(act | {"game": game, "day": int(day)})
    recording.stored.acts.append(("1-0", text))


def send_wrong_points(recording: Recording) -> None:
    def change(at: int, event: Message) -> tuple[int, Message]:
        if event["type"] == "room":
            event["members"] = [member | {"points": 7} for member in event["members"]]
        return at, event

    change_events(recording, change)


def send_wrong_terms(recording: Recording) -> None:
    change_events(recording, lambda at, e: (at, e | {"limit": 61} if e["type"] == "room" else e))


def send_the_lock_open(recording: Recording) -> None:
    change_events(
        recording, lambda at, e: (at, e | {"locked": False} if e["type"] == "room" else e)
    )


def leave_round_open(recording: Recording) -> None:
    del recording.stored.rooms[CODE][-1]


def leave_attempt_open(recording: Recording) -> None:
    del recording.stored.attempts[RACE][-1]


def leave_effect(recording: Recording) -> None:
    recording.stored.effects[RACE] = "{}"


def leave_due(recording: Recording) -> None:
    recording.stored.due[f"r:{CODE}"] = recording.at


@pytest.mark.parametrize(
    ("kind", "break_it"),
    [
        ("lost", lose_last),
        ("lost", lose_journal),
        ("lost", lose_room),
        ("lost", lose_deal),
        ("lost", lose_row),
        ("lost", replace_moves),
        ("invented", replace_moves),
        ("invented", double_move),
        ("invented", double_finish),
        ("invented", double_seat),
        ("invented", invent_player),
        ("invented", invent_move),
        ("invented", invent_row),
        ("invented", invent_stuck),
        ("invented", invent_end),
        ("invented", invent_attempt),
        ("gap", drop_middle),
        ("gap", drop_middle_of_room),
        ("mistimed", set_entry_back),
        ("mistimed", set_entries_ahead),
        ("mistimed", set_start_back),
        ("mistimed", end_by_time_at_the_wrong_time),
        ("mistimed", set_room_back),
        ("mistimed", end_by_time_before_it_is_up),
        ("leaked", send_cards_early),
        ("misreported", send_wrong_cards),
        ("misreported", send_wrong_changes),
        ("misreported", send_wrong_counters),
        ("misreported", send_wrong_members),
        ("misreported", send_wrong_ranks),
        ("misreported", send_wrong_points),
        ("misreported", send_wrong_terms),
        ("misreported", send_the_lock_open),
        ("mistimed", lose_a_seat_too_early),
        ("invented", lose_a_seat_in_a_round),
        ("mistimed", follow_a_host_too_early),
        ("invented", follow_a_host_by_a_stranger),
        ("invented", remove_the_host),
        ("invented", remove_without_a_request),
        ("invented", set_terms_without_a_request),
        ("mistimed", start_a_round_without_a_request),
        ("invented", start_a_round_with_a_stranger),
        ("invented", start_a_round_with_a_spectator),
        ("stale", send_stale_snapshot),
        ("lost", change_missed(miss_another_move)),
        ("lost", change_missed(miss_a_missing_entry)),
        ("misreported", change_missed(miss_other_changes)),
        ("misreported", change_missed(miss_other_redeals)),
        ("misreported", change_missed(miss_another_result)),
        ("misreported", change_missed(miss_the_end)),
        ("misreported", change_missed(miss_one_move_too_few)),
        ("misreported", change_missed(miss_a_move_twice)),
        ("misreported", change_missed(miss_since_the_start)),
        ("misreported", change_missed(answer_another_command)),
        ("misreported", follow(miss_other_redeals)),
        ("misreported", follow(miss_another_result)),
        ("misreported", follow(follow_nothing)),
        ("lost", follow(miss_a_missing_entry)),
        ("misreported", believe_a_wrong_digest),
        ("misreported", believe_a_missing_entry),
        ("misreported", miss_by_the_claim_of_another_attempt),
        ("misreported", send_an_unneeded_snapshot),
        ("leaked", reveal_a_hidden_card),
        ("leaked", send_missed_early),
        ("stale", send_stale_missed),
        ("misranked", rank_wrongly),
        ("misranked", finish_wrongly),
        ("invented", record_an_act_twice),
        ("misranked", keep_a_voided_result),
        ("unfinished", leave_round_open),
        ("unfinished", leave_attempt_open),
        ("unfinished", leave_effect),
        ("unfinished", leave_due),
    ],
)
def test_each_error_is_found(kind: str, break_it: Callable[[Recording], None]) -> None:
    recording = correct_recording()
    break_it(recording)

    assert kind in kinds(recording)


def test_a_move_reported_to_another_session_is_correct() -> None:
    recording = correct_recording()
    follow(lambda _: None)(recording)

    assert kinds(recording) == set()


def test_each_error_of_a_node_is_reported_once() -> None:
    frames = [{"filename": "somewhere.py", "lineno": 7}]
    exception = [{"exc_type": "KeyError", "exc_value": "'x'", "frames": frames}]
    error = {"level": "error", "event": "command_failed", "exception": exception}
    lines = [
        json.dumps({"level": "info", "event": "listening"}),
        json.dumps(error | {"timestamp": 1}),
        "Task exception was never retrieved",
        "Traceback (most recent call last):",
        "OSError: gone",
        json.dumps(error | {"timestamp": 2}),
    ]

    assert nodelog.errors(lines) == [
        "2 times: command_failed after KeyError: 'x' at somewhere.py:7",
        "1 times: Task exception was never retrieved … OSError: gone",
    ]


def watched(recording: Recording, watcher: PlayerId, at: int, *, seq: int = 3) -> list[Message]:
    """Record that a player watches Ada's board after an entry, and the next move.

    Return the events.
    """
    checks = WatchedChecks(recording.stored, {}, 0, [])
    states = checks._replayed(RACE)
    assert recording.room is not None
    boards = [(states[seq - 1], None), (None, None)]
    frames = [
        codec.encode(watching_present.watched(recording.room, "delayed", boards)),
        codec.encode(
            watching_present.watched_move(WatchedEntry(1, 0, states[seq - 1], states[seq]))
        ),
    ]
    ledger = recording.ledgers.setdefault(watcher, Ledger(watcher))
    events = [recording.wires[watcher].unpack(frame) for frame in frames]
    for event in events:
        ledger.record_event(event, at)
    return events


def test_watched_boards_are_counted() -> None:
    recording = correct_recording()
    watched(recording, CYD, recording.at + WATCH_DELAY_MS)
    verdict = check(recording.stored, list(recording.ledgers.values()), recording.at + 60_000)
    assert verdict.complaints == []
    assert verdict.counts["boards watched"] == 2


def test_a_board_watched_too_early_is_leaked() -> None:
    recording = correct_recording()
    watched(recording, CYD, START + WATCH_DELAY_MS - 2 * SLACK)
    assert kinds(recording) == {"leaked"}


def test_a_board_sent_to_a_racer_is_leaked() -> None:
    recording = correct_recording()
    last = json.loads(recording.stored.attempts[attempt_id(RACED, BOB)][-1][1])
    watched(recording, BOB, last["at"] - SLACK - 1)
    assert "leaked" in kinds(recording)


def test_a_board_unlike_the_journals_is_misreported() -> None:
    recording = correct_recording()
    events = watched(recording, CYD, recording.at + WATCH_DELAY_MS)
    for wrong in (
        events[0] | {"boards": [events[0]["boards"][0] | {"redeals": 7}, *events[0]["boards"][1:]]},
        events[1] | {"changes": [[0, 0, 1]]},
    ):
        broken = correct_recording()
        broken.ledgers[CYD] = Ledger(CYD)
        broken.ledgers[CYD].record_event(wrong, recording.at + WATCH_DELAY_MS)
        assert kinds(broken) == {"misreported"}


def test_a_watched_entry_missing_from_the_journal_is_lost() -> None:
    recording = correct_recording()
    events = watched(recording, CYD, recording.at + WATCH_DELAY_MS)
    broken = correct_recording()
    broken.ledgers[CYD] = Ledger(CYD)
    broken.ledgers[CYD].record_event(events[1] | {"seq": 99}, recording.at + WATCH_DELAY_MS)
    assert kinds(broken) == {"lost"}
