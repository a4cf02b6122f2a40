"""Encryption (RFC 8291) and authorization (RFC 8292) of pushes."""

from __future__ import annotations

import os

import pytest
from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given
from hypothesis import strategies as st

from server.notifications.core.encryption import (
    MAX_TEXT,
    authorization,
    encrypt,
    is_key,
    public_key,
)
from tests.notifications.browser import AUTH, Browser, decoded, decrypt, signed_claims

WATERMELON = b"When I grow up, I want to be a watermelon"


def private(text: str) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(decoded(text)), ec.SECP256R1())


SENDER = private("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")
RECEIVER = private("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94")
RECEIVER_KEY = decoded(
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
)
RFC_AUTH, RFC_SALT = decoded("BTBZMqHH6r4Tts7J_aSIgg"), decoded("DGv6ra1nlYgDCS1FRnbzlw")
RFC_BODY = decoded(
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml"
    "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT"
    "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)


def test_the_rfc_example_is_reproduced() -> None:
    """RFC 8291, appendix A."""
    assert encrypt(WATERMELON, RECEIVER_KEY, RFC_AUTH, SENDER, RFC_SALT) == RFC_BODY
    assert decrypt(RFC_BODY, RECEIVER, RFC_AUTH) == WATERMELON


@given(st.binary(max_size=MAX_TEXT))
def test_a_browser_can_decrypt_and_the_size_fits_push_services(text: bytes) -> None:
    browser = Browser()
    made = encrypt(text, browser.key, AUTH, ec.generate_private_key(ec.SECP256R1()), os.urandom(16))
    assert decrypt(made, browser.private) == text
    assert len(made) <= 4_096


def test_another_browser_cannot_decrypt() -> None:
    made = encrypt(WATERMELON, Browser().key, AUTH, SENDER, RFC_SALT)
    with pytest.raises(InvalidTag):
        decrypt(made, Browser().private)


def test_a_key_must_be_a_point_on_the_curve() -> None:
    assert is_key(RECEIVER_KEY)
    for key in (b"", RECEIVER_KEY[:-1], b"\x04" + bytes(64), b"\x02" + RECEIVER_KEY[1:33]):
        assert not is_key(key)


def test_a_push_service_can_identify_the_sender() -> None:
    header = authorization(SENDER, "https://push.example.org", "mailto:a@b.org", 1_800_000_000)
    assert signed_claims(header, public_key(SENDER)) == {
        "aud": "https://push.example.org",
        "exp": 1_800_000_000,
        "sub": "mailto:a@b.org",
    }
    head, dot, rest = header.partition(".")
    with pytest.raises(InvalidSignature):
        signed_claims(f"{head}{dot}{'x' if rest[0] != 'x' else 'y'}{rest[1:]}", public_key(SENDER))
