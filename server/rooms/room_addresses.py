"""The addresses of a room's players, as keyed hashes, by which those at one address are known."""

from __future__ import annotations

import structlog

from server.base.core.ids import PlayerId, RoomCode
from server.base.core.refusal import UnavailableError
from server.players.address_hash import AddressHashes
from server.rooms.store import RoomStore

log = structlog.get_logger()


class RoomAddresses:
    """Keeps the hashes of the addresses of a room's players, for some hours."""

    def __init__(self, address_hashes: AddressHashes, store: RoomStore) -> None:
        self._address_hashes = address_hashes
        self._store = store

    async def record(
        self, code: RoomCode, player: PlayerId, address: str, wide: str | None = None
    ) -> None:
        """Note the address of who comes to a room, by one write; if it fails, that is only logged.

        Args:
            code: the room's.
            player: who comes.
            address: the client's.
            wide: the network that it counts as, if that is not the address itself.
        """
        try:
            if own := await self._address_hashes.hash(address):
                network = await self._address_hashes.hash(wide or "")
                await self._store.put_address(code, player, f"{own} {network}".rstrip())
        except UnavailableError as error:
            log.debug("same_address_not_written", room=code, error=str(error))

    async def in_room(self, code: RoomCode) -> dict[PlayerId, str]:
        """Return the address hashes of a room's players, and of those who were there lately."""
        found = await self._store.addresses(code)
        return {player: text.partition(" ")[0] for player, text in found.items()}

    async def networks(self, code: RoomCode) -> dict[PlayerId, str]:
        """Return the networks of the players of a room, and of those who were there lately."""
        found = await self._store.addresses(code)
        return {player: text.rpartition(" ")[2] for player, text in found.items()}

    async def network(self, code: RoomCode, player: PlayerId) -> str:
        """Return the network of a player of a room, 12 characters; empty if it is not known."""
        return (await self.networks(code)).get(player, "")
