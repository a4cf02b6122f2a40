"""The checker finds each thing that may be wrong with a tale that is otherwise true."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from engine.board import view_of
from engine.cards import card_name
from server.core.digest import digest
from server.core.ids import attempt_id
from tests.core.builders import ADA, BOB, CODE
from tests.faults import nodelog
from tests.faults.checker import check
from tests.faults.ledger import Ledger, Message
from tests.faults.tale import DAY, GAME, HAD, MOVES, RACED, TODAY, Tale, board_of, told

RACE = attempt_id(RACED, ADA)
DAILY = attempt_id(TODAY, ADA)


def kinds(tale: Tale) -> set[str]:
    """Return of what kinds the checker's complaints are."""
    verdict = check(tale.kept, list(tale.ledgers.values()), tale.at + 60_000)
    return {complaint.kind for complaint in verdict.complaints}


def test_a_correct_recording_gives_no_complaints() -> None:
    tale = told()
    verdict = check(tale.kept, list(tale.ledgers.values()), tale.at + 60_000)

    assert verdict.complaints == []
    assert verdict.counts["races"] == 1
    assert verdict.counts["moves kept"] == 3 * MOVES


def rewrite(journal: list[tuple[str, str]], number: int, **fields: Any) -> None:
    """Change fields of entry `number`."""
    entry, text = journal[number - 1]
    journal[number - 1] = (entry, json.dumps(json.loads(text) | fields))


def insert(journal: list[tuple[str, str]], number: int) -> None:
    """Let entry `number` stand twice, and number the others on."""
    texts = [text for _, text in journal]
    texts.insert(number, texts[number - 1])
    journal[:] = [(f"0-{n}", text) for n, text in enumerate(texts, 1)]


def rehear(tale: Tale, change: Callable[[int, Message], tuple[int, Message]]) -> None:
    """Change what Ada has heard."""
    old = tale.ledgers[ADA]
    new = tale.ledgers[ADA] = Ledger(ADA)
    for at, command in old.said():
        new.say(command, at)
    for at, event in old.heard():
        changed_at, changed = change(at, event)
        new.hear(changed, changed_at)


def lose_last(tale: Tale) -> None:
    del tale.kept.attempts[RACE][-1]


def lose_journal(tale: Tale) -> None:
    del tale.kept.attempts[DAILY]


def lose_room(tale: Tale) -> None:
    del tale.kept.rooms[CODE]


def lose_deal(tale: Tale) -> None:
    del tale.kept.deals[TODAY]


def lose_row(tale: Tale) -> None:
    tale.kept.leaderboards[GAME, DAY].clear()


def fork(tale: Tale) -> None:
    # The place of an acknowledged move is taken by another one.
    texts = tale.kept.attempts[RACE]
    texts[2], texts[3] = ("0-3", texts[3][1]), ("0-4", texts[2][1])


def double_move(tale: Tale) -> None:
    insert(tale.kept.attempts[RACE], 3)


def double_finish(tale: Tale) -> None:
    insert(tale.kept.rooms[CODE], 6)


def double_seat(tale: Tale) -> None:
    insert(tale.kept.rooms[CODE], 3)


def invent_player(tale: Tale) -> None:
    del tale.ledgers[BOB]


def invent_move(tale: Tale) -> None:
    old = tale.ledgers[ADA]
    new = tale.ledgers[ADA] = Ledger(ADA)
    for at, command in old.said():
        if command.get("seq") != 4:
            new.say(command, at)
    for at, event in old.heard():
        new.hear(event, at)


def invent_row(tale: Tale) -> None:
    tale.kept.leaderboards[GAME, DAY][BOB] = 7


def invent_stuck(tale: Tale) -> None:
    rewrite(tale.kept.attempts[RACE], MOVES + 2, end="stuck")


def invent_end(tale: Tale) -> None:
    rewrite(tale.kept.attempts[RACE], 4, end="stuck")


def invent_attempt(tale: Tale) -> None:
    texts = tale.kept.rooms[CODE]
    del texts[4:]


def drop_middle(tale: Tale) -> None:
    del tale.kept.attempts[RACE][3]


def drop_middle_of_room(tale: Tale) -> None:
    del tale.kept.rooms[CODE][3]


def go_back(tale: Tale) -> None:
    entry = json.loads(tale.kept.attempts[RACE][3][1])
    rewrite(tale.kept.attempts[RACE], 4, at=entry["at"] - 150)


def go_ahead(tale: Tale) -> None:
    for number in range(5, MOVES + 3):
        entry = json.loads(tale.kept.attempts[RACE][number - 1][1])
        rewrite(tale.kept.attempts[RACE], number, at=entry["at"] + 10_000)


def fall_behind(tale: Tale) -> None:
    rewrite(tale.kept.attempts[DAILY], 1, at=json.loads(tale.kept.attempts[DAILY][0][1])["at"]
            - 10_000)  # fmt: skip


def end_early(tale: Tale) -> None:
    rewrite(tale.kept.attempts[RACE], MOVES + 2, end="time")


def end_by_time_too_soon(tale: Tale) -> None:
    deadline = json.loads(tale.kept.attempts[RACE][0][1])["deadline"]
    rewrite(tale.kept.attempts[RACE], MOVES + 2, end="time", at=deadline)


def show_early(tale: Tale) -> None:
    rehear(tale, lambda at, e: (at - 9_000 if e["type"] == "attempt" else at, e))


def show_other_cards(tale: Tale) -> None:
    rehear(tale, lambda at, e: (at, e | {"piles": e["piles"] | {"f0": "KS"}}
                                if e["type"] == "attempt" else e))  # fmt: skip


def change_otherwise(tale: Tale) -> None:
    rehear(tale, lambda at, e: (at, e | {"changes": []} if e["type"] == "moved" else e))


def count_otherwise(tale: Tale) -> None:
    rehear(tale, lambda at, e: (at, e | {"result": e["result"] | {"home": 40}}
                                if e["type"] == "ended" else e))  # fmt: skip


def seat_otherwise(tale: Tale) -> None:
    rehear(tale, lambda at, e: (at, e | {"members": e["members"][:1]}
                                if e["type"] == "room" else e))  # fmt: skip


def rank_otherwise(tale: Tale) -> None:
    def change(at: int, event: Message) -> tuple[int, Message]:
        if event["type"] == "room" and event["round"]:
            runners = [runner | {"rank": 2} for runner in event["round"]["runners"]]
            event["round"]["runners"] = runners
        return at, event

    rehear(tale, change)


def miss_otherwise(change: Callable[[Message], object]) -> Callable[[Tale], None]:
    """Return what changes each event that says what Ada missed."""

    def spoil(tale: Tale) -> None:
        def changed(at: int, event: Message) -> tuple[int, Message]:
            if event["type"] == "missed":
                change(event)
            return at, event

        rehear(tale, changed)

    return spoil


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


def miss_a_move_too_few(missed: Message) -> None:
    del missed["moves"][-1]


def miss_a_move_twice(missed: Message) -> None:
    missed["moves"].append(missed["moves"][-1])


def miss_all_there_is(missed: Message) -> None:
    missed["since"] = 1


def miss_what_does_not_stand(missed: Message) -> None:
    missed["seq"] = MOVES + 3


def miss_what_nobody_said(missed: Message) -> None:
    missed["re"] = 1


def see_missed_early(tale: Tale) -> None:
    rehear(tale, lambda at, e: (at - 9_000 if e["type"] == "missed" else at, e))


def see_beneath(tale: Tale) -> None:
    """Let a card be named that Ada has never seen."""
    shown = json.dumps([event for _, event in tale.ledgers[ADA].heard()])
    hidden = next(name for name in map(card_name, range(52)) if name not in shown)
    miss_otherwise(lambda missed: _add_card(missed, hidden))(tale)


def _add_card(missed: Message, name: str) -> None:
    missed["moves"][0][1][0][2] += name


def told_missed(tale: Tale) -> Message:
    """Return the first event that told Ada what she missed."""
    return next(e for _, e in tale.ledgers[ADA].heard() if e["type"] == "missed")


def claim(tale: Tale, **have: int) -> None:
    """Let Ada say something else that she has, and be told the same."""
    missed = told_missed(tale)
    said = next(c for _, c in tale.ledgers[ADA].said() if c["id"] == missed["re"])
    tale.at += 1_000
    number = tale.say(ADA, "attempt.open", attempt=RACE, have=said["have"] | have)
    tale.ledgers[ADA].hear(missed | {"re": number, "since": have.get("seq", HAD)}, tale.at)


def believe_a_wrong_digest(tale: Tale) -> None:
    claim(tale, digest=7)


def believe_an_entry_that_is_not_there(tale: Tale) -> None:
    claim(tale, seq=99)


def miss_what_another_attempt_had(tale: Tale) -> None:
    missed = told_missed(tale)
    said = next(c for _, c in tale.ledgers[ADA].said() if c["id"] == missed["re"])
    number = tale.say(ADA, "attempt.open", attempt=DAILY, have=said["have"])
    tale.ledgers[ADA].hear(missed | {"re": number}, tale.at)


def give_old_missed(tale: Tale) -> None:
    claim(tale)


def show_all_to_who_has_it(tale: Tale) -> None:
    snapshot = next(e for _, e in tale.ledgers[ADA].heard() if e["type"] == "attempt")
    have = {"seq": 1, "digest": digest(view_of(board_of()))}
    number = tale.say(ADA, "attempt.open", attempt=RACE, have=have)
    tale.ledgers[ADA].hear(snapshot | {"re": number}, tale.at)


def give_old_snapshot(tale: Tale) -> None:
    snapshot = next(e for _, e in tale.ledgers[ADA].heard() if e["type"] == "attempt")
    tale.at += 1_000
    number = tale.say(ADA, "attempt.open", attempt=RACE)
    tale.ledgers[ADA].hear(snapshot | {"re": number}, tale.at)


def set_room_back(tale: Tale) -> None:
    # A moment is enough: no entry is before the one that it follows.
    at = json.loads(tale.kept.rooms[CODE][-2][1])["at"]
    rewrite(tale.kept.rooms[CODE], len(tale.kept.rooms[CODE]), at=at - 1)


def rank_wrongly(tale: Tale) -> None:
    tale.kept.leaderboards[GAME, DAY][ADA] += 1


def finish_wrongly(tale: Tale) -> None:
    entry = json.loads(tale.kept.rooms[CODE][5][1])
    rewrite(tale.kept.rooms[CODE], 6, result=entry["result"] | {"time": 1})


def leave_round_open(tale: Tale) -> None:
    del tale.kept.rooms[CODE][-1]


def leave_attempt_open(tale: Tale) -> None:
    del tale.kept.attempts[RACE][-1]


def leave_effect(tale: Tale) -> None:
    tale.kept.effects[RACE] = "{}"


def leave_due(tale: Tale) -> None:
    tale.kept.due[f"r:{CODE}"] = tale.at


@pytest.mark.parametrize(
    ("kind", "spoil"),
    [
        ("lost", lose_last),
        ("lost", lose_journal),
        ("lost", lose_room),
        ("lost", lose_deal),
        ("lost", lose_row),
        ("lost", fork),
        ("invented", fork),
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
        ("mistimed", go_back),
        ("mistimed", go_ahead),
        ("mistimed", fall_behind),
        ("mistimed", end_early),
        ("mistimed", set_room_back),
        ("mistimed", end_by_time_too_soon),
        ("leaked", show_early),
        ("misreported", show_other_cards),
        ("misreported", change_otherwise),
        ("misreported", count_otherwise),
        ("misreported", seat_otherwise),
        ("misreported", rank_otherwise),
        ("stale", give_old_snapshot),
        ("lost", miss_otherwise(miss_another_move)),
        ("lost", miss_otherwise(miss_what_does_not_stand)),
        ("misreported", miss_otherwise(miss_other_changes)),
        ("misreported", miss_otherwise(miss_other_redeals)),
        ("misreported", miss_otherwise(miss_another_result)),
        ("misreported", miss_otherwise(miss_the_end)),
        ("misreported", miss_otherwise(miss_a_move_too_few)),
        ("misreported", miss_otherwise(miss_a_move_twice)),
        ("misreported", miss_otherwise(miss_all_there_is)),
        ("misreported", miss_otherwise(miss_what_nobody_said)),
        ("misreported", believe_a_wrong_digest),
        ("misreported", believe_an_entry_that_is_not_there),
        ("misreported", miss_what_another_attempt_had),
        ("misreported", show_all_to_who_has_it),
        ("leaked", see_beneath),
        ("leaked", see_missed_early),
        ("stale", give_old_missed),
        ("misranked", rank_wrongly),
        ("misranked", finish_wrongly),
        ("unfinished", leave_round_open),
        ("unfinished", leave_attempt_open),
        ("unfinished", leave_effect),
        ("unfinished", leave_due),
    ],
)
def test_each_error_is_found(kind: str, spoil: Callable[[Tale], None]) -> None:
    tale = told()
    spoil(tale)

    assert kind in kinds(tale)


def test_a_nodes_errors_are_reported_once_each() -> None:
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
