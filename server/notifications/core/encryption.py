"""Encryption (RFC 8291, aes128gcm of RFC 8188) and authorization (VAPID, RFC 8292) of pushes.

The push service forwards a message that it cannot decrypt, from a sender identified by a signature.
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

MAX_TEXT: Final = 3_000  # bytes of plaintext: a push service accepts 4,096 including overhead

_RECORD: Final = 4_096
_LAST: Final = b"\x02"  # after the text in the last record, which is the only record here


def is_key(key: bytes) -> bool:
    """Return whether bytes are a browser's public key: an uncompressed point on the curve."""
    try:
        return len(key) == POINT_BYTES and bool(_point(key))
    except ValueError:
        return False


def encrypt(
    text: bytes, key: bytes, auth: bytes, own: ec.EllipticCurvePrivateKey, salt: bytes
) -> bytes:
    """Encrypt a text of at most `MAX_TEXT` bytes for a single browser.

    `key` is the browser's public key and `auth` its shared secret; the key `own` and the `salt`, of
    `SALT_BYTES` random bytes, must be used only for this text.
    """
    assert len(text) <= MAX_TEXT, "push services reject longer texts"
    sender = public_bytes(own)
    shared = own.exchange(ec.ECDH(), _point(key))
    secret = _derived(shared, auth, b"WebPush: info\0" + key + sender, 32)
    content_key = _derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derived(secret, salt, b"Content-Encoding: nonce\0", 12)
    sealed = AESGCM(content_key).encrypt(nonce, text + _LAST, None)
    return b"".join((salt, _RECORD.to_bytes(4), bytes([len(sender)]), sender, sealed))


def authorization(key: ec.EllipticCurvePrivateKey, origin: str, contact: str, expires: int) -> str:
    """Return the `Authorization` header that identifies the sender to a push service.

    `origin` is the service's, such as `https://push.example.org`, `contact` a `mailto:` or `https:`
    URL for reaching the operator, and `expires` in Unix seconds, at most a day ahead.
    """
    claims = {"aud": origin, "exp": expires, "sub": contact}
    head = _encoded(json.dumps({"typ": "JWT", "alg": "ES256"}).encode())
    signed = f"{head}.{_encoded(json.dumps(claims).encode())}"
    r, s = decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(SHA256())))
    token = f"{signed}.{_encoded(r.to_bytes(32) + s.to_bytes(32))}"
    return f"vapid t={token}, k={_encoded(public_bytes(key))}"


def public_key(key: ec.EllipticCurvePrivateKey) -> str:
    """Return a private key's public key as browsers need it (base64url)."""
    return _encoded(public_bytes(key))


def public_bytes(key: ec.EllipticCurvePrivateKey) -> bytes:
    """Return a private key's public key as an uncompressed point."""
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def decoded(text: str) -> bytes:
    """Decode base64url text; return empty bytes for invalid text."""
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
