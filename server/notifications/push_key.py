"""The operator's key for push services, in a file created by `push-keygen`."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from server.base.core.refusal import UnsuitableError
from server.base.seals.secret_files import read_secret
from server.notifications.core.contact import is_contact
from server.notifications.core.encryption import public_key


@dataclass(frozen=True, slots=True)
class PushKey:
    """The server's identity for push services."""

    private: ec.EllipticCurvePrivateKey = field(repr=False)  # the private key (P-256)
    contact: str  # a `mailto:` or `https:` URL for reaching the operator

    @property
    def public(self) -> str:
        """The public key for browsers' subscriptions (base64url)."""
        return public_key(self.private)


def read_push_key(path: Path, contact: str | None) -> PushKey:
    """Return the key in a file: a private key on the curve P-256, in PEM.

    Raises:
        UnsuitableError: if the file cannot be read, is readable by other users or does not contain
            such
        a key, or the contact is missing or unacceptable to push services.
    """
    if contact is None or not is_contact(contact):
        given = "" if contact is None else f" and reject {contact!r}"
        raise UnsuitableError(
            f"With --push-key-file, push services require a contact address{given}: pass "
            "--push-contact mailto:you@example.org, with one address of a public domain and "
            "nothing around it, or a --public-url of https with a public domain."
        )
    try:
        text = read_secret(path)
        key = load_pem_private_key(text.encode(), None)
    except OSError as error:
        raise UnsuitableError(
            f"The file of the push key {path} cannot be read: {error.strerror}. "
            f"`samedeal push-keygen {path}` creates one."
        ) from error
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256R1):
        # Drop the original error, which may quote the secret file.
        raise UnsuitableError(f"{path} is not a P-256 private key in PEM format.") from None
    return PushKey(key, contact)


def make_push_key(path: Path) -> str:
    """Create a file with a new key, and return the public key.

    Raises:
        OSError: if the file cannot be written or already exists. Replacing a key would invalidate
            all
        existing subscriptions.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    # `O_EXCL` never overwrites a key, and mode 0o600 hides it from other users.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return public_key(key)
