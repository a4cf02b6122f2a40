"""Timers that fire when a test says so, independent of the machine's speed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context, copy_context
from typing import Any

import pytest

from server.base.work.worker_pool import WorkerPool
from server.rooms import absences


class Timer:
    """The handle of a held timer, as returned by `call_later`."""

    def __init__(self, when: float, call: Callable[[], None]) -> None:
        self._when = when
        self._call: Callable[[], None] | None = call

    def when(self) -> float:
        """Return the loop's time of the scheduled call."""
        return self._when

    def cancel(self) -> None:
        """Cancel the call; firing does nothing then."""
        self._call = None

    def fire(self) -> None:
        """Make the call, once, unless it was cancelled."""
        call, self._call = self._call, None
        if call is not None:
            call()


class Timers:
    """Held timers of the running loop.

    Args:
        monkeypatch: replaces the loop's `call_later`.
        delays: the delays to hold, in seconds; other timers run normally.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *delays: float) -> None:
        self._delays = delays
        self._held: list[tuple[float, Timer]] = []
        loop = asyncio.get_running_loop()
        real = loop.call_later

        def call_later(
            delay: float, call: Callable[..., Any], *args: Any, context: Context | None = None
        ) -> Timer | asyncio.TimerHandle:
            if not self._holds(delay, call):
                return real(delay, call, *args, context=context)
            run = (context or copy_context()).run
            timer = Timer(loop.time() + delay, lambda: run(call, *args))
            self._held.append((delay, timer))
            return timer

        monkeypatch.setattr(loop, "call_later", call_later)

    def _holds(self, delay: float, call: Callable[..., Any]) -> bool:
        # With uvloop, the test's own timeouts come through here, too.
        is_timeout = isinstance(getattr(call, "__self__", None), asyncio.Timeout)
        return delay in self._delays and not is_timeout

    def fire(self, *delays: float) -> None:
        """Fire all timers with one of these delays."""
        held, self._held = self._held, []
        for delay, timer in held:
            if delay in delays:
                timer.fire()
            else:
                self._held.append((delay, timer))


class AbsenceTime(Timers):
    """The clock of absences on this process's nodes; its time passes only on request.

    Immediate and retried work still follows the loop's time.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(monkeypatch)
        self._now = 0
        monkeypatch.setattr(absences, "_now", lambda: self._now)

    def _holds(self, delay: float, call: Callable[..., Any]) -> bool:
        pool = getattr(call, "__self__", None)
        is_absence = isinstance(pool, WorkerPool) and pool.name == "absences"
        return is_absence and delay > absences.RETRY_AFTER_MS / 1000

    def pass_(self, milliseconds: int) -> None:
        """Let time pass, and each node handle everything due."""
        self._now += milliseconds
        self.fire(*(delay for delay, _ in self._held))
