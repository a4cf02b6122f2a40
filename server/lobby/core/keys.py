"""Keys in Redis of the rooms that anybody may enter, and how long they live."""

from __future__ import annotations

OPEN_ROOM_LIFE_S = 12
"""Seconds for which a public room is listed after a node last said that somebody is there."""

OPEN_ROOMS = "{open}:rooms"
"""The key of the public rooms with a free seat: a sorted set by time of expiry in Unix ms."""

OPEN_ROWS = "{open}:rows"
"""The key of what the list says of them: a hash of JSON by code."""

OFFER_LIFE_S = 6
"""Seconds for which a quick match is offered after a node last said that its player waits."""


def open_rooms_of(network: str) -> str:
    """Return the key of the public rooms of a network, by its keyed hash.

    It is a sorted set of room codes by time of expiry in Unix milliseconds.
    """
    return f"{{open}}:of:{network}"


def offers(game: str) -> str:
    """Return the key of the quick matches of a game that are offered.

    It is a sorted set of room codes by time of expiry in Unix milliseconds.
    """
    return f"quick:{{{game}}}"
