"""Quiet hours, reminders and known push services."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.base.core.days import DAY, day_at, ends
from server.notifications.core.wishes import (
    MINUTES,
    REMIND_BEFORE_MS,
    SPREAD_MS,
    Quiet,
    is_push_service,
    remind_at,
)
from tests.builders import ADA, BOB

minutes = st.integers(0, MINUTES - 1)


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1000)


@pytest.mark.parametrize(
    ("begin", "end", "zone", "now", "until"),
    [
        (22, 7, "UTC", "2026-11-29T21:00Z", "2026-11-29T21:00Z"),
        (22, 7, "UTC", "2026-11-29T22:00Z", "2026-11-30T07:00Z"),
        (22, 7, "UTC", "2026-11-30T00:00Z", "2026-11-30T07:00Z"),
        (22, 7, "UTC", "2026-11-30T07:00Z", "2026-11-30T07:00Z"),
        (9, 17, "UTC", "2026-11-30T12:00Z", "2026-11-30T17:00Z"),
        (9, 17, "UTC", "2026-11-30T08:00Z", "2026-11-30T08:00Z"),
        # Standard time and daylight saving.
        (22, 7, "Europe/Berlin", "2026-01-10T21:00Z", "2026-01-11T06:00Z"),
        (22, 7, "Europe/Berlin", "2026-07-10T21:00Z", "2026-07-11T05:00Z"),
        (22, 7, "America/New_York", "2026-01-10T04:00Z", "2026-01-10T12:00Z"),
        (22, 7, "America/New_York", "2026-07-10T04:00Z", "2026-07-10T11:00Z"),
        # Nights of a clock change, before and after it.
        (22, 7, "Europe/Berlin", "2026-03-28T23:30Z", "2026-03-29T05:00Z"),
        (22, 7, "Europe/Berlin", "2026-03-29T01:30Z", "2026-03-29T05:00Z"),
        (22, 7, "Europe/Berlin", "2026-10-24T23:30Z", "2026-10-25T06:00Z"),
        (22, 7, "Europe/Berlin", "2026-10-25T01:30Z", "2026-10-25T06:00Z"),
        # 1:00 to 3:00 lasts one hour or three in these nights.
        (1, 3, "Europe/Berlin", "2026-03-29T00:30Z", "2026-03-29T01:00Z"),
        (1, 3, "Europe/Berlin", "2026-10-25T00:30Z", "2026-10-25T02:00Z"),
        (1, 3, "Europe/Berlin", "2026-10-25T01:30Z", "2026-10-25T02:00Z"),
    ],
)
def test_quiet_hours_end(begin: int, end: int, zone: str, now: str, until: str) -> None:
    assert Quiet(begin * 60, end * 60, zone).until(at(now), ZoneInfo(zone)) == at(until)


ZONES = ("UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu")


@given(minutes, minutes, st.sampled_from(ZONES), st.integers(at("2026-01-01T00:00Z"), 40_000 * DAY))
def test_the_end_of_quiet_hours_is_not_quiet(begin: int, end: int, name: str, now: int) -> None:
    quiet, zone = Quiet(begin, end, name), ZoneInfo(name)
    until = quiet.until(now, zone)
    assert now <= until <= now + DAY + 3_600_000
    assert quiet.until(until, zone) == until
    assert until == now or until % 60_000 == 0


@given(st.integers(0, 40_000 * DAY))
def test_a_player_is_reminded_once_a_day_two_hours_before_its_end(now: int) -> None:
    at = remind_at(ADA, now)
    before = ends(day_at(at)) - at
    assert now < at <= now + DAY
    assert REMIND_BEFORE_MS <= before < REMIND_BEFORE_MS + SPREAD_MS
    assert remind_at(ADA, at) == at + DAY
    assert remind_at(ADA, at) != remind_at(BOB, at)


@pytest.mark.parametrize(
    "host",
    [
        "fcm.googleapis.com",
        "updates.push.services.mozilla.com",
        "web.push.apple.com",
        "wns2-par02p.notify.windows.com",
    ],
)
def test_known_push_services_are_accepted(host: str) -> None:
    assert is_push_service(host)


@pytest.mark.parametrize(
    "host", ["evil.org", "fcm.googleapis.com.evil.org", "notify.windows.com.org", "apush.apple.com"]
)
def test_other_hosts_are_not_push_services(host: str) -> None:
    assert not is_push_service(host)
