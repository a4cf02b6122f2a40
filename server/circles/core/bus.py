"""Messages between nodes about a circle."""

from __future__ import annotations

from msgspec import Struct

from server.base.core.bus_message import Decoder
from server.base.core.ids import CircleId
from server.base.core.topics import Topic


def topic(circle: CircleId) -> Topic:
    """Return the topic for a circle's new journal entries."""
    return Topic(f"circle:{circle}")


class Version(Struct, tag=1, array_like=True, frozen=True):
    """The number of entries in a circle's journal. A subscriber with fewer reads the rest."""

    number: int


decode = Decoder[Version](Version).decode
"""Decodes a message of a circle's topic."""
