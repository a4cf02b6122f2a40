"""Dailies: the boundaries of UTC days."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.base.core.days import (
    DAY,
    GRACE_MS,
    Level,
    closes,
    date_text,
    day_at,
    ends,
    level_of,
    third,
)


def millis(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("time", "date"),
    [
        ("1970-01-01T00:00:00.000", "1970-01-01"),
        ("2026-11-21T00:00:00.000", "2026-11-21"),
        ("2026-11-21T23:59:59.999", "2026-11-21"),
        ("2026-11-22T00:00:00.000", "2026-11-22"),
        # Around daylight-saving changes, and on a leap day.
        ("2026-03-29T01:30:00.000", "2026-03-29"),
        ("2026-10-25T01:30:00.000", "2026-10-25"),
        ("2028-02-29T12:00:00.000", "2028-02-29"),
        ("2028-12-31T23:59:59.999", "2028-12-31"),
    ],
)
def test_a_time_is_in_the_day_of_its_date(time: str, date: str) -> None:
    assert date_text(day_at(millis(time))) == date


def test_the_day_in_the_protocols_examples_has_its_date() -> None:
    assert day_at(millis("2026-11-21T00:00:00")) == 20_778
    assert ends(20_778) == millis("2026-11-22T00:00:00")
    assert closes(20_778) == millis("2026-11-22T01:00:00")


@given(st.integers(0, 10**6).map(lambda day: day * DAY), st.integers(0, DAY - 1))
def test_every_instant_is_in_one_day(midnight: int, within: int) -> None:
    day = day_at(midnight + within)
    assert day_at(midnight) == day
    assert day_at(ends(day) - 1) == day
    assert day_at(ends(day)) == day + 1
    assert closes(day) - ends(day) == GRACE_MS < DAY


@given(st.integers(0, 10**6))
def test_a_days_level_follows_from_its_weekday(day: int) -> None:
    weekday = (date(1970, 1, 1) + timedelta(days=day)).isoweekday()
    assert level_of(day) == {1: 1, 2: 1, 3: 2, 4: 2, 5: 2, 6: 3, 7: 3}[weekday]


@given(st.integers(1, 500))
def test_the_thirds_of_three_levels_are_equal_and_ordered(size: int) -> None:
    levels: tuple[Level, ...] = get_args(Level)
    thirds = [third(level, size) for level in levels]
    assert all(0 <= places.start < places.stop <= size for places in thirds), "none is empty"
    if size >= len(levels):
        assert [place for places in thirds for place in places] == [*range(size)]
        assert max(map(len, thirds)) - min(map(len, thirds)) <= 1
