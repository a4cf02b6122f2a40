"""Places: where players are, told apart without keeping an address.

A place is a keyed hash of an address, or of an IPv6 network; so is a network, of the largest one
that a customer is given usually, which for IPv4 is the same as the place. Whoever has the key, one
of those that sign tokens, can find an IPv4 address by trying all of them; so places are kept for
days at most. When another key signs, places are others.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode

import structlog

from server.base.core.ids import PlayerId, RoomCode
from server.base.core.refusal import UnavailableError
from server.base.seals.keyring import Keyring
from server.rooms.store import RoomStore

_LABEL = b"samedeal place\0"
_BYTES = 9
"""Bytes of a place: of a million, no two are the same but for a chance in ten thousand million."""

log = structlog.get_logger()


class Places:
    """Computes places, and keeps those of a room's players."""

    def __init__(self, keyring: Keyring, rooms: RoomStore) -> None:
        self._keyring = keyring
        self._rooms = rooms

    async def enter(
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
            if place := await self.of(address):
                network = await self.of(wide or "")
                await self._rooms.put_place(code, player, f"{place} {network}".rstrip())
        except UnavailableError as error:
            log.debug("place_not_written", room=code, error=str(error))

    async def in_room(self, code: RoomCode) -> dict[PlayerId, str]:
        """Return where the players of a room are, and those who were there lately.

        Raises:
            UnavailableError: the store does not answer.
        """
        found = await self._rooms.places(code)
        return {player: text.partition(" ")[0] for player, text in found.items()}

    async def networks(self, code: RoomCode) -> dict[PlayerId, str]:
        """Return the networks of the players of a room, and of those who were there lately.

        Raises:
            UnavailableError: the store does not answer.
        """
        found = await self._rooms.places(code)
        return {player: text.rpartition(" ")[2] for player, text in found.items()}

    async def network(self, code: RoomCode, player: PlayerId) -> str:
        """Return the network of a player of a room, 12 characters; empty if it is not known.

        Raises:
            UnavailableError: the store does not answer.
        """
        return (await self.networks(code)).get(player, "")

    async def of(self, address: str) -> str:
        """Return the place of an address, 12 characters; empty if it is not known.

        Args:
            address: the client's, as a session has it.

        Raises:
            UnavailableError: the store does not answer.
        """
        if not address:
            return ""
        found, *_ = await self._keyring.macs(_LABEL + address.encode())
        return urlsafe_b64encode(found[:_BYTES]).decode()
