"""Accounts: a player's credentials, bots and token epoch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from server.base.core.ids import PlayerId

MAX_PASSKEYS = 8  # per player
MAX_BOTS = 5  # per player
BOT_FIELD = "bot:"  # prefix of the fields of an owner's record that name its bots

# Names of authenticators by AAGUID. The AAGUID is unverified: the name is a label, not proof.
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

DELETED = 2**31 - 1  # an epoch after all others, which voids every token of a deleted player
DELETED_NAME = "Deleted player"  # shown with a deleted player's remaining results


@dataclass(frozen=True, slots=True)
class Passkey:
    """A stored passkey."""

    id: str  # the credential's id, in base64url
    player: PlayerId
    key: bytes  # the public key, as COSE
    count: int  # the authenticator's signature counter, or 0 if it has none
    aaguid: str = ""  # the kind of authenticator, as it claims, as a UUID; see `AUTHENTICATORS`
    used: int | None = None  # the time of the last use, in Unix milliseconds, or `None`


@dataclass(frozen=True, slots=True)
class Account:
    """A player's record.

    A kept identity always has a credential: the recovery code or a passkey. Tokens, sessions and
    device codes do not count, because they end when the player signs out everywhere.
    """

    player: PlayerId
    name: str | None = None  # the player's name, or `None` if nothing is stored
    # How often the player has signed out everywhere; tokens of earlier epochs are void.
    epoch: int = 0
    created: int | None = None  # the record's creation, in Unix milliseconds; `None` if not known
    # The time of the first credential, in Unix milliseconds; `None` for a guest.
    kept: int | None = None
    recovery: str | None = None  # the SHA-256 of the recovery code, in hexadecimal, or `None`
    recovery_at: int | None = None  # the time it became valid, in Unix milliseconds, or `None`
    recovery_used: int | None = None  # the time of its last use, in Unix milliseconds, or `None`
    device: str | None = None  # the SHA-256 of the latest device code, in hexadecimal, or `None`
    # The time each passkey was added, in Unix milliseconds, by credential id.
    passkeys: dict[str, int] = field(default_factory=dict)
    deleted: int | None = None  # the time of deletion, in Unix milliseconds, or `None`
    # The creation of each of the player's bots, in Unix milliseconds.
    bots: dict[PlayerId, int] = field(default_factory=dict)
    bot_of: PlayerId | None = None  # the owner, if the player is a bot
