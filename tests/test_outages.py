"""Outages: logged once when they start, and once when they end."""

from __future__ import annotations

import ast

from structlog.testing import capture_logs

from server.base.work.outages import Outage
from tests.processes import ROOT


def test_the_start_and_end_of_an_outage_are_logged_once() -> None:
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


def test_occasional_failures_are_resolved_after_a_quiet_time() -> None:
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


def told_of_outages(source: str) -> set[str]:
    """Return the log methods that a module uses for an unavailable store."""
    handlers = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ExceptHandler)
        and node.type is not None
        and "UnavailableError" in ast.unparse(node.type)
    ]
    return {
        call.func.attr
        for handler in handlers
        for call in ast.walk(handler)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and ast.unparse(call.func.value) == "log"
    }


def test_consequences_of_an_unavailable_store_are_logged_as_debug() -> None:
    found = {
        str(path.relative_to(ROOT)): told
        for path in (ROOT / "server").rglob("*.py")
        if (told := told_of_outages(path.read_text(encoding="utf-8")))
    }
    assert len(found) > 5
    assert {name: told for name, told in found.items() if told != {"debug"}} == {}
