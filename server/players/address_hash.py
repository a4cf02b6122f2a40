"""Keyed hashes of client addresses, which tell clients apart without storing addresses.

A hash covers the network usually given to one customer: an IPv4 address, or an IPv6 prefix. A
holder of the token signing key could find an IPv4 address by brute force, so hashes are stored for
days at most. They change when that key rotates.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode

from server.base.seals.keyring import Keyring

_LABEL = b"samedeal place\0"
_BYTES = 9  # a million hashes collide with a probability of 1e-10


class AddressHashes:
    """Computes the hashes of addresses."""

    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring

    async def hash(self, address: str) -> str:
        """Return the hash of a session's address (12 characters), or an empty string if unknown."""
        if not address:
            return ""
        # Only the signing key's hash counts.
        found, *_ = await self._keyring.macs(_LABEL + address.encode())
        return urlsafe_b64encode(found[:_BYTES]).decode()
