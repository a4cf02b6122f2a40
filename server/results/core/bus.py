"""Messages between nodes about a leaderboard."""

from __future__ import annotations

from msgspec import Struct

from server.base.core.bus_message import Decoder
from server.base.core.ids import PlayerId
from server.base.core.topics import Topic
from server.results.core.boards import BoardId


def topic(board: BoardId) -> Topic:
    """Return the topic of a leaderboard: a score has changed."""
    return Topic(f"leaderboard:{board.name}{board.suffix}")


class ScoreChanged(Struct, array_like=True, frozen=True):
    """To a leaderboard's topic: a player's score has changed; without a payload, any has.

    Attributes:
        score: the new score or the old one, whichever is better: no better row is affected.
    """

    player: PlayerId
    score: int


decode = Decoder[ScoreChanged](ScoreChanged).decode
"""Decodes a message of a leaderboard's topic."""
