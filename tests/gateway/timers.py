"""Time limits that end when a test says so, and not by the time that a busy machine takes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import Any

import pytest


class Timer:
    """What `call_later` returns of a limit that is held."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call: Callable[[], None] | None = call

    def cancel(self) -> None:
        """Do nothing when it is fired."""
        self._call = None

    def fire(self) -> None:
        """Make the call, once, if it was not cancelled."""
        call, self._call = self._call, None
        if call is not None:
            call()


class Timers:
    """The timers of the running loop whose delays are held.

    Args:
        monkeypatch: replaces the loop's `call_later`.
        delays: those to hold, in seconds. Timers of other delays are the loop's.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *delays: float) -> None:
        self._held: dict[float, list[Timer]] = {delay: [] for delay in delays}
        loop = asyncio.get_running_loop()
        real = loop.call_later

        def call_later(
            delay: float, call: Callable[..., Any], *args: Any, context: Context | None = None
        ) -> Timer | asyncio.TimerHandle:
            if delay not in self._held:
                return real(delay, call, *args, context=context)
            timer = Timer(lambda: call(*args))
            self._held[delay].append(timer)
            return timer

        monkeypatch.setattr(loop, "call_later", call_later)

    def fire(self, delay: float) -> None:
        """Let the time of each timer with this delay be over."""
        timers, self._held[delay] = self._held[delay], []
        for timer in timers:
            timer.fire()
