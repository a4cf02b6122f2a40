"""The token bucket."""

from __future__ import annotations

from server.gateway.limits import Bucket


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    now = [0.0]
    bucket = Bucket(rate=2, burst=3, clock=lambda: now[0])
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    now[0] = 0.5
    assert [bucket.take() for _ in range(2)] == [True, False]


def test_a_bucket_holds_no_more_than_its_burst() -> None:
    now = [0.0]
    bucket = Bucket(rate=2, burst=3, clock=lambda: now[0])
    now[0] = 1000.0
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
