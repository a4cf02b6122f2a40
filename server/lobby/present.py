"""Conversion of the list of open rooms to messages."""

from __future__ import annotations

from collections.abc import Iterable

from server.lobby import messages
from server.lobby.open_rooms import OpenRoom
from server.players import present as players_present


def rooms(found: Iterable[OpenRoom]) -> messages.Rooms:
    """Return the list of open rooms as a message."""
    return messages.Rooms(
        [
            messages.OpenRoom(
                code=row.code,
                game=row.game,
                variant=row.variant,
                limit=row.limit // 1000,
                taken=row.taken,
                seats=row.seats,
                host=players_present.player(host),
                running=row.running,
            )
            for row, host in found
        ]
    )
