"""Outages: told once when they begin, and once when they end."""

from __future__ import annotations

from structlog.testing import capture_logs

from server.outages import Outage


def test_an_outage_is_told_once_each_way() -> None:
    now = 100.0
    with capture_logs() as logs:
        outage = Outage("lost", "back", fields={"server": "a"}, now=lambda: now)
        outage.succeed()
        for reason in ("first", "second", "third"):
            outage.fail(error=reason)
            now += 1.5
        outage.succeed()
        outage.succeed()
        outage.fail(error="again")
    told = [{name: line[name] for name in line if name != "log_level"} for line in logs]
    assert told == [
        {"event": "lost", "server": "a", "error": "first"},
        {"event": "back", "server": "a", "seconds": 4.5},
        {"event": "lost", "server": "a", "error": "again"},
    ]


def test_what_fails_now_and_then_is_in_order_again_after_a_quiet_time() -> None:
    now = 0.0
    with capture_logs() as logs:
        outage = Outage("refused", "accepted", quiet=10.0, now=lambda: now)
        for _ in range(5):
            outage.fail()
            now += 9.0
            outage.succeed()
        now += 1.0
        outage.succeed()
    assert [line["event"] for line in logs] == ["refused", "accepted"]
    assert logs[1]["seconds"] == 46.0
