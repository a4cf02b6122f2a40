"""What is known of a player beside the name: how the identity is kept, and until which epoch."""

from __future__ import annotations

from dataclasses import dataclass, field

from server.core.ids import PlayerId

MAX_PASSKEYS = 8
"""Passkeys that a player may have."""

DELETED = 2**31 - 1
"""An epoch after all others: no token of a deleted player counts."""

DELETED_NAME = "Deleted player"
"""What a deleted player is called where results of it still stand."""


@dataclass(frozen=True, slots=True)
class Passkey:
    """A passkey as it is stored.

    Attributes:
        id: the credential's id, in base64url.
        player: whose it is.
        key: the public key, as COSE.
        count: the authenticator's counter of signatures, or 0 if it has none.
    """

    id: str
    player: PlayerId
    key: bytes
    count: int


@dataclass(frozen=True, slots=True)
class Account:
    """A player's record.

    Attributes:
        player: whose it is.
        name: the player's name, or `None` if nothing is stored.
        epoch: how often the player has signed out everywhere; tokens of earlier epochs are void.
        created: when the record began, in Unix milliseconds; `None` if not known.
        kept: since when there is a way to sign in, in Unix milliseconds; `None` for a guest.
        recovery: the SHA-256 of the recovery code, in hexadecimal, or `None`.
        device: the SHA-256 of the latest device code, in hexadecimal, or `None`.
        passkeys: when each passkey was added, in Unix milliseconds, by credential id.
        deleted: when the player was deleted, in Unix milliseconds, or `None`.
    """

    player: PlayerId
    name: str | None = None
    epoch: int = 0
    created: int | None = None
    kept: int | None = None
    recovery: str | None = None
    device: str | None = None
    passkeys: dict[str, int] = field(default_factory=dict)
    deleted: int | None = None
