"""Encryption of what a browser is told (RFC 8291, aes128gcm of RFC 8188), and who tells it (VAPID).

The push service forwards a message that it cannot read, of a sender that has signed (RFC 8292).
"""

from __future__ import annotations

import json
from base64 import b64decode, urlsafe_b64encode
from typing import Final

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

AUTH_BYTES: Final = 16
SALT_BYTES: Final = 16
POINT_BYTES: Final = 65

MAX_TEXT: Final = 3_000
"""Most bytes that are encrypted: a push service takes 4,096, with what is around them."""

_RECORD: Final = 4_096
_LAST: Final = b"\x02"
"""The byte that follows the text in the last record, which here is the only one."""


def is_key(key: bytes) -> bool:
    """Return whether bytes are a public key of a browser: a point of the curve, uncompressed."""
    try:
        return len(key) == POINT_BYTES and bool(_point(key))
    except ValueError:
        return False


def encrypt(
    text: bytes, key: bytes, auth: bytes, own: ec.EllipticCurvePrivateKey, salt: bytes
) -> bytes:
    """Return a text as only one browser can read it.

    Args:
        text: at most `MAX_TEXT` bytes.
        key: the browser's public key.
        auth: the secret that it shares.
        own: a key that was made for this text alone.
        salt: `SALT_BYTES` random bytes, for this text alone.
    """
    assert len(text) <= MAX_TEXT, "a push service takes no more"
    sender = public_bytes(own)
    shared = own.exchange(ec.ECDH(), _point(key))
    secret = _derived(shared, auth, b"WebPush: info\0" + key + sender, 32)
    content_key = _derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derived(secret, salt, b"Content-Encoding: nonce\0", 12)
    sealed = AESGCM(content_key).encrypt(nonce, text + _LAST, None)
    return b"".join((salt, _RECORD.to_bytes(4), bytes([len(sender)]), sender, sealed))


def authorization(key: ec.EllipticCurvePrivateKey, origin: str, contact: str, expires: int) -> str:
    """Return the header by which a push service knows who tells a browser something.

    Args:
        key: the operator's.
        origin: the push service's, as `https://push.example.org`.
        contact: a URL, `mailto:` or `https:`, where the operator can be reached.
        expires: until when it holds, in Unix seconds; a day at most.
    """
    claims = {"aud": origin, "exp": expires, "sub": contact}
    head = _encoded(json.dumps({"typ": "JWT", "alg": "ES256"}).encode())
    signed = f"{head}.{_encoded(json.dumps(claims).encode())}"
    r, s = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(SHA256())))
    token = f"{signed}.{_encoded(r.to_bytes(32) + s.to_bytes(32))}"
    return f"vapid t={token}, k={_encoded(public_bytes(key))}"


def public_key(key: ec.EllipticCurvePrivateKey) -> str:
    """Return the public key of a private one, as browsers are given it (base64url)."""
    return _encoded(public_bytes(key))


def public_bytes(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Return the public key of a private one, as an uncompressed point."""
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def decoded(text: str) -> bytes:
    """Return what a text in base64url stands for, or nothing if it is none."""
    try:
        return b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
    except ValueError:
        return b""


def _point(key: bytes) -> ec.EllipticCurvePublicKey:
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), key)


def _derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(secret)


def _encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
