"""Keys in Redis of what players want to be told, and how long they live."""

from __future__ import annotations

from server.base.core.keys import partition
from server.players.core.keys import PLAYER_LIFE_S

PUSH_LIFE_S = PLAYER_LIFE_S
"""Seconds that a player's devices and wishes are kept after the last change of them."""


def push(player_id: str) -> str:
    """Return the key of where a player is told something, and what: a hash."""
    return f"{{p{partition(player_id)}}}:push:{player_id}"
