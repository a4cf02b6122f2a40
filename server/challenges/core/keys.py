"""Keys of challenges in Redis, and how long they live."""

from __future__ import annotations

from server.base.core.keys import DAY_SECONDS, partition
from server.deals.core.keys import PLAYED_DEAL_LIFE_S

CHALLENGE_LIFE_MS = 90 * DAY_SECONDS * 1000
"""Milliseconds that a challenge is kept after its date, as long as what is played at most."""

DEAL_LIFE_S = PLAYED_DEAL_LIFE_S
"""Seconds that its deal is kept after its date: longer than any run on it."""

MAKING_MS = 60_000
"""Milliseconds within which a challenge is made, after its deal was reserved for it."""

LIST_LIFE_S = 120 * DAY_SECONDS
"""Seconds that a player's list is kept after the last challenge came into it: longer than that."""

MADE_LIFE_S = 15 * DAY_SECONDS
"""Seconds that it is known which challenges a player has made last: longer than one is open."""


def challenge(name: str) -> str:
    """Return the key of a challenge's journal: a stream."""
    return f"{{p{partition(name)}}}:challenge:{name}"


def summary(name: str) -> str:
    """Return the key of what lists show of a challenge: a text (JSON), written with each entry."""
    return f"{{p{partition(name)}}}:challenge-summary:{name}"


def places(name: str) -> str:
    """Return the key of a challenge's players by result: a sorted set, written with each entry."""
    return f"{{p{partition(name)}}}:challenge-places:{name}"


def lookers(name: str) -> str:
    """Return the key of who have looked at a challenge: a hash by player."""
    return f"{{p{partition(name)}}}:lookers:{name}"


def listed(player_id: str) -> str:
    """Return the key of a player's challenges: a sorted set by when they came into it."""
    return f"challenges:{{{player_id}}}"


def told(player_id: str) -> str:
    """Return the key of who has put challenges into a player's list: a hash by challenge."""
    return f"challenges-told:{{{player_id}}}"


def blocked(player_id: str) -> str:
    """Return the key of those from whom a player wants no challenges: a sorted set by when."""
    return f"challenges-blocked:{{{player_id}}}"


def seen(player_id: str) -> str:
    """Return the key of when a player has last looked: a string, in Unix milliseconds."""
    return f"challenges-seen:{{{player_id}}}"


def made(player_id: str) -> str:
    """Return the key of the open challenges that a player has made: a sorted set by their dates."""
    return f"challenges-made:{{{player_id}}}"
