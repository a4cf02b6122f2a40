"""Places: where players are, told apart without keeping an address.

A place is a keyed hash of an address, or of an IPv6 network. Whoever has the key, which is derived
from the secret that signs tokens, can find an IPv4 address by trying all of them; so places are
kept for days at most.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode

from server.service.ports import PlayerStore

_LABEL = b"samedeal place\0"
_BYTES = 9
"""Bytes of a place: a million of them differ but for a chance in ten thousand million."""


class Places:
    """Computes places."""

    def __init__(self, store: PlayerStore) -> None:
        self._store = store
        self._secret: bytes | None = None

    async def of(self, address: str) -> str:
        """Return the place of an address; empty if it is not known.

        Args:
            address: the client's, as a session has it.

        Raises:
            UnavailableError: the store does not answer.
        """
        if not address:
            return ""
        if self._secret is None:
            self._secret = await self._store.secret()
        found = hmac.digest(self._secret, _LABEL + address.encode(), "sha256")[:_BYTES]
        return urlsafe_b64encode(found).decode()
