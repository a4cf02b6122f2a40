"""The checker finds errors in the effects of results, in an otherwise correct recording."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from server.base.core.days import DailyId
from server.base.core.ids import DealId, PlayerId
from server.results.core import boards
from server.results.core.boards import BoardId, Scope, of_daily
from server.results.core.history import History, RoundResult
from server.results.core.history_fields import whole_of
from tests.builders import ADA, BOB, CODE, CYD, START
from tests.faults.checker import check
from tests.faults.complaint import Complaint
from tests.faults.recording import DAY, GAME, RACED, Recording, correct_recording
from tests.faults.room_history import Nodes
from tests.results.core.histories import fields_of

DAILY = of_daily(DailyId(GAME, DAY), "ranked")


def complaints(recording: Recording) -> list[Complaint]:
    ledgers = list(recording.ledgers.values())
    found = check(recording.stored, ledgers, recording.at + 60_000, Nodes())
    words = ("history", "leaderboard", "race", "met", "meetings", "curves", GAME, CODE)
    return [each for each in found.complaints if each.about.startswith(words)]


def board(scope: Scope, game: str = GAME) -> BoardId:
    period = {"day": DAY, "week": boards.week_of(DAY)}.get(scope, 0)
    return BoardId(scope, game, period, "ranked")


def change(recording: Recording, player: PlayerId, after: Callable[[History], History]) -> None:
    fields = recording.stored.histories[player]
    lately = {name: text for name, text in fields.items() if name.startswith("l:")}
    recording.stored.histories[player] = fields_of(after(whole_of(fields).history)) | lately


def change_round(recording: Recording, player: PlayerId, **fields: Any) -> None:
    key = GAME, RACED

    def changed(history: History) -> History:
        result: RoundResult = replace(history.rounds[key], **fields)
        return replace(history, rounds={key: result})

    change(recording, player, changed)


def lose_history(recording: Recording) -> None:
    del recording.stored.histories[BOB]


def lose_day(recording: Recording) -> None:
    change(recording, ADA, lambda history: replace(history, days={}))


def invent_day(recording: Recording) -> None:
    change(
        recording, ADA, lambda h: replace(h, days={**h.days, (GAME, DAY - 1): h.days[GAME, DAY]})
    )


def move_day(recording: Recording) -> None:
    change(
        recording,
        ADA,
        lambda h: replace(h, days={(GAME, DAY): replace(h.days[GAME, DAY], points=7)}),
    )


def double_round(recording: Recording) -> None:
    def doubled(history: History) -> History:
        (result,) = history.rounds.values()
        return replace(history, rounds={**history.rounds, (GAME, DealId("x")): result})

    change(recording, BOB, doubled)


def add_twice(recording: Recording) -> None:
    fields = recording.stored.histories[ADA]
    fields[f"t:{GAME}"] = fields[f"t:{GAME}"].replace("[", "[1", 1)


def invent_history(recording: Recording) -> None:
    recording.stored.histories[CYD] = recording.stored.histories[BOB]


def win_twice(recording: Recording) -> None:
    change_round(recording, ADA, won=True, place=1)
    change_round(recording, BOB, won=True, place=1)


def change_rating(recording: Recording) -> None:
    change_round(recording, BOB, shift=0.5)


def void_a_result(recording: Recording) -> None:
    change_round(recording, BOB, void=True)


def lose_record(recording: Recording) -> None:
    del recording.stored.races[RACED]


def invent_record(recording: Recording) -> None:
    recording.stored.races["invented00000000"] = recording.stored.races[RACED]


def decide(recording: Recording, **fields: Any) -> None:
    record = recording.stored.races[RACED]
    record["decided"] = json.dumps(json.loads(record["decided"]) | fields)


def decide_of_another_time(recording: Recording) -> None:
    race = json.loads(recording.stored.races[RACED]["decided"])["race"]
    decide(recording, race=race | {"at": race["at"] + 1})


def decide_from_wrong_ratings(recording: Recording) -> None:
    decide(recording, before={ADA: [25.0, 25 / 3], BOB: [24.0, 25 / 3]})


def rank_a_guest(recording: Recording) -> None:
    decide(recording, ranked=[ADA, BOB])


def keep_after_the_race(recording: Recording) -> None:
    change(recording, ADA, lambda history: replace(history, kept=recording.at))


def leave_a_claim(recording: Recording) -> None:
    race = json.loads(recording.stored.races[RACED]["decided"])["race"]
    recording.stored.histories[BOB][f"c:{GAME}"] = json.dumps(race)


def forget_a_meeting(recording: Recording) -> None:
    del recording.stored.histories[ADA][f"l:{GAME}"]


def decide_without_a_player(recording: Recording) -> None:
    decide(recording, before={ADA: [25.0, 25 / 3]})


def void_a_result_and_leave_it(recording: Recording) -> None:
    recording.stored.races[RACED][f"void:{ADA}"] = "a bot"


def on_board(scope: Scope, score: int | None, game: str = GAME) -> Callable[[Recording], None]:
    """Return a function that changes or removes Ada's score on a leaderboard."""

    def enter(recording: Recording) -> None:
        entered = recording.stored.leaderboards.setdefault(board(scope, game), {})
        if score is None:
            del entered[ADA]
        else:
            entered[ADA] = entered.get(ADA, 0) + score

    enter.__name__ = f"{scope} {game} {score}"
    return enter


def enter_a_guest(recording: Recording) -> None:
    recording.stored.leaderboards[board("races")] = {BOB: -1}


def leave_among_guests(recording: Recording) -> None:
    score = recording.stored.leaderboards[DAILY][ADA]
    recording.stored.leaderboards[DAILY._replace(group="guests")] = {ADA: score}


def forget_an_opponent(recording: Recording) -> None:
    recording.stored.met[ADA].clear()


def meet_a_stranger(recording: Recording) -> None:
    recording.stored.met[ADA][CYD] = START


def meet_at_another_time(recording: Recording) -> None:
    recording.stored.met[BOB][ADA] += 1


def curve(recording: Recording) -> dict[str, int]:
    return recording.stored.curves[DailyId(GAME, DAY)]


def lose_a_run_of_the_curves(recording: Recording) -> None:
    curve(recording).popitem()


def count_a_run_twice(recording: Recording) -> None:
    for field in curve(recording):
        curve(recording)[field] = 2


def count_a_missing_run(recording: Recording) -> None:
    curve(recording)["15:40"] = 1


@pytest.mark.parametrize(
    ("kind", "break_it"),
    [
        ("lost", lose_history),
        ("lost", lose_day),
        ("invented", invent_day),
        ("misranked", move_day),
        ("invented", double_round),
        ("invented", invent_history),
        ("misranked", win_twice),
        ("misranked", change_rating),
        ("misranked", void_a_result),
        ("misranked", add_twice),
        ("lost", lose_record),
        ("invented", invent_record),
        ("misranked", decide_of_another_time),
        ("misranked", decide_from_wrong_ratings),
        ("invented", decide_without_a_player),
        ("invented", rank_a_guest),
        ("invented", keep_after_the_race),
        ("invented", leave_a_claim),
        ("lost", forget_a_meeting),
        ("misranked", void_a_result_and_leave_it),
        ("lost", on_board("day", None)),
        ("misranked", on_board("day", -1, "all")),
        ("lost", on_board("week", None)),
        ("misranked", on_board("week", -1, "all")),
        ("invented", on_board("wins", -1)),
        ("misranked", on_board("best", 1)),
        ("lost", on_board("best", None)),
        ("lost", on_board("rating", None)),
        ("misranked", on_board("rating", -1)),
        ("misranked", on_board("races", -1)),
        ("misranked", on_board("races", -1, "all")),
        ("invented", enter_a_guest),
        ("invented", leave_among_guests),
        ("lost", forget_an_opponent),
        ("invented", meet_a_stranger),
        ("misranked", meet_at_another_time),
        ("lost", lose_a_run_of_the_curves),
        ("misranked", count_a_run_twice),
        ("invented", count_a_missing_run),
    ],
)
def test_each_error_is_found(kind: str, break_it: Callable[[Recording], None]) -> None:
    recording = correct_recording()
    assert complaints(recording) == []
    break_it(recording)
    assert kind in {each.kind for each in complaints(recording)}


def test_a_race_without_its_effect_is_reported() -> None:
    recording = correct_recording()
    recording.stored.effects[f"{CODE}/1"] = "{}"
    assert {each.kind for each in complaints(recording)} == {"unfinished"}
