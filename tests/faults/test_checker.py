"""The checker finds each thing that may be wrong with a tale that is otherwise true."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from server.core.ids import attempt_id
from tests.core.builders import ADA, BOB, CODE
from tests.faults import nodelog
from tests.faults.checker import check
from tests.faults.ledger import Ledger, Message
from tests.faults.tale import DAY, GAME, MOVES, RACED, TODAY, Tale, told

RACE = attempt_id(RACED, ADA)
DAILY = attempt_id(TODAY, ADA)


def kinds(tale: Tale) -> set[str]:
    """Return of what kinds the checker's complaints are."""
    verdict = check(tale.kept, list(tale.ledgers.values()), tale.at + 60_000)
    return {complaint.kind for complaint in verdict.complaints}


def test_a_true_tale_is_believed() -> None:
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


def give_old_snapshot(tale: Tale) -> None:
    snapshot = next(e for _, e in tale.ledgers[ADA].heard() if e["type"] == "attempt")
    tale.at += 1_000
    number = tale.say(ADA, "attempt.open", attempt=RACE)
    tale.ledgers[ADA].hear(snapshot | {"re": number}, tale.at)


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
        ("mistimed", end_by_time_too_soon),
        ("leaked", show_early),
        ("misreported", show_other_cards),
        ("misreported", change_otherwise),
        ("misreported", count_otherwise),
        ("misreported", seat_otherwise),
        ("misreported", rank_otherwise),
        ("stale", give_old_snapshot),
        ("misranked", rank_wrongly),
        ("misranked", finish_wrongly),
        ("unfinished", leave_round_open),
        ("unfinished", leave_attempt_open),
        ("unfinished", leave_effect),
        ("unfinished", leave_due),
    ],
)
def test_what_is_wrong_is_found(kind: str, spoil: Callable[[Tale], None]) -> None:
    tale = told()
    spoil(tale)

    assert kind in kinds(tale)


def test_a_nodes_errors_are_told_once_each() -> None:
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
