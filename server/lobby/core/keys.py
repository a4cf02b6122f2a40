"""Redis keys of open rooms and quick matches, and their lifetimes."""

from __future__ import annotations

OPEN_ROOM_LIFE_S = 12
"""Seconds that a public room is listed after a node last reported an online member."""

OPEN_ROOMS = "{open}:rooms"
"""The key of the public rooms with a free seat: a sorted set by time of expiry in Unix ms."""

OPEN_ROWS = "{open}:rows"
"""The key of their rows: a hash of JSON by code."""

OFFER_LIFE_S = 6
"""Seconds that a quick match is offered after a node last reported its waiting player."""


def open_rooms_of(network: str) -> str:
    """Return the key of the public rooms of a network, by its keyed hash.

    It is a sorted set of room codes by time of expiry in Unix milliseconds.
    """
    return f"{{open}}:of:{network}"


def offers(game: str) -> str:
    """Return the key of a game's offered quick matches.

    It is a sorted set of room codes by time of expiry in Unix milliseconds.
    """
    return f"quick:{{{game}}}"
