"""Topics of what nodes publish to one another: made here, and nowhere taken apart.

`server/base/nodes/messages.py` has the messages of each.
"""

from __future__ import annotations

from typing import Final, NewType

from server.base.core.ids import RoomCode
from server.results.core.boards import BoardId

Topic = NewType("Topic", str)
"""The name of a channel of Redis's pub/sub."""

NAMES: Final = Topic("names")
"""A player has changed their name. Every node subscribes to it."""


def room(code: RoomCode) -> Topic:
    """Return the topic of a room: new entries, progress, and who comes online or goes offline."""
    return Topic(f"room:{code}")


def leaderboard(board: BoardId) -> Topic:
    """Return the topic of a leaderboard: a score has changed."""
    return Topic(f"leaderboard:{board.name}{board.suffix}")


def node(node_id: str) -> Topic:
    """Return the topic of a node: something concerns one of its sessions. It alone subscribes."""
    return Topic(f"node:{node_id}")
