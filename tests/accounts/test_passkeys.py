"""Passkeys: which answers of browsers are accepted."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from dataclasses import replace
from functools import partial
from hashlib import sha256

import cbor2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from webauthn.helpers import bytes_to_base64url
from webauthn.helpers.exceptions import InvalidAuthenticationResponse

from server.accounts import passkeys
from server.accounts.passkeys import Site
from server.base.core.refusal import Refusal
from server.players.core.account import Passkey
from server.players.core.names import Profile
from tests.authenticator import Authenticator
from tests.builders import ADA
from tests.sizes import cases

SITE = Site("https://play.example.org:8443")
PROFILE = Profile(ADA, "Ada")
CHALLENGE = b"c" * 32
OTHER = b"d" * 32
OTHERS: tuple[object, ...] = (None, 7, "", [], {}, "é")


@pytest.fixture
def device() -> Authenticator:
    return Authenticator(SITE.origin, SITE.host)


def creation(challenge: bytes = CHALLENGE) -> str:
    return passkeys.creation_options(SITE, challenge, PROFILE, ["AAAA"])


def use(challenge: bytes = CHALLENGE) -> str:
    return passkeys.use_options(SITE, challenge)


def test_options_name_host_and_player_and_exclude_existing_passkeys() -> None:
    options = json.loads(creation())
    assert options["rp"] == {"id": "play.example.org", "name": "Samedeal"}
    assert (options["user"]["name"], options["attestation"]) == (f"Ada {PROFILE.tag}", "none")
    assert [each["id"] for each in options["excludeCredentials"]] == ["AAAA"]
    selection = options["authenticatorSelection"]
    assert (selection["residentKey"], selection["userVerification"]) == ("required", "preferred")
    options = json.loads(use())
    assert (options["rpId"], options["allowCredentials"]) == ("play.example.org", [])


def test_a_passkey_is_created_and_used(device: Authenticator) -> None:
    passkey = passkeys.created(SITE, CHALLENGE, PROFILE, device.create(creation()))
    assert (passkey.player, passkey.count) == (ADA, 0)
    assert passkeys.credential_id(device.use(use())) == passkey.id
    assert passkeys.used(SITE, CHALLENGE, passkey, device.use(use())) == 0
    device.count = 5
    assert passkeys.used(SITE, CHALLENGE, passkey, device.use(use())) == 5


def test_an_answer_to_another_challenge_or_page_is_refused(device: Authenticator) -> None:
    passkey = passkeys.created(SITE, CHALLENGE, PROFILE, device.create(creation()))
    for wrong in (
        Authenticator("https://evil.example.org", SITE.host),
        Authenticator(SITE.origin, "evil.example.org"),
    ):
        with pytest.raises(Refusal, match="bad_passkey"):
            passkeys.created(SITE, CHALLENGE, PROFILE, wrong.create(creation()))
        wrong._key = device._key
        with pytest.raises(Refusal, match="bad_passkey"):
            passkeys.used(SITE, CHALLENGE, passkey, wrong.use(use()))
    with pytest.raises(Refusal, match="bad_passkey"):
        passkeys.created(SITE, CHALLENGE, PROFILE, device.create(creation(OTHER)))
    with pytest.raises(Refusal, match="bad_passkey"):
        passkeys.used(SITE, CHALLENGE, passkey, device.use(use(OTHER)))
    # The two kinds of answers are not interchangeable.
    with pytest.raises(Refusal, match="bad_passkey"):
        passkeys.used(SITE, CHALLENGE, passkey, device.create(creation()))


def test_another_key_or_a_counter_that_has_not_grown_is_refused(device: Authenticator) -> None:
    passkey = passkeys.created(SITE, CHALLENGE, PROFILE, device.create(creation()))
    other = Authenticator(SITE.origin, SITE.host, id=device.id)
    with pytest.raises(Refusal, match="bad_passkey"):
        passkeys.used(SITE, CHALLENGE, passkey, other.use(use()))
    device.count = 5
    with pytest.raises(Refusal, match="bad_passkey"):
        passkeys.used(SITE, CHALLENGE, replace(passkey, count=5), device.use(use()))


def test_malformed_answers_are_refused(device: Authenticator) -> None:
    passkey = passkeys.created(SITE, CHALLENGE, PROFILE, device.create(creation()))
    answers = [device.create(creation()), device.use(use())]
    rng = random.Random(7)
    wrong = ["", "null", "[]", "{}", "1", '"x"', '{"id":1}', "[" * 2000, "\ud800"]
    for answer in answers:
        made = json.loads(answer)
        for name in made:
            wrong += [json.dumps({**made, name: other}) for other in OTHERS]
        for name in made["response"]:
            for other in (*OTHERS, "AAAA", "oA", "v____w"):
                wrong.append(json.dumps({**made, "response": {**made["response"], name: other}}))
        for _ in range(300):
            place = rng.randrange(len(answer))
            wrong.append(answer[:place] + chr(rng.randrange(32, 127)) + answer[place + 1 :])
    for text in wrong:
        # A field ignored in one kind of answer may matter in the other.
        refused = 0
        for check in (
            partial(passkeys.created, SITE, CHALLENGE, PROFILE),
            partial(passkeys.used, SITE, CHALLENGE, passkey),
            passkeys.credential_id,
        ):
            with suppress(Refusal):
                check(text)
                continue
            refused += 1
        assert refused > 0


KEYS = st.sampled_from([1, 2, 3, 4, -1, -2, -3, -4])
SCALARS = st.one_of(
    st.integers(-300, 70), st.binary(max_size=70), st.text(max_size=5), st.none(), st.booleans()
)
COSE = st.one_of(SCALARS, st.lists(SCALARS, max_size=3), st.dictionaries(KEYS, SCALARS))
"""Any value in place of a public key."""

EC = Authenticator(SITE.origin, SITE.host).public()
RSA = {1: 3, 3: -257, -1: b"\xff" * 128, -2: b"\x01\x00\x01"}
OKP = {1: 1, 3: -8, -1: 6, -2: b"x" * 32}
ML_DSA = {1: 7, 3: -48, -1: b"x" * 1_312}
"""Public keys of each type, by their COSE fields; most are not on a curve."""

PUBLIC = st.one_of(
    COSE,
    st.builds(
        lambda known, more, less: {k: v for k, v in (known | more).items() if k != less},
        st.sampled_from([EC, RSA, OKP, ML_DSA]),
        st.dictionaries(KEYS, SCALARS, max_size=2),
        KEYS,
    ),
)

FORMATS = st.sampled_from(
    ["none", "packed", "fido-u2f", "tpm", "apple", "android-key", "android-safetynet", "?", 7]
)
STATEMENTS = st.dictionaries(
    st.sampled_from(["alg", "sig", "x5c", "ver", "response", "certInfo", "pubArea"]),
    st.one_of(SCALARS, st.lists(st.binary(max_size=9), max_size=2)),
)


@st.composite
def attestations(draw: st.DrawFn) -> bytes:
    device = Authenticator(SITE.origin, SITE.host)
    public = cbor2.dumps(draw(PUBLIC)) if draw(st.booleans()) else draw(st.binary(max_size=90))
    data = bytearray(device.attested(public))
    for _ in range(draw(st.integers(0, 2))):
        # Flags, counter, or the id's length.
        data[draw(st.sampled_from([32, 33, 53, 54, len(data) - 1]))] = draw(st.integers(0, 255))
    made = {"fmt": draw(FORMATS), "attStmt": draw(STATEMENTS), "authData": bytes(data)}
    if draw(st.booleans()):
        made |= {"fmt": "none", "attStmt": {}}
    encoded = cbor2.dumps(made)
    return encoded[: draw(st.integers(0, len(encoded)))] if draw(st.booleans()) else encoded


@given(attestations())
@settings(max_examples=cases(60, 400), deadline=None)
def test_any_attestation_object_is_accepted_or_refused(attestation: bytes) -> None:
    device = Authenticator(SITE.origin, SITE.host)
    with suppress(Refusal):
        passkey = passkeys.created(
            SITE, CHALLENGE, PROFILE, device.create(creation(), attestation=attestation)
        )
        # An accepted passkey works for its owner, and is refused without the private key, as here.
        with pytest.raises(Refusal, match="bad_passkey") as refused:
            passkeys.used(SITE, CHALLENGE, passkey, device.use(use()))
        assert isinstance(refused.value.__cause__, InvalidAuthenticationResponse)


@given(PUBLIC, st.binary(max_size=80), st.binary(max_size=80), st.booleans())
@settings(max_examples=cases(60, 400), deadline=None)
def test_any_assertion_is_accepted_or_refused(
    public: object, data: bytes, signature: bytes, hosted: bool
) -> None:
    """Includes keys stored before the server checked them."""
    device = Authenticator(SITE.origin, SITE.host)
    passkey = Passkey("AAAA", ADA, cbor2.dumps(public), 0)
    made = json.loads(device.use(use()))
    with suppress(Refusal):
        passkeys.used(SITE, CHALLENGE, passkey, json.dumps(made))
    shown = sha256(SITE.host.encode()).digest() + data if hosted else data
    made["response"]["authenticatorData"] = bytes_to_base64url(shown)
    made["response"]["signature"] = bytes_to_base64url(signature)
    with pytest.raises(Refusal, match="bad_passkey"):
        passkeys.used(SITE, CHALLENGE, passkey, json.dumps(made))


@pytest.mark.parametrize(
    "public",
    [b"\x40", cbor2.dumps([1, 2]), cbor2.dumps(EC | {-1: 99}), cbor2.dumps(EC | {-2: b"x" * 32})],
    # The key is random in each process, but all workers must collect the same test ids.
    ids=["no map", "a list", "an unknown curve", "no point of the curve"],
)
def test_an_unusable_public_key_is_refused(device: Authenticator, public: bytes) -> None:
    with pytest.raises(Refusal, match="bad_passkey"):
        passkeys.created(SITE, CHALLENGE, PROFILE, device.create(creation(), public))


def test_the_length_of_a_credential_id_is_limited_by_the_standard(device: Authenticator) -> None:
    device.id = b"i" * (passkeys.MAX_ID + 1)
    with pytest.raises(Refusal, match="bad_passkey"):
        passkeys.created(SITE, CHALLENGE, PROFILE, device.create(creation()))
    device.id = b"i" * passkeys.MAX_ID
    passkeys.created(SITE, CHALLENGE, PROFILE, device.create(creation()))


def test_confirming_offers_the_players_own_passkeys() -> None:
    options = json.loads(passkeys.use_options(SITE, CHALLENGE, ["AAAA", "BBBB"]))
    assert [each["id"] for each in options["allowCredentials"]] == ["AAAA", "BBBB"]
