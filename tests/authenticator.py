"""A software authenticator: creates and uses passkeys like a browser, in JSON."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from webauthn.helpers import bytes_to_base64url

_PRESENT, _ATTESTED = 0x01, 0x40


@dataclass
class Authenticator:
    """A device with one passkey.

    Attributes:
        origin: of the page shown by the browser.
        host: the relying party's id.
        count: its signature counter.
        aaguid: the kind of authenticator it claims to be.
    """

    origin: str
    host: str
    count: int = 0
    aaguid: bytes = bytes(16)
    id: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    def __post_init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())

    def create(
        self, options: str, public: bytes | None = None, attestation: bytes | None = None
    ) -> str:
        """Return the answer to options for creating a passkey.

        Args:
            options: the server's, as JSON.
            public: a public key to present instead of its own.
            attestation: an attestation object to present instead of its own.
        """
        client = self._client_data("webauthn.create", options)
        if public is None:
            public = cbor2.dumps(self.public())
        if attestation is None:
            data = self.attested(public)
            attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        response = {
            "clientDataJSON": bytes_to_base64url(client),
            "attestationObject": bytes_to_base64url(attestation),
        }
        return self._credential(response)

    def public(self) -> dict[int, int | bytes]:
        """Return its public key, as COSE."""
        numbers = self._key.public_key().public_numbers()
        x, y = (number.to_bytes(32, "big") for number in (numbers.x, numbers.y))
        return {1: 2, 3: -7, -1: 1, -2: x, -3: y}

    def attested(self, public: bytes) -> bytes:
        """Return the authenticator data of a new passkey with a public key."""
        attested = self.aaguid + len(self.id).to_bytes(2, "big") + self.id + public
        return self._data(_PRESENT | _ATTESTED) + attested

    def use(self, options: str) -> str:
        """Return the answer to options for using a passkey."""
        client = self._client_data("webauthn.get", options)
        data = self._data(_PRESENT)
        signed = data + sha256(client).digest()
        response = {
            "clientDataJSON": bytes_to_base64url(client),
            "authenticatorData": bytes_to_base64url(data),
            "signature": bytes_to_base64url(self._key.sign(signed, ec.ECDSA(hashes.SHA256()))),
        }
        return self._credential(response)

    def _client_data(self, type_: str, options: str) -> bytes:
        found = {"type": type_, "challenge": json.loads(options)["challenge"]}
        return json.dumps({**found, "origin": self.origin, "crossOrigin": False}).encode()

    def _data(self, flags: int) -> bytes:
        host = sha256(self.host.encode()).digest()
        return host + bytes([flags]) + self.count.to_bytes(4, "big")

    def _credential(self, response: dict[str, str]) -> str:
        name = bytes_to_base64url(self.id)
        made: dict[str, Any] = {"id": name, "rawId": name, "type": "public-key"}
        return json.dumps({**made, "response": response, "clientExtensionResults": {}})
