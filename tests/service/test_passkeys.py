"""Passkeys: which answers of a browser are accepted."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from dataclasses import replace
from functools import partial

import pytest

from server.core.names import Profile
from server.core.refusal import Refusal
from server.service import passkeys
from server.service.passkeys import Site
from tests.authenticator import Authenticator
from tests.core.builders import ADA

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


def test_options_name_the_host_and_the_player_and_no_second_passkey_of_a_device() -> None:
    options = json.loads(creation())
    assert options["rp"] == {"id": "play.example.org", "name": "Samedeal"}
    assert options["user"]["name"] == f"Ada {PROFILE.tag}"
    assert options["attestation"] == "none"
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


def test_an_answer_to_another_challenge_or_for_another_page_is_refused(
    device: Authenticator,
) -> None:
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
    # One kind of answer is not the other.
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


def test_whatever_a_client_sends_instead_is_refused(device: Authenticator) -> None:
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
        # What does not matter to the one kind of answer may to the other.
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
