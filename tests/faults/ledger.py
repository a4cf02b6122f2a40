"""Ledgers: the messages of a player, with times."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgpack

Message = dict[str, Any]


class Line(NamedTuple):
    """A message, and its time in Unix milliseconds of this machine."""

    at: int
    message: Message


class Ledger:
    """A player's messages: commands, recorded before sending, and events, on arrival.

    Messages are kept encoded, which takes a tenth of the memory.
    """

    def __init__(self, player: str) -> None:
        self.player = player
        self._commands: list[tuple[int, bytes]] = []
        self._events: list[tuple[int, bytes]] = []

    def record_command(self, command: Message, at: int | None = None) -> None:
        """Record a command before it is sent."""
        self._commands.append((now() if at is None else at, msgpack.packb(command)))

    def record_event(self, event: Message, at: int | None = None) -> None:
        """Record an event."""
        self._events.append((now() if at is None else at, msgpack.packb(event)))

    def commands(self) -> Iterator[Line]:
        """Yield the commands in sending order."""
        return (Line(at, msgpack.unpackb(frame)) for at, frame in self._commands)

    def events(self) -> Iterator[Line]:
        """Yield the events in order of arrival."""
        return (Line(at, msgpack.unpackb(frame)) for at, frame in self._events)


def now() -> int:
    return time.time_ns() // 1_000_000
