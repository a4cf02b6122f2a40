"""Groups of a room's players at the same address (`server.players.address_hash`), without I/O."""

from __future__ import annotations

from collections.abc import Mapping

from server.base.core.ids import PlayerId
from server.rooms.core.room import Room

Groups = tuple[tuple[PlayerId, ...], ...]  # players at the same address, at least two per group


def groups(room: Room, addresses: Mapping[PlayerId, str]) -> Groups:
    """Return the groups of members, in seat order, and latest runners at the same address."""
    players = [seat.player for seat in room.seats]
    if room.round is not None:
        players += [each for each in room.round.players if each not in players]
    at: dict[str, list[PlayerId]] = {}
    for player in players:
        if player in addresses:
            at.setdefault(addresses[player], []).append(player)
    return tuple(tuple(group) for group in at.values() if len(group) > 1)
