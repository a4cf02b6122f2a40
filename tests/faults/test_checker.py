"""The checker finds each kind of error in an otherwise correct recording."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from operator import delitem, setitem
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
from tests.faults.errors import Errors, each_of
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

Spoil = Callable[[Recording], object]
Journal = list[tuple[str, str]]


def race(recording: Recording) -> Journal:
    """Return the journal of Ada's attempt in the race."""
    return recording.stored.attempts[RACE]


def room(recording: Recording) -> Journal:
    return recording.stored.rooms[CODE]


def read(journal: Journal, number: int) -> dict[str, Any]:
    entry: dict[str, Any] = json.loads(journal[number - 1][1])
    return entry


def rewrite(journal: Journal, number: int, **fields: Any) -> None:
    journal[number - 1] = (journal[number - 1][0], json.dumps(read(journal, number) | fields))


def renumber(journal: Journal, *numbers: int) -> None:
    """Replace a journal by its entries with these numbers."""
    journal[:] = [(f"0-{n}", journal[number - 1][1]) for n, number in enumerate(numbers, 1)]


def insert(journal: Journal, number: int) -> None:
    renumber(journal, *range(1, number + 1), *range(number, len(journal) + 1))


def record_anew(
    recording: Recording,
    change: Callable[[int, Message], tuple[int, Message]] = lambda at, event: (at, event),
    sent: Callable[[Message], bool] = lambda command: True,
) -> None:
    """Change Ada's received events and their times, and omit commands that were not sent."""
    old = recording.ledgers[ADA]
    new = recording.ledgers[ADA] = Ledger(ADA)
    for at, command in old.commands():
        if sent(command):
            new.record_command(command, at)
    for at, event in old.events():
        changed_at, changed = change(at, event)
        new.record_event(changed, changed_at)


def early(type_: str) -> Spoil:
    """Return a function that lets the events of a type arrive too early."""
    return lambda r: record_anew(r, lambda at, e: (at - 9_000 if e["type"] == type_ else at, e))


def tell(type_: str, change: Callable[[Message], Any]) -> Spoil:
    """Return a function that changes each event of a type in place, or by the returned fields."""

    def changed(at: int, event: Message) -> tuple[int, Message]:
        return at, event | (change(event) or {}) if event["type"] == type_ else event

    return lambda recording: record_anew(recording, changed)


HELP_ERRORS: Errors[Recording] = {
    "invented": {
        "the race allows no help": lambda r: rewrite(race(r), 1, help="undo"),
        "another hint is stored": lambda r: rewrite(race(r), HINTED, move="t0>t6"),
        "an undo is stored as a move": lambda r: rewrite(race(r), UNDONE, type="moved", move="s>w"),
        "nobody asked for help": lambda r: record_anew(
            r, sent=lambda command: command["type"] not in {"Undo", "Hint"}
        ),
    },
    "misreported": {
        "another hint is sent": tell("Hinted", lambda _: {"move": "t0>t6"}),
        "the undo is not counted": tell(
            "missed",
            lambda e: (
                {"result": e["result"] | {"undos": 0}} if e["moves"][-1][0] == "undo" else None
            ),
        ),
    },
}


@pytest.mark.parametrize(("kind", "spoil"), each_of(HELP_ERRORS))
def test_an_error_in_help_is_found(kind: str, spoil: Spoil) -> None:
    recording = correct_recording("hints")
    spoil(recording)
    assert kind in kinds(recording)


def set_entries_ahead(recording: Recording) -> None:
    for number in range(5, MOVES + 3):
        rewrite(race(recording), number, at=read(race(recording), number)["at"] + 10_000)


def set_room_back(recording: Recording) -> None:
    # One millisecond is enough: no entry may be earlier than the previous one.
    last = len(room(recording))
    rewrite(room(recording), last, at=read(room(recording), last - 1)["at"] - 1)


def rank_all_first(event: Message) -> None:
    for runner in event["round"]["runners"] if event["round"] else ():
        runner["rank"] = 1


def reveal_a_hidden_card(recording: Recording) -> None:
    shown = json.dumps([event for _, event in recording.ledgers[ADA].events()])
    hidden = next(name for name in map(card_name, range(52)) if name not in shown)
    tell("missed", lambda e: setitem(e["moves"][0][1][0], 2, e["moves"][0][1][0][2] + hidden))(
        recording
    )


def first(recording: Recording, type_: str) -> Message:
    return next(e for _, e in recording.ledgers[ADA].events() if e["type"] == type_)


def claim(recording: Recording, attempt: str = RACE, **have: int) -> None:
    """Let Ada send another `have` and receive the same `missed` event."""
    missed = first(recording, "missed")
    command = next(c for _, c in recording.ledgers[ADA].commands() if c["id"] == missed["re"])
    recording.at += 1_000
    number = recording.send(ADA, "attempt.open", attempt=attempt, have=command["have"] | have)
    recording.ledgers[ADA].record_event(
        missed | {"re": number, "since": have.get("seq", HAD)}, recording.at
    )


def follow(change: Callable[[Message], object]) -> Spoil:
    """Return a function that sends a changed report of Ada's move to another session of hers."""

    def told(recording: Recording) -> None:
        missed = first(recording, "missed")
        moved = next(
            event
            for _, event in recording.ledgers[ADA].events()
            if event["type"] == "moved" and event["seq"] == HAD + 1
        )
        news = missed | {"seq": HAD + 1, "moves": missed["moves"][:1], "result": moved["result"]}
        del news["re"]
        change(news)
        recording.ledgers[ADA].record_event(news, recording.at)

    return told


def add_redeals(missed: Message) -> None:
    missed["moves"][0][2] += 1


def add_a_card_home(missed: Message) -> None:
    missed["result"]["home"] += 1


def send_snapshot(recording: Recording, **fields: Any) -> None:
    """Let Ada open her attempt again and receive its first snapshot."""
    number = recording.send(ADA, "attempt.open", attempt=RACE, **fields)
    recording.ledgers[ADA].record_event(first(recording, "attempt") | {"re": number}, recording.at)


def send_stale_snapshot(recording: Recording) -> None:
    recording.at += 1_000
    send_snapshot(recording)


def append_to_room(recording: Recording, event: Event, *, after: int | None = None) -> None:
    journal = room(recording)
    del journal[len(journal) if after is None else after :]
    journal.append((f"0-{len(journal) + 1}", msgspec.json.encode(event).decode()))


def remove_the_host(recording: Recording) -> None:
    recording.send(BOB, "room.remove", code=CODE, player=ADA)
    append_to_room(recording, SeatLeft(ADA, recording.at, BOB))


def start_a_round_with_a_spectator(recording: Recording) -> None:
    recording.send(BOB, "room.ready", code=CODE, ready=False)
    round_ = round_of(recording, ADA, BOB)
    append_to_room(recording, ReadySet(BOB, False, START), after=4)
    append_to_room(recording, round_)


def round_of(recording: Recording, *players: PlayerId, at: int | None = None) -> Event:
    event = msgspec.json.decode(room(recording)[4][1], type=RoundStarted)
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


def drop_with_a_loss(recording: Recording) -> None:
    """Drop the room's first entries, and lose one of their copies."""
    stored = recording.stored
    texts = {entry[2:]: text for entry, text in room(recording)[:4]}
    del room(recording)[:4], texts["3"]
    stored.dropped[CODE] = texts
    stored.fill_up()


ERRORS: Errors[Recording] = {
    "lost": {
        "the last entry is lost": lambda r: race(r).pop(),
        "a journal is lost": lambda r: r.stored.attempts.pop(DAILY),
        "a room is lost": lambda r: r.stored.rooms.pop(CODE),
        "a deal is lost": lambda r: r.stored.deals.pop(TODAY),
        "a row is lost": lambda r: r.stored.leaderboards[BOARD].clear(),
        "an acknowledged move is replaced": lambda r: renumber(
            race(r), 1, 2, 4, 3, *range(5, len(race(r)) + 1)
        ),
        "another move is missed": tell(
            "missed", lambda e: setitem(e["moves"][1], 0, e["moves"][0][0])
        ),
        "a missing entry is missed": tell("missed", lambda _: {"seq": MOVES + 3}),
        "a missing entry follows": follow(lambda e: setitem(e, "seq", MOVES + 3)),
    },
    "invented": {
        "a move replaces another": lambda r: renumber(
            race(r), 1, 2, 4, 3, *range(5, len(race(r)) + 1)
        ),
        "a move is doubled": lambda r: insert(race(r), 3),
        "a finish is doubled": lambda r: insert(room(r), 6),
        "a seat is doubled": lambda r: insert(room(r), 3),
        "a player is invented": lambda r: r.ledgers.pop(BOB),
        "a move was not sent": lambda r: record_anew(
            r, sent=lambda command: command.get("seq") != 4
        ),
        "a row is invented": lambda r: setitem(r.stored.leaderboards[BOARD], BOB, 7),
        "an attempt is not stuck": lambda r: rewrite(race(r), MOVES + 2, end="stuck"),
        "an attempt ends in the middle": lambda r: rewrite(race(r), 4, end="stuck"),
        "no round started": lambda r: delitem(room(r), slice(4, None)),
        "a seat is lost in a round": lambda r: append_to_room(
            r, SeatLeft(BOB, r.at + 600_000), after=5
        ),
        "a stranger follows a host": lambda r: append_to_room(r, HostChanged(CYD, r.at + 60_000)),
        "the host is removed": remove_the_host,
        "a member is removed without a request": lambda r: append_to_room(
            r, SeatLeft(BOB, r.at + 600_000, ADA)
        ),
        "terms are set without a request": lambda r: append_to_room(
            r, TermsSet(Terms("robert", "standard", LIMIT), r.at)
        ),
        "a round starts with a stranger": lambda r: append_to_room(
            r, round_of(r, ADA, CYD), after=4
        ),
        "a round starts with a spectator": start_a_round_with_a_spectator,
        "an act is recorded twice": record_an_act_twice,
    },
    "gap": {
        "an entry is missing": lambda r: race(r).pop(3),
        "an entry of the room is missing": lambda r: room(r).pop(3),
        "an entry of the room is missing before a checkpoint": drop_with_a_loss,
    },
    "mistimed": {
        "an entry is set back": lambda r: rewrite(race(r), 4, at=read(race(r), 4)["at"] - 150),
        "entries are set ahead": set_entries_ahead,
        "the start is set back": lambda r: rewrite(
            r.stored.attempts[DAILY], 1, at=read(r.stored.attempts[DAILY], 1)["at"] - 10_000
        ),
        "time is up too early": lambda r: rewrite(race(r), MOVES + 2, end="time"),
        "the room is set back": set_room_back,
        "time is up before its last move": lambda r: rewrite(
            race(r), MOVES + 2, end="time", at=read(race(r), 1)["deadline"]
        ),
        "a seat is lost too early": lambda r: append_to_room(r, SeatLeft(BOB, r.at + 30_000)),
        "a host follows too early": lambda r: append_to_room(
            r, HostChanged(BOB, START + 10_000), after=4
        ),
        "a round starts without a request": lambda r: append_to_room(
            r, round_of(r, ADA, BOB, at=START - 60_000), after=4
        ),
    },
    "leaked": {
        "cards are sent early": early("attempt"),
        "a hidden card is revealed": reveal_a_hidden_card,
        "what was missed is sent early": early("missed"),
    },
    "misreported": {
        "other cards are sent": tell("attempt", lambda e: {"piles": e["piles"] | {"f0": "KS"}}),
        "other changes are sent": tell("moved", lambda _: {"changes": []}),
        "other counters are sent": tell("ended", lambda e: {"result": e["result"] | {"home": 40}}),
        "other members are sent": tell("room", lambda e: {"members": e["members"][:1]}),
        "other ranks are sent": tell("room", rank_all_first),
        "other points are sent": tell(
            "room", lambda e: {"members": [m | {"points": 7} for m in e["members"]]}
        ),
        "other terms are sent": tell("room", lambda _: {"limit": 61}),
        "the lock is sent open": tell("room", lambda _: {"locked": False}),
        "other changes are missed": tell(
            "missed", lambda e: setitem(e["moves"][0], 1, e["moves"][1][1])
        ),
        "other redeals are missed": tell("missed", add_redeals),
        "another result is missed": tell("missed", add_a_card_home),
        "the end is missed": tell("missed", lambda e: setitem(e["result"], "end", None)),
        "a move too few is missed": tell("missed", lambda e: delitem(e["moves"], -1)),
        "a move is missed twice": tell("missed", lambda e: e["moves"].append(e["moves"][-1])),
        "all since the start is missed": tell("missed", lambda _: {"since": 1}),
        "another command is answered": tell("missed", lambda _: {"re": 1}),
        "other redeals follow": follow(add_redeals),
        "another result follows": follow(add_a_card_home),
        "nothing follows": follow(lambda e: e.update(since=e["since"] + 1, moves=[])),
        "a wrong digest is believed": lambda r: claim(r, digest=7),
        "a missing entry is believed": lambda r: claim(r, seq=99),
        "a claim about another attempt is believed": lambda r: claim(r, DAILY),
        "a snapshot is not needed": lambda r: send_snapshot(
            r, have={"seq": 1, "digest": digest(view_of(board_of()))}
        ),
    },
    "stale": {
        "a snapshot is stale": send_stale_snapshot,
        "what was missed is stale": claim,
    },
    "misranked": {
        "a score differs": lambda r: r.stored.leaderboards[BOARD].update(
            {ADA: r.stored.leaderboards[BOARD][ADA] + 1}
        ),
        "a finish differs": lambda r: rewrite(
            room(r), 6, result=read(room(r), 6)["result"] | {"time": 1}
        ),
        "a voided result counts": keep_a_voided_result,
    },
    "unfinished": {
        "a round goes on": lambda r: room(r).pop(),
        "an attempt goes on": lambda r: race(r).pop(),
        "an effect is left": lambda r: setitem(r.stored.effects, RACE, "{}"),
        "something is due": lambda r: setitem(r.stored.due, f"r:{CODE}", r.at),
    },
}


@pytest.mark.parametrize(("kind", "spoil"), each_of(ERRORS))
def test_each_error_is_found(kind: str, spoil: Spoil) -> None:
    recording = correct_recording()
    spoil(recording)
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
