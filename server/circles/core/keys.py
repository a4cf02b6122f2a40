"""Redis keys of circles and their lifetimes."""

from __future__ import annotations

from server.base.core.due import Due
from server.base.core.keys import DAY_SECONDS, partition

# Seconds a circle, and a player's list of circles, is kept after a member last viewed it.
# Histories, the source of its tables, live as long.
CIRCLE_LIFE_S = 400 * DAY_SECONDS

CIRCLE_LIFE_MS = CIRCLE_LIFE_S * 1000

# Milliseconds the journal of a deleted circle is kept, so that other nodes learn of the deletion.
DELETED_LIFE_MS = 3_600_000


def circle(circle_id: str) -> str:
    """Return the key of a circle's journal (a stream)."""
    return f"{{p{partition(circle_id)}}}:circle:{circle_id}"


def circles_of(player_id: str) -> str:
    """Return the key of a player's circles: a sorted set by joining time in Unix ms.

    Circles that the player left have negative scores. It is an index: the journals are
    authoritative.
    """
    return f"circles-of:{{{player_id}}}"


class CircleDue(Due):
    """The next scheduled action of a circle."""

    __slots__ = ()
    kind = "g"

    @property
    def key(self) -> str:
        """The key of its journal."""
        return circle(self.name)
