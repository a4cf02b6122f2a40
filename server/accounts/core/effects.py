"""Outbox effects about players."""

from __future__ import annotations

from msgspec import Struct

from server.base.core.ids import PlayerId


class PasskeyEntry(Struct, frozen=True):
    """A passkey in the outbox."""

    id: str  # the credential's id, in base64url
    key: bytes  # the public key, as COSE (in base64 in JSON)
    count: int  # the authenticator's counter
    aaguid: str = ""  # the kind of authenticator, as it claims
    epoch: int = 0  # the requesting session's
    confirmed: bool = False  # whether that session had shown a credential


class Kept(Struct, tag="kept", frozen=True):
    """A player keeps the identity by a recovery code or a passkey."""

    player: PlayerId
    at: int  # Unix milliseconds
    code: str | None = None  # the SHA-256 of the code, in hexadecimal
    passkey: PasskeyEntry | None = None  # the passkey, if there is no code

    @property
    def field(self) -> str:
        """Its field in the outbox."""
        return f"{self.player}/kept/{self.code if self.passkey is None else self.passkey.id}"


class Deleted(Struct, tag="deleted", frozen=True):
    """A player is to be deleted, as requested at this time in Unix milliseconds."""

    player: PlayerId
    at: int

    @property
    def field(self) -> str:
        """Its field in the outbox."""
        return f"{self.player}/deleted"
