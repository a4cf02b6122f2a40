"""Accounts over real sockets: codes, passkeys, signing out, deleting."""

from __future__ import annotations

import json
from uuid import UUID

import pytest
from webauthn.helpers import bytes_to_base64url

from server.accounts import confirmations
from server.accounts.messages import MAX_CREDENTIAL
from server.base.net import limits
from server.base.wire.codec import MAX_FRAME_SIZE
from server.players.core.account import MAX_PASSKEYS
from tests.authenticator import Authenticator
from tests.clients.client import Client, Message, opened
from tests.clients.seats import HubNode
from tests.conftest import ALONE, debug_captured, node

pytestmark = [ALONE, pytest.mark.usefixtures("short_countdown")]

WRONG = "00000-00000"
FAILURES_ALLOWED = int(limits.PLAYER_SLIPS.at_once + limits.PLAYER_MISSES.at_once)
"""Number of failures allowed in a burst."""
WRONG_RECOVERY = "0000-0000-0000-0000-0000"


def device_at(port: int) -> Authenticator:
    return Authenticator(f"http://localhost:{port}", "localhost")


async def create(client: Client, device: Authenticator) -> Message:
    options = (await client.ask("AskPasskey", purpose="create"))["options"]
    return await client.ask("CreatePasskey", credential=device.create(options))


async def use(client: Client, device: Authenticator) -> Message:
    options = (await client.ask("AskPasskey", purpose="use"))["options"]
    return await client.ask("UsePasskey", credential=device.use(options))


async def test_each_code_signs_in_on_another_device(port: int) -> None:
    async with opened(port) as phone, opened(port) as laptop:
        ada = await phone.hello(name="Ada")
        await laptop.hello()
        assert (await phone.ask("GetAccount"))["kept"] is None
        recovery = await phone.keep()
        linked = await phone.ask("LinkDevice")
        assert linked["expires"] == pytest.approx(ada["now"] + 300_000, abs=20_000)
        for code in (recovery, linked["code"]):
            token = (await laptop.ask("SignIn", code=code))["token"]
            assert token.partition(".")[0] == ada["player"]["id"]
        account = await phone.ask("GetAccount")
        assert account["kept"] >= ada["now"]
        assert (account["passkeys"], account["sessions"]) == ([], 1)
        assert account["created"] <= account["kept"]
        assert account["kept"] == account["recovery"]["added"] <= account["recovery"]["used"]
    async with opened(port) as laptop:
        assert (await laptop.hello(ada["token"]))["player"] == ada["player"]


async def test_a_passkey_is_created_and_signs_in(port: int) -> None:
    device = device_at(port)
    async with opened(port) as phone, opened(port) as laptop:
        ada = await phone.hello(name="Ada")
        await laptop.hello()
        options = json.loads((await phone.ask("AskPasskey", purpose="create"))["options"])
        assert options["rp"]["id"] == "localhost"
        assert options["user"]["displayName"] == f"Ada {ada['player']['tag']}"
        assert (await create(phone, device))["type"] == "done"
        assert (await use(laptop, device))["token"].partition(".")[0] == ada["player"]["id"]
        (passkey,) = (await phone.ask("GetAccount"))["passkeys"]
        options = json.loads((await phone.ask("AskPasskey", purpose="create"))["options"])
        assert [each["id"] for each in options["excludeCredentials"]] == [passkey["id"]]


async def test_a_challenge_is_answered_once_by_the_requesting_session(port: int) -> None:
    device = device_at(port)
    async with opened(port) as phone, opened(port) as laptop:
        await phone.hello()
        await laptop.hello()
        await create(phone, device)
        options = (await laptop.ask("AskPasskey", purpose="use"))["options"]
        answer = device.use(options)
        assert (await phone.ask("UsePasskey", credential=answer))["code"] == "bad_passkey"
        assert (await laptop.ask("UsePasskey", credential=answer))["type"] == "SignedIn"
        assert (await laptop.ask("UsePasskey", credential=answer))["code"] == "bad_passkey"


async def test_a_passkey_of_another_page_is_refused(port: int) -> None:
    device = device_at(port)
    async with opened(port) as phone, opened(port) as laptop:
        await phone.hello()
        await laptop.hello()
        await create(phone, device)
        device.origin = "http://evil.example.org"
        assert (await use(laptop, device))["code"] == "bad_passkey"


async def test_passkeys_are_bound_to_the_public_url(redis_url: str) -> None:
    origin, host = "https://play.example.org", "play.example.org"
    where = {"public_url": origin, "hosts": ("localhost",)}
    async with node(redis_url, **where) as port, opened(port) as client:
        await client.hello()
        options = json.loads((await client.ask("AskPasskey", purpose="use"))["options"])
        assert options["rpId"] == host
        device = Authenticator(origin, host)
        assert (await create(client, device))["type"] == "done"
        assert (await use(client, device))["type"] == "SignedIn"


async def test_passkeys_need_a_known_address(hub: HubNode) -> None:
    assert (await (await hub.seat()).ask("AskPasskey", purpose="use"))["code"] == "no_passkeys"


async def test_failed_sign_ins_are_rate_limited(port: int) -> None:
    async with opened(port) as phone, opened(port) as laptop:
        await phone.hello()
        code = await phone.keep()
        await laptop.hello()
        for _ in range(FAILURES_ALLOWED - 1):
            assert (await laptop.ask("SignIn", code=WRONG_RECOVERY))["code"] == "bad_code"
        assert (await laptop.ask("UsePasskey", credential="{}"))["code"] == "bad_passkey"
        assert (await laptop.ask("SignIn", code=code))["code"] == "too_fast"
        assert (await laptop.ask("UsePasskey", credential="{}"))["code"] == "too_fast"
        assert (await phone.ask("SignIn", code=code))["type"] == "SignedIn"


async def test_signing_out_everywhere_closes_the_sessions_of_all_nodes(redis_url: str) -> None:
    async with node(redis_url) as one, node(redis_url) as two:
        async with opened(one) as phone, opened(one) as tab, opened(two) as laptop:
            first = (await phone.hello(name="Ada"))["token"]
            await tab.hello(first)
            await laptop.hello(first)
            assert (await phone.ask("GetAccount"))["sessions"] == 3
            second = (await phone.ask("SignOutEverywhere"))["token"]
            for client in (tab, laptop):
                assert (await client.next("bye"))["code"] == "signed_out"
                assert await client.closed() == 4007
            assert (await phone.ask("GetAccount"))["sessions"] == 1
        for port in (one, two):
            async with opened(port) as client:
                assert (await client.hello(first))["code"] == "bad_token"
                welcome = await client.hello(second)
                assert (welcome["player"]["name"], welcome["token"]) == ("Ada", second)


async def test_a_deleted_player_is_signed_out_after_the_answer(redis_url: str) -> None:
    async with node(redis_url) as one, node(redis_url) as two:
        async with opened(one) as phone, opened(two) as laptop:
            token = (await phone.hello(name="Ada"))["token"]
            await laptop.hello(token)
            exported = json.loads((await phone.ask("ExportData"))["json"])
            assert (exported["name"], exported["sessions"]) == ("Ada", 2)
            assert (await phone.ask("DeleteAccount"))["type"] == "done"
            for client in (phone, laptop):
                assert (await client.next("bye"))["code"] == "signed_out"
                assert await client.closed() == 4007
        async with opened(two) as client:
            assert (await client.hello(token))["code"] == "bad_token"
            assert (await client.hello())["type"] == "welcome"


async def test_secrets_are_not_logged(port: int) -> None:
    device = device_at(port)
    with debug_captured() as lines:
        secrets = await tried(port, device)
    logged = repr(lines)
    assert "'bad_code'" in logged
    for secret in secrets:
        assert secret not in logged
        assert secret.lower().replace("-", "") not in logged.lower()


async def tried(port: int, device: Authenticator) -> list[str]:
    """Keep and change an identity in every way, and return the secrets involved."""
    async with opened(port) as client:
        token = (await client.hello())["token"]
        codes = [await client.keep(), (await client.ask("LinkDevice"))["code"]]
        await create(client, device)
        options = (await client.ask("AskPasskey", purpose="use"))["options"]
        secrets = [token, *codes, json.loads(options)["challenge"]]
        await client.ask("UsePasskey", credential=device.use(options))
        await client.ask("SignIn", code=codes[0])
        await client.ask("SignIn", code=WRONG)
        secrets.append((await client.ask("SignOutEverywhere"))["token"])
    return [str(secret) for secret in secrets]


async def test_a_credential_may_fill_a_frame(port: int) -> None:
    device = device_at(port)
    async with opened(port) as client:
        await client.hello()
        credential = device.create((await client.ask("AskPasskey", purpose="create"))["options"])
        padded = credential[:-1] + "," + " " * (MAX_CREDENTIAL - len(credential) - 8) + '"x":""}'
        assert len(padded) == MAX_CREDENTIAL - 1
        assert (await client.ask("CreatePasskey", credential=padded))["type"] == "done"
    assert MAX_CREDENTIAL + 32 < MAX_FRAME_SIZE


# Changing credentials


async def show(client: Client, device: Authenticator) -> Message:
    """Show a passkey, and return the answer."""
    options = (await client.ask("AskPasskey", purpose="confirm"))["options"]
    return await client.ask("ConfirmPasskey", credential=device.use(options))


async def removed(client: Client, *devices: Authenticator, recovery: bool = False) -> Message:
    ids = [bytes_to_base64url(each.id) for each in devices]
    return await client.ask("SignOutEverywhere", passkeys=ids, recovery=recovery)


async def test_a_stolen_token_does_no_lasting_damage(port: int) -> None:
    device, stolen = device_at(port), device_at(port)
    async with opened(port) as ada, opened(port) as thief:
        token = (await ada.hello(name="Ada"))["token"]
        code = await ada.keep()
        assert (await create(ada, device))["type"] == "done"
        await thief.hello(token)
        for refused in (
            await thief.ask("NewRecoveryCode"),
            await thief.ask("AskPasskey", purpose="create"),
            await removed(thief, device),
            await removed(thief, recovery=True),
            await thief.ask("ExportData"),
            await thief.ask("DeleteAccount"),
        ):
            assert refused["code"] == "confirm_first"
        linked = (await thief.ask("LinkDevice"))["code"]
        assert (await thief.ask("ConfirmCode", code=linked))["code"] == "bad_code"
        assert (await thief.ask("KeepRecoveryCode", code=WRONG_RECOVERY))["code"] == "bad_code"
        async with opened(port) as other:
            await other.hello()
            assert (await create(other, stolen))["type"] == "done"
        assert (await show(thief, stolen))["code"] == "bad_passkey"
        later = (await thief.ask("SignOutEverywhere"))["token"]
        assert (await ada.next("bye"))["code"] == "signed_out"
    async with opened(port) as guest:
        await guest.hello()
        back = (await use(guest, device))["token"]
        assert (await guest.ask("SignIn", code=code))["type"] == "SignedIn"
    async with opened(port) as ada, opened(port) as thief:
        await ada.hello(back)
        await thief.hello(later)
        assert (await ada.ask("SignOutEverywhere"))["type"] == "SignedIn"
        assert (await thief.next("bye"))["code"] == "signed_out"
    async with opened(port) as thief:
        assert (await thief.hello(later))["code"] == "bad_token"


async def test_shown_credentials_allow_changes(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    device, more = device_at(port), [device_at(port) for _ in range(3)]
    async with opened(port) as ada, opened(port) as phone:
        token = (await ada.hello(name="Ada"))["token"]
        code = await ada.keep()
        # Keeping a first credential also confirms the session.
        assert (await create(ada, device))["type"] == "done"
        await phone.hello(token)
        assert (await show(phone, device))["type"] == "done"
        assert (await create(phone, more[0]))["type"] == "done"
        monkeypatch.setattr(confirmations, "CONFIRMED_FOR", 0.0)
        assert (await phone.ask("ConfirmCode", code=code.lower()))["type"] == "done"
        assert (await phone.ask("AskPasskey", purpose="create"))["code"] == "confirm_first"
        monkeypatch.undo()
        assert (await phone.ask("ConfirmCode", code=code))["type"] == "done"
        options = json.loads((await phone.ask("AskPasskey", purpose="confirm"))["options"])
        assert len(options["allowCredentials"]) == 2
        later = await phone.keep()
        assert (await phone.ask("ConfirmCode", code=code))["code"] == "bad_code"
        assert (await phone.ask("ConfirmCode", code=later))["type"] == "done"
        async with opened(port) as tab:
            await tab.hello(token)
            assert (await tab.ask("ExportData"))["code"] == "confirm_first"


async def test_a_guessed_credential_counts_as_a_miss(port: int) -> None:
    tries = (
        ("ConfirmCode", {"code": WRONG_RECOVERY}),
        ("ConfirmPasskey", {"credential": "{}"}),
        ("KeepRecoveryCode", {"code": WRONG_RECOVERY}),
    )
    for kind, fields in tries:
        async with opened(port) as thief:
            await thief.hello()
            told = [(await thief.ask(kind, **fields))["code"] for _ in range(FAILURES_ALLOWED + 1)]
        assert told[-1] == "too_fast"
        assert set(told[:-1]) <= {"bad_code", "bad_passkey"}


async def test_a_passkey_is_valid_for_one_purpose_only(port: int) -> None:
    device = device_at(port)
    async with opened(port) as ada:
        await ada.hello()
        await create(ada, device)
        uses = (("use", "ConfirmPasskey"), ("confirm", "UsePasskey"), ("create", "UsePasskey"))
        for asked, said in uses:
            answer = device.use((await ada.ask("AskPasskey", purpose=asked))["options"])
            assert (await ada.ask(said, credential=answer))["code"] == "bad_passkey"


async def test_credentials_are_listed_and_removed(port: int) -> None:
    devices = [device_at(port) for _ in range(3)]
    devices[1].aaguid = UUID("bada5566-a7aa-401f-bd96-45619a55120d").bytes
    async with opened(port) as ada, opened(port) as phone:
        token = (await ada.hello(name="Ada"))["token"]
        await ada.keep()
        for device in devices:
            assert (await create(ada, device))["type"] == "done"
        await phone.hello()
        await use(phone, devices[1])
        account = await ada.ask("GetAccount")
        assert [each["name"] for each in account["passkeys"]] == ["", "1Password", ""]
        assert [each["used"] is None for each in account["passkeys"]] == [True, False, True]
        assert all(each["added"] >= account["kept"] for each in account["passkeys"])
        async with opened(port) as laptop:
            await laptop.hello(token)
            assert (await removed(ada, devices[1]))["type"] == "SignedIn"
            assert (await laptop.next("bye"))["code"] == "signed_out"
        assert (await use(phone, devices[1]))["code"] == "bad_passkey"
        assert (await removed(ada, devices[0], devices[2], recovery=True))["code"] == (
            "last_credential"
        )
        assert (await removed(ada, devices[0], recovery=True))["type"] == "SignedIn"
        account = await ada.ask("GetAccount")
        assert account["recovery"] is None
        assert [each["id"] for each in account["passkeys"]] == [bytes_to_base64url(devices[2].id)]
        assert (await use(phone, devices[2]))["type"] == "SignedIn"


async def test_owners_can_lock_out_a_thief(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "PLAYER_COMMANDS", limits.Rate(1e9, 1e9))
    async with (
        node(redis_url) as port,
        opened(port) as ada,
        opened(port) as thief,
        opened(port) as guest,
    ):
        stolen = [device_at(port) for _ in range(MAX_PASSKEYS)]
        token = (await ada.hello(name="Ada"))["token"]
        code = await ada.keep()
        await thief.hello(token)
        assert (await thief.ask("ConfirmCode", code=code))["type"] == "done"
        for each in stolen:
            assert (await create(thief, each))["type"] == "done"
        assert (await ada.ask("AskPasskey", purpose="create"))["code"] == "too_many_passkeys"
        later = await ada.keep()
        token = (await removed(ada, *stolen))["token"]
        assert (await thief.next("bye"))["code"] == "signed_out"
        assert (await create(ada, device_at(port)))["type"] == "done"
        await guest.hello()
        assert (await use(guest, stolen[0]))["code"] == "bad_passkey"
        assert (await guest.ask("SignIn", code=code))["code"] == "bad_code"
        again = (await guest.ask("SignIn", code=later))["token"]
        assert again.split(".")[:2] == token.split(".")[:2]


async def test_a_malformed_passkey_counts_as_a_miss(port: int) -> None:
    device = device_at(port)
    async with opened(port) as client:
        await client.hello()
        with debug_captured() as lines:
            for _ in range(FAILURES_ALLOWED):
                options = (await client.ask("AskPasskey", purpose="create"))["options"]
                # The public key is an empty text, although the library reads its first byte.
                credential = device.create(options, public=b"\x40")
                answer = await client.ask("CreatePasskey", credential=credential)
                assert answer["code"] == "bad_passkey"
        assert (await client.ask("UsePasskey", credential="{}"))["code"] == "too_fast"
        assert not [line for line in lines if line["log_level"] in {"warning", "error"}]
