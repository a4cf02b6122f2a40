"""Notifications to the service manager that has started this process (`sd_notify` of systemd)."""

from __future__ import annotations

import asyncio
import os
import socket
from contextlib import suppress
from typing import Final

_MICROSECONDS: Final = 1_000_000


def tell_ready() -> None:
    """Tell the service manager, if there is one, that players can come, and go on saying so.

    If it asks for that (`WatchdogSec=`), it is told twice in that time that the event loop turns;
    else it kills the process and starts another one.
    """
    _tell("READY=1")
    asked = os.environ.get("WATCHDOG_USEC")
    if asked is not None:
        _tell_alive(int(asked) / _MICROSECONDS / 2)


def _tell_alive(every: float) -> None:
    _tell("WATCHDOG=1")
    asyncio.get_running_loop().call_later(every, _tell_alive, every)


def _tell(state: str) -> None:
    path = os.environ.get("NOTIFY_SOCKET")
    if path is None:
        return
    # Of an abstract socket, the first character stands for a NUL.
    address = f"\0{path[1:]}" if path.startswith("@") else path
    # One that has gone, as for a process that has inherited the variable, need not be told.
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager, suppress(OSError):
        manager.sendto(state.encode(), address)
