"""Redis keys of credentials and device codes, and how long they live."""

from __future__ import annotations

DEVICE_LIFE_S = 300  # of a device code
CODE_OFFER_LIFE_S = 3_600  # of the offer of a new recovery code

# Kinds of keys that need not expire, with the reason; all other keys must expire.
PERMANENT = {
    "recovery": "recovery codes of kept identities with results",
    "passkey": "passkeys of kept identities with results",
}


def recovery(digest: str) -> str:
    """Return the key of a recovery code by its SHA-256: a string, its player's id."""
    return f"recovery:{{{digest}}}"


def device(digest: str) -> str:
    """Return the key of a device code by its SHA-256: a string, its player's id."""
    return f"device:{{{digest}}}"


def passkey(credential: str) -> str:
    """Return the key of a passkey by its credential id (base64url): a hash."""
    return f"passkey:{{{credential}}}"
