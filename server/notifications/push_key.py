"""The operator's key for push services, in a file of its own, which `push-keygen` makes."""

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
    """The key by which push services know this server, and how its operator can be reached.

    Attributes:
        private: the key (P-256).
        contact: a URL, `mailto:` or `https:`.
    """

    private: ec.EllipticCurvePrivateKey = field(repr=False)
    contact: str

    @property
    def public(self) -> str:
        """The public key, which browsers subscribe with (base64url)."""
        return public_key(self.private)


def read_push_key(path: Path, contact: str | None) -> PushKey:
    """Return the key in a file.

    Args:
        path: the file: a private key of the curve P-256, in PEM.
        contact: where the operator can be reached: `mailto:` or `https:`.

    Raises:
        UnsuitableError: it cannot be read, others may read it, or it is no such key; or there is
            no contact that push services take.
    """
    if contact is None or not is_contact(contact):
        given = "" if contact is None else f", and refuse what says {contact!r}"
        raise UnsuitableError(
            f"With --push-key-file, push services want to know whom to write to{given}: pass "
            "--push-contact mailto:you@example.org, with one address of a public domain and "
            "nothing around it, or a --public-url of https with a public domain."
        )
    try:
        text = read_secret(path)
        key = load_pem_private_key(text.encode(), None)
    except OSError as error:
        raise UnsuitableError(
            f"The file of the push key {path} cannot be read: {error.strerror}. "
            f"`samedeal push-keygen {path}` makes one."
        ) from error
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256R1):
        # The error that led here may quote the file: it is not passed on.
        raise UnsuitableError(f"{path} is no private key of the curve P-256 in PEM.") from None
    return PushKey(key, contact)


def make_push_key(path: Path) -> str:
    """Make a new file with a key, and return the public key.

    Raises:
        OSError: it cannot be written, or there is one already: with another key, nobody who has
            subscribed before could be told anything.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return public_key(key)
