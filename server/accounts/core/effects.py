"""Outbox effects about players."""

from __future__ import annotations

from msgspec import Struct

from server.base.core.ids import PlayerId


class PasskeyEntry(Struct, frozen=True):
    """A passkey in the outbox.

    Attributes:
        id: the credential's id, in base64url.
        key: the public key, as COSE (in base64 in JSON).
        count: the authenticator's counter.
        aaguid: the kind of authenticator, as it claims.
        epoch: the requesting session's.
        confirmed: whether that session had shown a credential.
    """

    id: str
    key: bytes
    count: int
    aaguid: str = ""
    epoch: int = 0
    confirmed: bool = False


class Kept(Struct, tag="kept", frozen=True):
    """A player keeps the identity by a recovery code or a passkey.

    Attributes:
        at: Unix milliseconds.
        code: the SHA-256 of the code, in hexadecimal.
        passkey: the passkey, if there is no code.
    """

    player: PlayerId
    at: int
    code: str | None = None
    passkey: PasskeyEntry | None = None

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
