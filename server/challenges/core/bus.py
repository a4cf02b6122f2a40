"""Messages between nodes about challenges."""

from __future__ import annotations

from msgspec import Struct

from server.base.core.bus_message import Decoder
from server.base.core.ids import ChallengeId, PlayerId
from server.base.core.topics import Topic


def topic(challenge: ChallengeId) -> Topic:
    """Return the topic of a challenge: new entries of its journal."""
    return Topic(f"challenge:{challenge}")


class AppendedEntry(Struct, tag=1, array_like=True, frozen=True):
    """To a challenge's topic: an entry was appended to its journal, with number and text (JSON)."""

    number: int
    text: str


decode = Decoder[AppendedEntry](AppendedEntry).decode
"""Decodes a message of a challenge's topic."""


class Listed(Struct, tag=12, array_like=True, frozen=True):
    """To a node's topic: a player with sessions there has been challenged."""

    player: PlayerId
