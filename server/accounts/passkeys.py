"""Passkeys: what a browser is asked for, and whether it has answered (WebAuthn).

A passkey is found by its credential id, so it signs in without a name. Verifying one takes 0.3 ms,
and a new one 0.1 ms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import webauthn
from webauthn.helpers import (
    base64url_to_bytes,
    bytes_to_base64url,
    decode_credential_public_key,
    decoded_public_key_to_cryptography,
    options_to_json,
    parse_authentication_credential_json,
)
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from server.base.core.refusal import Refusal
from server.players.core.account import Passkey
from server.players.core.names import Profile

CHALLENGE_LIFE_MS = 300_000
"""Milliseconds within which a browser has to answer; people look for their phone meanwhile."""

PRODUCT = "Samedeal"

MAX_ID = 1_023
"""The most bytes of a credential id, by the standard."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where the page is, as the server knows it: passkeys hold for its host alone.

    Attributes:
        origin: such as `https://play.example.org`.
    """

    origin: str

    @property
    def host(self) -> str:
        """The host, without a port: the id of the relying party."""
        return urlsplit(self.origin).hostname or ""


def creation_options(
    site: Site, challenge: bytes, profile: Profile, existing: Iterable[str]
) -> str:
    """Return the options with which a browser creates a passkey, as JSON.

    Args:
        site: where the page is.
        challenge: random.
        profile: the player's, by which the passkey is found in a list of passkeys.
        existing: the credential ids of the player's passkeys: no device needs a second one.
    """
    label = f"{profile.name} {profile.tag}"
    return options_to_json(
        webauthn.generate_registration_options(
            rp_id=site.host,
            rp_name=PRODUCT,
            user_id=profile.id.encode(),
            user_name=label,
            user_display_name=label,
            challenge=challenge,
            timeout=CHALLENGE_LIFE_MS,
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED,
                user_verification=UserVerificationRequirement.PREFERRED,
            ),
            exclude_credentials=_descriptors(existing),
        )
    )


def use_options(site: Site, challenge: bytes, allowed: Iterable[str] = ()) -> str:
    """Return the options with which a browser uses a passkey, as JSON.

    Args:
        site: where the page is.
        challenge: random.
        allowed: the credential ids among which the player may choose; without any, all of the site.
    """
    return options_to_json(
        webauthn.generate_authentication_options(
            rp_id=site.host,
            challenge=challenge,
            timeout=CHALLENGE_LIFE_MS,
            allow_credentials=_descriptors(allowed),
        )
    )


def created(site: Site, challenge: bytes, profile: Profile, credential: str) -> Passkey:
    """Return the passkey that a browser has created.

    Args:
        site: where the page is.
        challenge: as in the options.
        profile: the player's.
        credential: the answer of the browser, as JSON.

    Raises:
        Refusal: as `bad_passkey`, if it does not answer this challenge on this site, or if nothing
            that it signs could be verified.
    """
    with _refusing():
        found = webauthn.verify_registration_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=site.host,
            expected_origin=site.origin,
        )
        # Without an attestation, the library has not looked at the key.
        decoded_public_key_to_cryptography(
            decode_credential_public_key(found.credential_public_key)
        )
        if not 0 < len(found.credential_id) <= MAX_ID:
            raise Refusal("bad_passkey")
        return Passkey(
            bytes_to_base64url(found.credential_id),
            profile.id,
            found.credential_public_key,
            found.sign_count,
            found.aaguid,
        )


def credential_id(credential: str) -> str:
    """Return the credential id (base64url) of what a browser has answered, unverified.

    Raises:
        Refusal: as `bad_passkey`, if it is no such answer.
    """
    with _refusing():
        return bytes_to_base64url(parse_authentication_credential_json(credential).raw_id)


def used(site: Site, challenge: bytes, passkey: Passkey, credential: str) -> int:
    """Return the counter of a passkey that a browser has used.

    Raises:
        Refusal: as `bad_passkey`, if it does not answer this challenge on this site, or if the
            counter has not grown, as when the passkey was copied.
    """
    with _refusing():
        return webauthn.verify_authentication_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=site.host,
            expected_origin=site.origin,
            credential_public_key=passkey.key,
            credential_current_sign_count=passkey.count,
        ).new_sign_count


@contextmanager
def _refusing() -> Iterator[None]:
    """Refuse what the library cannot read or verify, whatever it raises.

    What it is given is anybody's, it has no effects, and neither it nor the CBOR, X.509 and
    OpenSSL below it say what they raise: IndexError and UnsupportedAlgorithm were among it.
    """
    try:
        yield
    except Exception as error:
        raise Refusal("bad_passkey") from error


def _descriptors(ids: Iterable[str]) -> list[PublicKeyCredentialDescriptor]:
    return [PublicKeyCredentialDescriptor(id=base64url_to_bytes(each)) for each in ids]
