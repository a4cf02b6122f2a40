"""A subscribed browser that decrypts pushes."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from dataclasses import dataclass, field
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from server.base.web.pages import SCREENS

AUTH: Final = bytes(range(16))


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _hmac(key: bytes, data: bytes) -> bytes:
    made = HMAC(key, SHA256())
    made.update(data)
    return made.finalize()


def decrypt(body: bytes, private: ec.EllipticCurvePrivateKey, auth: bytes = AUTH) -> bytes:
    """Decrypt a push as specified by RFC 8291 and RFC 8188, with an independent HMAC-based HKDF."""
    salt, size, length = body[:16], int.from_bytes(body[16:20]), body[20]
    sender, sealed = body[21 : 21 + length], body[21 + length :]
    assert len(sealed) <= size
    own = private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    theirs = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
    first = _hmac(auth, private.exchange(ec.ECDH(), theirs))
    second = _hmac(salt, _hmac(first, b"WebPush: info\x00" + own + sender + b"\x01"))
    key = _hmac(second, b"Content-Encoding: aes128gcm\x00\x01")[:16]
    nonce = _hmac(second, b"Content-Encoding: nonce\x00\x01")[:12]
    text, _, padding = AESGCM(key).decrypt(nonce, sealed, None).rpartition(b"\x02")
    assert not padding.strip(b"\x00")
    return text


def signed_claims(header: str, public: str) -> dict[str, Any]:
    """Verify a VAPID authorization header with a public key, and return its claims."""
    scheme, _, values = header.partition(" ")
    parts = dict(each.strip().split("=", 1) for each in values.split(","))
    assert (scheme, parts["k"]) == ("vapid", public)
    signed, _, signature = parts["t"].rpartition(".")
    raw = decoded(signature)
    point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(public))
    point.verify(
        encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:])),
        signed.encode(),
        ec.ECDSA(SHA256()),
    )
    head, claims = (json.loads(decoded(part)) for part in signed.split("."))
    assert head == {"typ": "JWT", "alg": "ES256"}
    return dict(claims)


@dataclass(frozen=True, slots=True)
class Browser:
    """A subscribed browser."""

    private: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )

    @property
    def key(self) -> bytes:
        """The browser's public key."""
        return self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    def read(self, body: bytes) -> dict[str, Any]:
        """Decrypt a push, after checking that its link leads to an existing screen."""
        told = dict(json.loads(decrypt(body, self.private)))
        assert told["link"].partition("/")[0] in SCREENS
        return told
