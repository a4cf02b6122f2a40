"""Where the players of a room are, and who of them are at one place."""

from __future__ import annotations

import structlog

from server.base.core.ids import PlayerId, RoomCode
from server.base.core.refusal import UnavailableError
from server.players.address_hash import Places
from server.rooms.store import RoomStore

log = structlog.get_logger()


class RoomPlaces:
    """Keeps the places of a room's players, for some hours."""

    def __init__(self, places: Places, store: RoomStore) -> None:
        self._places = places
        self._store = store

    async def record(
        self, code: RoomCode, player: PlayerId, address: str, wide: str | None = None
    ) -> None:
        """Note where a player is who comes to a room; one write, whose failure is only logged.

        Args:
            code: the room's.
            player: who comes.
            address: the client's.
            wide: the network that it counts as, if that is not the address itself.
        """
        try:
            if place := await self._places.of(address):
                network = await self._places.of(wide or "")
                await self._store.put_place(code, player, f"{place} {network}".rstrip())
        except UnavailableError as error:
            log.debug("place_not_written", room=code, error=str(error))

    async def in_room(self, code: RoomCode) -> dict[PlayerId, str]:
        """Return where the players of a room are, and those who were there lately."""
        found = await self._store.places(code)
        return {player: text.partition(" ")[0] for player, text in found.items()}

    async def networks(self, code: RoomCode) -> dict[PlayerId, str]:
        """Return the networks of the players of a room, and of those who were there lately."""
        found = await self._store.places(code)
        return {player: text.rpartition(" ")[2] for player, text in found.items()}

    async def network(self, code: RoomCode, player: PlayerId) -> str:
        """Return the network of a player of a room, 12 characters; empty if it is not known."""
        return (await self.networks(code)).get(player, "")
