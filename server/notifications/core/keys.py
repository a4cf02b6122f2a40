"""Redis keys of notifications and their lifetimes."""

from __future__ import annotations

from server.base.core.due import Due
from server.base.core.keys import partition
from server.players.core.keys import PLAYER_LIFE_S

# How long a player's devices and preferences are kept after their last change.
PUSH_LIFE_S = PLAYER_LIFE_S


def push(player_id: str) -> str:
    """Return the key of a player's devices and preferences (a hash)."""
    return f"{{p{partition(player_id)}}}:push:{player_id}"


class ReminderDue(Due):
    """The time of a player's next reminder."""

    __slots__ = ()
    kind = "n"
