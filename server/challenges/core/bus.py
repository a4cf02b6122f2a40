"""Messages between nodes about challenges."""

from __future__ import annotations

from msgspec import Struct

from server.base.core.ids import ChallengeId, PlayerId
from server.base.core.topics import Topic


def topic(challenge: ChallengeId) -> Topic:
    """Return the topic for a challenge's new journal entries."""
    return Topic(f"challenge:{challenge}")


class Listed(Struct, tag=12, array_like=True, frozen=True):
    """A notice to a node that one of its connected players has been challenged."""

    player: PlayerId
