"""Keys in Redis of what signs players in, and how long they live."""

from __future__ import annotations

DEVICE_LIFE_S = 300
"""Seconds for which a device code signs a player in."""

CODE_OFFER_LIFE_S = 3_600
"""Seconds within which a new recovery code is kept, by whoever has written it down."""

FOR_GOOD = {
    "recovery": "the code of such a player",
    "passkey": "a passkey of such a player",
}
"""The kinds of keys that need not expire, and why; all others do, whoever writes them."""


def recovery(digest: str) -> str:
    """Return the key of a recovery code by its SHA-256: a string, the player."""
    return f"recovery:{{{digest}}}"


def device(digest: str) -> str:
    """Return the key of a device code by its SHA-256: a string, the player."""
    return f"device:{{{digest}}}"


def passkey(credential: str) -> str:
    """Return the key of a passkey by its credential id (base64url): a hash."""
    return f"passkey:{{{credential}}}"
