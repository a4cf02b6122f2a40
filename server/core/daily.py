"""The daily: one deal of a game for one UTC day.

Days are counted from 1970-01-01, in UTC; neither local time nor leap seconds come into it.
"""

from __future__ import annotations

from datetime import date, timedelta

DAY = 86_400_000
"""Milliseconds of a day."""

GRACE = 3_600_000
"""Milliseconds after the day's end until which a run that began in it may be played."""

DRAWN_AHEAD = 7
"""For how many days ahead deals are drawn and their commitments published."""


def day_at(now: int) -> int:
    """Return the number of the UTC day at a time."""
    return now // DAY


def ends(day: int) -> int:
    """Return when the day is over: no attempt at its deals starts after that."""
    return (day + 1) * DAY


def closes(day: int) -> int:
    """Return when the last attempt at the day's deals is over, and their seeds are told."""
    return ends(day) + GRACE


def date_text(day: int) -> str:
    """Return the day's date, as in `2026-11-21`."""
    return (date(1970, 1, 1) + timedelta(days=day)).isoformat()
