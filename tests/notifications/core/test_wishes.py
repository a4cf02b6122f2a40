"""What a player wants to be told, and when."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.base.core.days import DAY, day_at, ends
from server.notifications.core.wishes import (
    MAX_OFFSET,
    MINUTES,
    REMIND_BEFORE_MS,
    SPREAD_MS,
    Quiet,
    is_push_service,
    remind_at,
)
from tests.builders import ADA, BOB

MIDNIGHT = ends(20_000)
HOUR = 3_600_000

minutes = st.integers(0, MINUTES - 1)


@pytest.mark.parametrize(
    ("quiet", "hour", "until"),
    [
        (Quiet(22 * 60, 7 * 60, 0), 21, 21),
        (Quiet(22 * 60, 7 * 60, 0), 22, 31),
        (Quiet(22 * 60, 7 * 60, 0), 24, 31),
        (Quiet(22 * 60, 7 * 60, 0), 31, 31),
        (Quiet(9 * 60, 17 * 60, 0), 12, 17),
        (Quiet(9 * 60, 17 * 60, 0), 8, 8),
        # Berlin's winter, and New York's.
        (Quiet(22 * 60, 7 * 60, 60), 21, 30),
        (Quiet(22 * 60, 7 * 60, -300), 4, 12),
    ],
)
def test_quiet_hours_end(quiet: Quiet, hour: int, until: int) -> None:
    assert quiet.until(MIDNIGHT + hour * HOUR) == MIDNIGHT + until * HOUR


@given(minutes, minutes, st.integers(-MAX_OFFSET, MAX_OFFSET), st.integers(0, 40_000 * DAY))
def test_when_quiet_hours_end_it_is_not_quiet(begin: int, end: int, offset: int, now: int) -> None:
    quiet = Quiet(begin, end, offset)
    until = quiet.until(now)
    assert now <= until < now + DAY
    assert quiet.until(until) == until
    assert until == now or until % 60_000 == 0
    # All of the time until then is quiet.
    assert until == now or quiet.until((now + until) // 2) == until


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
def test_push_services_are_known(host: str) -> None:
    assert is_push_service(host)


@pytest.mark.parametrize(
    "host",
    ["evil.org", "fcm.googleapis.com.evil.org", "notify.windows.com.org", "apush.apple.com"],
)
def test_others_are_none(host: str) -> None:
    assert not is_push_service(host)
