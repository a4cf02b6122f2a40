"""Redis keys of open rooms and quick matches, and their lifetimes."""

from __future__ import annotations

# How long a public room is listed after a node last reported an online member.
OPEN_ROOM_LIFE_S = 12

# The public rooms with a free seat: a sorted set by time of expiry in Unix ms.
OPEN_ROOMS = "{open}:rooms"

OPEN_ROWS = "{open}:rows"  # Their rows: a hash of JSON by code.
OFFER_LIFE_S = 6  # how long a quick match is offered after a node last reported its waiting player


def open_rooms_of(network: str) -> str:
    """Return the key of a network's public rooms: codes, sorted by expiry (Unix ms)."""
    return f"{{open}}:of:{network}"


def offers(game: str) -> str:
    """Return the key of a game's offered quick matches: codes, sorted by expiry (Unix ms)."""
    return f"quick:{{{game}}}"
