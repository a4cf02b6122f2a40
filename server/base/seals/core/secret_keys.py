"""Secret keys, which are in a file of the operator's and never in Redis.

Who has a copy of Redis's files and not of that file learns no seed, and can sign no token. The file
holds one key or more, each 64 hexadecimal digits in a line of its own, the newest first. Nodes seal
by one of them, and open what was sealed by any.

From each secret key follow, by HKDF-SHA256: the key that seals (AES-256-SIV, RFC 5297), the keys
that sign tokens, and the id by which what is stored and tokens name it. To seal or to open takes
microseconds, and is done once for a deal on a node.
"""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES: Final = 32
"""Bytes of a secret key."""

ID_LENGTH: Final = 8
"""Hexadecimal digits of a secret key's id."""

_SEALING_BYTES = 64
"""AES-SIV takes two keys of 256 bits."""

_SIGNING_BYTES = 32


class SealError(Exception):
    """A sealed text cannot be opened: its key is not known here, or the text was changed."""


class SecretKeys:
    """The secret keys of a node.

    Attributes:
        newest: the id of the newest key.
        sealing: the id of the key to seal by: the newest one, until the keyring says another.
    """

    def __init__(self, keys: Sequence[bytes]) -> None:
        assert keys, "there is at least one key"
        self._keys = {_derived(key, "id", ID_LENGTH // 2).hex(): key for key in keys}
        self._sealing = {
            name: AESSIV(_derived(key, "seal", _SEALING_BYTES)) for name, key in self._keys.items()
        }
        self.newest = next(iter(self._keys))
        self.sealing = self.newest

    def __contains__(self, name: str) -> bool:
        """Return whether the key with an id is known."""
        return name in self._keys

    def seal(self, what: str, secret: bytes) -> str:
        """Return a secret sealed by the key to seal by.

        The same secret gives the same text, which is 4/3 as long, and 31 characters more.

        Args:
            what: whose secret it is; it can be opened as that only.
            secret: the bytes to seal.
        """
        sealed = self._sealing[self.sealing].encrypt(secret, [what.encode()])
        return f"{self.sealing}.{urlsafe_b64encode(sealed).rstrip(b'=').decode()}"

    def open(self, what: str, text: str) -> bytes:
        """Return the secret in a sealed text.

        Raises:
            SealError: it was sealed by a key that is not known, as something else, or not by us.
        """
        name, _, encoded = text.partition(".")
        if name not in self._sealing:
            raise SealError(f"The secret key {name[:ID_LENGTH]!r} is not known here.")
        try:
            sealed = urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
            return self._sealing[name].decrypt(sealed, [what.encode()])
        except (InvalidTag, ValueError) as error:
            raise SealError("A sealed text was changed.") from error

    def signing_key(self, name: str) -> bytes | None:
        """Return the key that signs tokens with an id, or `None` if it follows from no key here.

        Args:
            name: the id; it begins with that of the secret key from which the key follows.
        """
        key = self._keys.get(name[:ID_LENGTH])
        return None if key is None else _derived(key, f"sign {name}", _SIGNING_BYTES)


@lru_cache(64)
def _derived(key: bytes, what: str, length: int) -> bytes:
    """Return the key of `length` bytes that follows from a secret key for a purpose.

    Each token is signed by one that was derived before, which takes 30 µs.
    """
    return HKDF(SHA256(), length, None, f"samedeal {what}".encode()).derive(key)


def sealed_by(text: str) -> str:
    """Return the id of the secret key that a text was sealed by."""
    return text.partition(".")[0]
