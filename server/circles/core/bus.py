"""Messages between nodes about a circle."""

from __future__ import annotations

from msgspec import Struct

from server.base.core.bus_message import Decoder
from server.base.core.ids import CircleId
from server.base.core.topics import Topic


def topic(circle: CircleId) -> Topic:
    """Return the topic of a circle: new entries of its journal."""
    return Topic(f"circle:{circle}")


class Version(Struct, tag=1, array_like=True, frozen=True):
    """To a circle's topic: its journal has this many entries; who lacks some reads it."""

    number: int


decode = Decoder[Version](Version).decode
"""Decodes a message of a circle's topic."""
