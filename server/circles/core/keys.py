"""Keys of circles in Redis, and how long they live."""

from __future__ import annotations

from server.base.core.keys import DAY_SECONDS, partition

CIRCLE_LIFE_S = 400 * DAY_SECONDS
"""Seconds that a circle is kept after a member has last looked at it, and for which it is kept of a
player which ones these are: as long as their histories, from which its tables follow."""

CIRCLE_LIFE_MS = CIRCLE_LIFE_S * 1000

DELETED_LIFE_MS = 3_600_000
"""Milliseconds that the journal of a deleted circle is kept, which says so to other nodes."""


def circle(circle_id: str) -> str:
    """Return the key of a circle's journal: a stream."""
    return f"{{p{partition(circle_id)}}}:circle:{circle_id}"


def circles_of(player_id: str) -> str:
    """Return the key of a player's circles: a sorted set by when they joined, in Unix ms.

    Those that the player has left have negative scores. The circle's journal decides.
    """
    return f"circles-of:{{{player_id}}}"
