"""Topics of what nodes publish to one another; `server/service/news.py` has the messages."""

from __future__ import annotations

from server.core.ids import RoomCode

NAMES = "names"
"""Players who have changed their name. Every node listens to it."""


def room(code: RoomCode) -> str:
    """A room's journal grew, its runners got further, or a member came on or went off."""
    return f"room:{code}"


def leaderboard(game: str, day: int) -> str:
    """A result was entered in a day's leaderboard."""
    return f"leaderboard:{game}:{day}"


def node(node_id: str) -> str:
    """Something concerns a session of this node. The node alone listens to it."""
    return f"node:{node_id}"
