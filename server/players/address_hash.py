"""Keyed hashes of addresses, by which these are told apart without being kept.

They are of an address, or of an IPv6 network: of the largest one that a customer is given usually,
which for IPv4 is the address. Whoever has the key, one of those that sign tokens, can find an IPv4
address by trying all of them; so the hashes are kept for days at most. When another key signs, they
are others.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode

from server.base.seals.keyring import Keyring

_LABEL = b"samedeal place\0"
_BYTES = 9
"""Bytes of a hash: of a million, no two are the same but for a chance in ten thousand million."""


class AddressHashes:
    """Computes the hashes of addresses."""

    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring

    async def hash(self, address: str) -> str:
        """Return the hash of an address, 12 characters; empty if it is not known.

        Args:
            address: the client's, as a session has it.
        """
        if not address:
            return ""
        found, *_ = await self._keyring.macs(_LABEL + address.encode())
        return urlsafe_b64encode(found[:_BYTES]).decode()
