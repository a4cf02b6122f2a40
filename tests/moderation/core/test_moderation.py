"""Rules of moderation for players, rooms and results."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from server.base.core.refusal import BaseRefusals, Refusal
from server.players.core.restrictions import MAX_WAIT_MS, is_barred, refusal_of
from server.results.core.boards import BoardId
from server.results.core.history import DayResult, History
from server.results.core.history_fields import whole_of
from server.results.core.played_days import day_set, streak
from server.rooms.core import commands
from server.rooms.core.room import fold
from tests.builders import ADA, BOB, START, room_of
from tests.results.core.histories import plain_fields

WON = DayResult(52, 0, 60_000, 90, "won", 190, ranked=True)


@pytest.mark.parametrize(
    ("until", "now", "barred"), [(None, 5, False), (0, 5, True), (6, 5, True), (5, 5, False)]
)
def test_a_bar_lasts_until_its_end(until: int | None, now: int, barred: bool) -> None:
    assert is_barred(until, now) == barred


def test_the_wait_of_a_barred_player_is_at_most_a_day() -> None:
    assert refusal_of(9_000, 5_000).wait == 4_000
    assert refusal_of(0, 5_000).wait == refusal_of(10**15, 5_000).wait == MAX_WAIT_MS
    assert refusal_of(0, 0).code is BaseRefusals.barred


def test_a_voided_result_does_not_count_until_restored() -> None:
    days = {("robert", day): WON for day in (7, 8)}
    whole = whole_of(plain_fields(History(days=days)))
    history = replace(whole.all(whole.computed), whole=None)
    void = history.with_void("robert", 7, True)
    assert void is None, "voiding needs all days"
    history = whole.all(whole.computed)
    void = history.with_void("robert", 7, True)
    assert void is not None
    after = History(days=void.days)
    assert after.days_played() == after.days_won() == {8}
    assert streak(day_set(after.days_played()), 8).now == 1
    assert void.score(BoardId("day", "robert", 7, "ranked")) is None
    assert void.score(BoardId("week", "robert", 1, "ranked")) == -WON.points
    assert void.with_void("robert", 7, True) == void
    assert void.with_void("robert", 7, False) == history
    assert history.with_void("deuces", 7, True) == history


def test_a_closed_room_has_no_seats_and_takes_no_commands() -> None:
    room = room_of(ADA, BOB)
    event = commands.close(room, START)
    assert event is not None
    closed = fold(room, event)
    assert (closed.seats, closed.closed, closed.joinable) == ((), True, False)
    assert commands.close(closed, START) is None
    commands.check_open(room)
    with pytest.raises(Refusal, match="room_closed"):
        commands.check_open(closed)
