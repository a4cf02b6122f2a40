"""Accounts of players, beside their names: how an identity is kept, and until which epoch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from server.base.core.ids import PlayerId

MAX_PASSKEYS = 8
"""Passkeys that a player may have."""

MAX_BOTS = 5
"""Bots that a player may have."""

BOT_FIELD = "bot:"
"""The prefix of the fields of a player's record that name the bots which the player answers for."""

AUTHENTICATORS: Final = {
    "fbfc3007-154e-4ecc-8c0b-6e020557d7bd": "Apple Passwords",
    "dd4ec289-e01d-41c9-bb89-70fa845d4bf2": "iCloud Keychain",
    "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4": "Google Password Manager",
    "adce0002-35bc-c60a-648b-0b25f1f05503": "Chrome",
    "08987058-cadc-4b81-b6e1-30de50dcbe96": "Windows Hello",
    "9ddd1817-af5a-4672-a2b9-3e3dd95000a9": "Windows Hello",
    "6028b017-b1d4-4c02-b4b3-afcdafc96bb2": "Windows Hello",
    "53414d53-554e-4700-0000-000000000000": "Samsung Pass",
    "bada5566-a7aa-401f-bd96-45619a55120d": "1Password",
    "d548826e-79b4-db40-a3d8-11116f7e8349": "Bitwarden",
    "531126d6-e717-415c-9320-3d9aa6981239": "Dashlane",
    "fdb141b2-5d84-443e-8a35-4698c205a502": "KeePassXC",
    "50726f74-6f6e-5061-7373-50726f746f6e": "Proton Pass",
}
"""Names of authenticators, by the AAGUID that they say. One may lie, so a name helps to remember,
and is no proof."""

DELETED = 2**31 - 1
"""An epoch after all others: no token of a deleted player counts."""

DELETED_NAME = "Deleted player"
"""The name of a deleted player where results of it still stand."""


@dataclass(frozen=True, slots=True)
class Passkey:
    """A passkey as it is stored.

    Attributes:
        id: the credential's id, in base64url.
        player: its owner.
        key: the public key, as COSE.
        count: the authenticator's counter of signatures, or 0 if it has none.
        aaguid: the kind of authenticator that it says it is, as a UUID; see `AUTHENTICATORS`.
        used: when it was last used, in Unix milliseconds, or `None`.
    """

    id: str
    player: PlayerId
    key: bytes
    count: int
    aaguid: str = ""
    used: int | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """A player's record.

    Attributes:
        player: its owner.
        name: the player's name, or `None` if nothing is stored.
        epoch: how often the player has signed out everywhere; tokens of earlier epochs are void.
        created: when the record began, in Unix milliseconds; `None` if not known.
        kept: since when there is a way to sign in, in Unix milliseconds; `None` for a guest.
        recovery: the SHA-256 of the recovery code, in hexadecimal, or `None`.
        recovery_at: since when it holds, in Unix milliseconds, or `None`.
        recovery_used: when it was last used, in Unix milliseconds, or `None`.
        device: the SHA-256 of the latest device code, in hexadecimal, or `None`.
        passkeys: when each passkey was added, in Unix milliseconds, by credential id.
        deleted: when the player was deleted, in Unix milliseconds, or `None`.
        bots: when each bot that the player answers for was made, in Unix milliseconds.
        bot_of: the player who answers for this one, if it is a bot.

    A player who has kept the identity has always at least one credential: the recovery code or a
    passkey. Tokens, sessions and device codes are none: they end when the player signs out
    everywhere, and bring nobody back.
    """

    player: PlayerId
    name: str | None = None
    epoch: int = 0
    created: int | None = None
    kept: int | None = None
    recovery: str | None = None
    recovery_at: int | None = None
    recovery_used: int | None = None
    device: str | None = None
    passkeys: dict[str, int] = field(default_factory=dict)
    deleted: int | None = None
    bots: dict[PlayerId, int] = field(default_factory=dict)
    bot_of: PlayerId | None = None
