"""Messages between nodes about a circle."""

from __future__ import annotations

from server.base.core.topics import Topic
from server.circles.core.ids import CircleId


def topic(circle: CircleId) -> Topic:
    """Return the topic for a circle's new journal entries."""
    return Topic(f"circle:{circle}")
