"""What a player said and was told, written down as it happened."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgpack

Message = dict[str, Any]


class Line(NamedTuple):
    """A message, and when it was said or heard, in Unix milliseconds of this machine's clock."""

    at: int
    message: Message


class Ledger:
    """One player's: commands are written down before they are sent, events when they arrive.

    Messages are kept as frames, which take a tenth of the room.
    """

    def __init__(self, player: str) -> None:
        self.player = player
        self._said: list[tuple[int, bytes]] = []
        self._heard: list[tuple[int, bytes]] = []

    def say(self, command: Message, at: int | None = None) -> None:
        """Write down a command that is about to be sent."""
        self._said.append((now() if at is None else at, msgpack.packb(command)))

    def hear(self, event: Message, at: int | None = None) -> None:
        """Write down an event."""
        self._heard.append((now() if at is None else at, msgpack.packb(event)))

    def said(self) -> Iterator[Line]:
        """Yield the commands in the order in which they were said."""
        return (Line(at, msgpack.unpackb(frame)) for at, frame in self._said)

    def heard(self) -> Iterator[Line]:
        """Yield the events in the order in which they were heard."""
        return (Line(at, msgpack.unpackb(frame)) for at, frame in self._heard)


def now() -> int:
    """Return the time in Unix milliseconds."""
    return time.time_ns() // 1_000_000
