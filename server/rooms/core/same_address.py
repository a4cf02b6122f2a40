"""Players of a room at the same address, as a keyed hash (`server.players.address_hash`). Pure."""

from __future__ import annotations

from collections.abc import Mapping

from server.base.core.ids import PlayerId
from server.rooms.core.room import Room

Groups = tuple[tuple[PlayerId, ...], ...]
"""Players at the same address, two or more in each group."""


def groups(room: Room, addresses: Mapping[PlayerId, str]) -> Groups:
    """Return which members, and runners of the latest round, are or were at the same address.

    They are in the order of their seats, and those who have left the room come last.
    """
    players = [seat.player for seat in room.seats]
    if room.round is not None:
        players += [each for each in room.round.players if each not in players]
    at: dict[str, list[PlayerId]] = {}
    for player in players:
        if player in addresses:
            at.setdefault(addresses[player], []).append(player)
    return tuple(tuple(group) for group in at.values() if len(group) > 1)
