"""Secret keys, stored in a file of the operator and never in Redis.

A copy of Redis's files without the key file reveals no seed, and allows no forged token. The file
contains one or more keys, each with 64 hexadecimal digits on a line, newest first. Nodes seal with
one of them, and open texts sealed with any of them.

Each secret key yields, by HKDF-SHA256, the sealing key (AES-256-SIV, RFC 5297), the keys that sign
tokens, and its id in stored items and tokens. Sealing and opening take
microseconds, once per deal and node.
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

KEY_BYTES: Final = 32  # bytes of a secret key
ID_LENGTH: Final = 8  # hexadecimal digits of a secret key's id
_SEALING_BYTES = 64  # AES-SIV takes two keys of 256 bits
_SIGNING_BYTES = 32


class SealError(Exception):
    """A sealed text cannot be opened: its key is unknown here, or the text was changed."""


class SecretKeys:
    """The secret keys of a node."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        assert keys, "there is at least one key"
        self._keys = {_derived(key, "id", ID_LENGTH // 2).hex(): key for key in keys}
        self._sealing = {
            name: AESSIV(_derived(key, "seal", _SEALING_BYTES)) for name, key in self._keys.items()
        }
        self.newest = next(iter(self._keys))  # the id of the newest key
        # The id of the key for sealing: the newest one, until the keyring selects another.
        self.sealing = self.newest

    def __contains__(self, name: str) -> bool:
        return name in self._keys

    def seal(self, what: str, secret: bytes) -> str:
        """Seal a secret with the current sealing key.

        Sealing is deterministic. The text is 4/3 as long as the secret, plus 31 characters. `what`
        is the purpose and owner, which must be given again to open the text.
        """
        sealed = self._sealing[self.sealing].encrypt(secret, [what.encode()])
        return f"{self.sealing}.{urlsafe_b64encode(sealed).rstrip(b'=').decode()}"

    def open(self, what: str, text: str) -> bytes:
        """Return the secret in a sealed text.

        Raises:
            SealError: it was sealed with an unknown key or for another purpose, or is forged.
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
        """Return the signing key with an id, or `None` if its secret key is unknown here."""
        # The id starts with the secret key's.
        key = self._keys.get(name[:ID_LENGTH])
        return None if key is None else _derived(key, f"sign {name}", _SIGNING_BYTES)


# A derivation takes 30 µs, and each token needs one.
@lru_cache(64)
def _derived(key: bytes, what: str, length: int) -> bytes:
    """Derive a key of `length` bytes from a secret key for a purpose."""
    return HKDF(SHA256(), length, None, f"samedeal {what}".encode()).derive(key)


def sealed_by(text: str) -> str:
    """Return the id of the secret key that sealed a text."""
    return text.partition(".")[0]
