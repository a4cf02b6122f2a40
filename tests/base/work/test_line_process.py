"""Subprocess programs yield to other processes, and rest."""

from __future__ import annotations

import io
import os
import sys
import time
from types import SimpleNamespace

import msgspec
import pytest

from server.base.work import line_process
from server.base.work.line_process import answer_requests

WORK = 0.02
"""Seconds of work for each request."""


class Number(msgspec.Struct):
    """A request, and the answer to it."""

    number: int


def work(request: Number) -> Number:
    began = time.process_time()
    while time.process_time() < began + WORK:
        pass
    return request


@pytest.fixture
def sleeps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Replace sleeping in this process and keep its priority; return the requested durations."""
    found: list[float] = []
    monkeypatch.setattr(time, "sleep", found.append)
    monkeypatch.setattr(os, "nice", lambda _: 0)
    monkeypatch.setattr(os, "sched_setscheduler", lambda *_: None, raising=False)
    monkeypatch.setattr("signal.signal", lambda *_: None)
    return found


@pytest.mark.parametrize("rest", [0.0, 4.0])
def test_after_each_answer_it_rests_in_proportion_to_its_work(
    rest: float, sleeps: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [b'{"number":1}\n', b'{"number":2}\n']
    output = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=lines))
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=output))
    monkeypatch.setattr(line_process, "_step_back", lambda: None)
    answer_requests(Number, work, rest)
    assert output.getvalue() == b"".join(lines)
    assert len(sleeps) == len(lines)
    assert all(rest * WORK <= each <= rest * WORK * 10 for each in sleeps)


@pytest.mark.parametrize(
    ("leader", "errors", "writes"),
    [
        (True, [], 1),
        (True, [BlockingIOError()] * 2, 3),
        (True, [FileNotFoundError()], 1),
        (False, [], 0),
    ],
    ids=["written", "busy", "absent", "of others"],
)
def test_it_lowers_its_own_sessions_priority_with_retries(
    leader: bool,
    errors: list[OSError],
    writes: int,
    sleeps: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[str] = []
    left = list(errors)

    def write(text: str, **_: str) -> None:
        written.append(text)
        if left:
            raise left.pop()

    monkeypatch.setattr(os, "getsid", lambda _: os.getpid() if leader else 1)
    monkeypatch.setattr(line_process, "_SESSION", SimpleNamespace(write_text=write))
    line_process._step_back()
    assert written == ["19"] * writes
    assert len(sleeps) == max(0, writes - 1)
