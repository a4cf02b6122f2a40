"""Keyed hashes of the addresses of a room's players, which reveal shared addresses."""

from __future__ import annotations

import structlog

from server.base.core.ids import PlayerId, RoomCode
from server.base.core.refusal import UnavailableError
from server.players.address_hash import AddressHashes
from server.rooms.store import RoomStore

log = structlog.get_logger()


class RoomAddresses:
    """Stores address hashes of a room's players, for some hours."""

    def __init__(self, address_hashes: AddressHashes, store: RoomStore) -> None:
        self._address_hashes = address_hashes
        self._store = store

    async def record(
        self, code: RoomCode, player: PlayerId, address: str, wide: str | None = None
    ) -> None:
        """Record a player's address in a room, without waiting for the write.

        A failure is only logged. `wide` is the network that the address belongs to, if not the
        address itself.
        """
        try:
            if own := await self._address_hashes.hash(address):
                network = await self._address_hashes.hash(wide or "")
                self._store.put_address(code, player, f"{own} {network}".rstrip())
        except UnavailableError as error:
            log.debug("same_address_not_written", room=code, error=str(error))

    async def in_room(self, code: RoomCode) -> dict[PlayerId, str]:
        """Return the address hashes of a room's current and recent players."""
        found = await self._store.addresses(code)
        return {player: text.partition(" ")[0] for player, text in found.items()}

    async def networks(self, code: RoomCode) -> dict[PlayerId, str]:
        """Return the hashed networks of a room's current and recent players."""
        found = await self._store.addresses(code)
        return {player: text.rpartition(" ")[2] for player, text in found.items()}

    async def network(self, code: RoomCode, player: PlayerId) -> str:
        """Return a player's hashed network, 12 characters; empty if unknown."""
        return (await self.networks(code)).get(player, "")
