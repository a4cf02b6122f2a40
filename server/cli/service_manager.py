"""Notifications to the service manager that started this process (`sd_notify` of systemd)."""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import suppress
from typing import Final

_MICROSECONDS: Final = 1_000_000


def notify_ready() -> None:
    """Notify the service manager, if any, that players can connect; start its watchdog, if set."""
    _notify("READY=1")
    asked = os.environ.get("WATCHDOG_USEC")
    if asked is not None:
        # Twice per period of `WatchdogSec=`. If it misses this, it kills and restarts the process.
        _notify_alive(int(asked) / _MICROSECONDS / 2)


def _notify_alive(every: float) -> None:
    _notify("WATCHDOG=1")
    asyncio.get_running_loop().call_later(every, _notify_alive, every)


def _notify(state: str) -> None:
    path = os.environ.get("NOTIFY_SOCKET")
    if path is None:
        return
    # The first character of an abstract socket's name stands for NUL.
    address = f"\0{path[1:]}" if path.startswith("@") else path
    # The variable may be inherited from a service whose manager's socket no longer exists.
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager, suppress(OSError):
        manager.sendto(state.encode(), address)
