"""The checker finds errors in the effects of results, in an otherwise correct recording."""

from __future__ import annotations

import json
from collections.abc import Callable
from operator import setitem
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
from tests.faults.errors import Errors, each_of
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
    if scope == "best":
        return boards.of_best(game, "standard")
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


def decide(recording: Recording, **fields: Any) -> None:
    record = recording.stored.races[RACED]
    record["decided"] = json.dumps(json.loads(record["decided"]) | fields)


def decided(recording: Recording) -> dict[str, Any]:
    """Return the race that was decided."""
    race: dict[str, Any] = json.loads(recording.stored.races[RACED]["decided"])["race"]
    return race


def double_round(history: History) -> History:
    (result,) = history.rounds.values()
    return replace(history, rounds={**history.rounds, (GAME, DealId("x")): result})


def move_day(history: History) -> History:
    return replace(history, days={(GAME, DAY): replace(history.days[GAME, DAY], points=7)})


def invent_day(history: History) -> History:
    return replace(history, days={**history.days, (GAME, DAY - 1): history.days[GAME, DAY]})


def add_twice(recording: Recording) -> None:
    fields = recording.stored.histories[ADA]
    fields[f"t:{GAME}"] = fields[f"t:{GAME}"].replace("[", "[1", 1)


def win_twice(recording: Recording) -> None:
    for player in (ADA, BOB):
        change_round(recording, player, won=True, place=1)


def on_board(scope: Scope, score: int | None, game: str = GAME) -> Callable[[Recording], None]:
    """Return a function that changes or removes Ada's score on a leaderboard."""

    def enter(recording: Recording) -> None:
        entered = recording.stored.leaderboards.setdefault(board(scope, game), {})
        if score is None:
            del entered[ADA]
        else:
            entered[ADA] = entered.get(ADA, 0) + score

    return enter


def leave_among_guests(recording: Recording) -> None:
    score = recording.stored.leaderboards[DAILY][ADA]
    recording.stored.leaderboards[DAILY._replace(group="guests")] = {ADA: score}


def meet_at_another_time(recording: Recording) -> None:
    recording.stored.met[BOB][ADA] += 1


def curve(recording: Recording) -> dict[str, int]:
    return recording.stored.curves[DailyId(GAME, DAY)]


ERRORS: Errors[Recording] = {
    "lost": {
        "history": lambda r: r.stored.histories.pop(BOB),
        "day": lambda r: change(r, ADA, lambda history: replace(history, days={})),
        "record": lambda r: r.stored.races.pop(RACED),
        "meeting": lambda r: r.stored.histories[ADA].pop(f"l:{GAME}"),
        "row of the day": on_board("day", None),
        "row of the week": on_board("week", None),
        "row of the best": on_board("best", None),
        "rating": on_board("rating", None),
        "opponent": lambda r: r.stored.met[ADA].clear(),
        "run of the curves": lambda r: curve(r).popitem(),
    },
    "invented": {
        "day": lambda r: change(r, ADA, invent_day),
        "round": lambda r: change(r, BOB, double_round),
        "history": lambda r: setitem(r.stored.histories, CYD, r.stored.histories[BOB]),
        "record": lambda r: setitem(r.stored.races, "invented00000000", r.stored.races[RACED]),
        "missing player": lambda r: decide(r, before={ADA: [25.0, 25 / 3]}),
        "ranked guest": lambda r: decide(r, ranked=[ADA, BOB]),
        "keeping after the race": lambda r: change(r, ADA, lambda h: replace(h, kept=r.at)),
        "claim": lambda r: setitem(r.stored.histories[BOB], f"c:{GAME}", json.dumps(decided(r))),
        "win": on_board("wins", -1),
        "guest on a board": lambda r: r.stored.leaderboards.update({board("races"): {BOB: -1}}),
        "row among guests": leave_among_guests,
        "opponent": lambda r: setitem(r.stored.met[ADA], CYD, START),
        "run of the curves": lambda r: setitem(curve(r), "15:40", 1),
    },
    "misranked": {
        "day": lambda r: change(r, ADA, move_day),
        "two winners": win_twice,
        "rating": lambda r: change_round(r, BOB, shift=0.5),
        "void result": lambda r: change_round(r, BOB, void=True),
        "total": add_twice,
        "time of the race": lambda r: decide(r, race=decided(r) | {"at": decided(r)["at"] + 1}),
        "ratings before": lambda r: decide(r, before={ADA: [25.0, 25 / 3], BOB: [24.0, 25 / 3]}),
        "void result that counts": lambda r: setitem(r.stored.races[RACED], f"void:{ADA}", "a bot"),
        "row of the day": on_board("day", -1, "all"),
        "row of the week": on_board("week", -1, "all"),
        "row of the best": on_board("best", 1),
        "row of the ratings": on_board("rating", -1),
        "row of the races": on_board("races", -1),
        "row of all races": on_board("races", -1, "all"),
        "time of a meeting": meet_at_another_time,
        "run counted twice": lambda r: curve(r).update(dict.fromkeys(curve(r), 2)),
    },
}


@pytest.mark.parametrize(("kind", "spoil"), each_of(ERRORS))
def test_each_error_is_found(kind: str, spoil: Callable[[Recording], object]) -> None:
    recording = correct_recording()
    assert complaints(recording) == []
    spoil(recording)
    assert kind in {each.kind for each in complaints(recording)}


def test_a_race_without_its_effect_is_reported() -> None:
    recording = correct_recording()
    recording.stored.effects[f"{CODE}/1"] = "{}"
    assert {each.kind for each in complaints(recording)} == {"unfinished"}
