"""Messages between nodes about a leaderboard."""

from __future__ import annotations

from msgspec import Struct

from server.base.core.bus_message import Decoder
from server.base.core.ids import PlayerId
from server.base.core.topics import Topic
from server.results.core.boards import BoardId


def topic(board: BoardId) -> Topic:
    """Return the topic for a leaderboard's changed scores."""
    return Topic(f"leaderboard:{board.name}{board.suffix}")


class ScoreChanged(Struct, array_like=True, frozen=True):
    """To a leaderboard's topic: a changed score. An empty payload means any change."""

    player: PlayerId
    score: int  # the better of the new and the old score. No better row is affected.


decode = Decoder[ScoreChanged](ScoreChanged).decode  # decodes a message of a leaderboard's topic
