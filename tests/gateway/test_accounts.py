"""Accounts over real sockets: codes, passkeys, signing out, deleting."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack

import pytest

from server.gateway import limits
from server.gateway.codec import MAX_FRAME_SIZE
from server.gateway.messages.accounts import MAX_CREDENTIAL
from tests.authenticator import Authenticator
from tests.conftest import ALONE, debug_captured, node
from tests.gateway.client import Client, Message, opened
from tests.gateway.seats import HubNode

pytestmark = ALONE

WRONG = "0000-0000"
WRONG_RECOVERY = "0000-0000-0000-0000-0000"


def device_at(port: int) -> Authenticator:
    """Return an authenticator behind a browser that shows the page on this machine."""
    return Authenticator(f"http://localhost:{port}", "localhost")


async def create(client: Client, device: Authenticator) -> Message:
    """Create a passkey, and return the answer."""
    options = (await client.ask("AskPasskey", purpose="create"))["options"]
    return await client.ask("CreatePasskey", credential=device.create(options))


async def use(client: Client, device: Authenticator) -> Message:
    """Sign in by a passkey, and return the answer."""
    options = (await client.ask("AskPasskey", purpose="use"))["options"]
    return await client.ask("UsePasskey", credential=device.use(options))


async def test_each_code_signs_in_on_another_device(port: int) -> None:
    async with opened(port) as phone, opened(port) as laptop:
        ada = await phone.hello(name="Ada")
        await laptop.hello()
        assert (await phone.ask("GetAccount"))["kept"] is None
        recovery = (await phone.ask("NewRecoveryCode"))["code"]
        linked = await phone.ask("LinkDevice")
        assert linked["expires"] == pytest.approx(ada["now"] + 300_000, abs=20_000)
        for code in (recovery, linked["code"]):
            token = (await laptop.ask("SignIn", code=code))["token"]
            assert token.partition(".")[0] == ada["player"]["id"]
        account = await phone.ask("GetAccount")
        assert account["kept"] >= ada["now"]
        assert (account["recovery"], account["passkeys"], account["sessions"]) == (True, [], 1)
        assert account["created"] <= account["kept"]
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
        token = (await use(laptop, device))["token"]
        assert token.partition(".")[0] == ada["player"]["id"]
        (passkey,) = (await phone.ask("GetAccount"))["passkeys"]
        # The device is not asked for a second one.
        options = json.loads((await phone.ask("AskPasskey", purpose="create"))["options"])
        assert [each["id"] for each in options["excludeCredentials"]] == [passkey["id"]]


async def test_a_challenge_is_answered_once_and_by_the_session_that_asked(port: int) -> None:
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
        # A challenge for the one purpose is none for the other.
        options = (await laptop.ask("AskPasskey", purpose="create"))["options"]
        answer = device.use(options)
        assert (await laptop.ask("UsePasskey", credential=answer))["code"] == "bad_passkey"


async def test_a_passkey_of_another_page_signs_nobody_in(port: int) -> None:
    device = device_at(port)
    async with opened(port) as phone, opened(port) as laptop:
        await phone.hello()
        await laptop.hello()
        await create(phone, device)
        device.origin = "http://evil.example.org"
        assert (await use(laptop, device))["code"] == "bad_passkey"


async def test_passkeys_hold_for_the_address_that_the_operator_has_set(
    redis_url: str,
) -> None:
    origin, host = "https://play.example.org", "play.example.org"
    where = {"public_url": origin, "hosts": ("localhost",)}
    async with node(redis_url, **where) as port, opened(port) as client:
        await client.hello()
        options = json.loads((await client.ask("AskPasskey", purpose="use"))["options"])
        assert options["rpId"] == host
        device = Authenticator(origin, host)
        assert (await create(client, device))["type"] == "done"
        assert (await use(client, device))["type"] == "SignedIn"


async def test_without_an_address_there_are_no_passkeys(hub: HubNode) -> None:
    seat = await hub.seat()
    assert (await seat.ask("AskPasskey", purpose="use"))["code"] == "no_passkeys"


async def test_a_player_may_be_wrong_so_often_and_no_more(port: int) -> None:
    async with opened(port) as phone, opened(port) as laptop:
        await phone.hello()
        code = (await phone.ask("NewRecoveryCode"))["code"]
        await laptop.hello()
        for _ in range(int(limits.PLAYER_MISSES.at_once) - 1):
            assert (await laptop.ask("SignIn", code=WRONG_RECOVERY))["code"] == "bad_code"
        assert (await laptop.ask("UsePasskey", credential="{}"))["code"] == "bad_passkey"
        assert (await laptop.ask("SignIn", code=code))["code"] == "too_fast"
        assert (await laptop.ask("UsePasskey", credential="{}"))["code"] == "too_fast"
        assert (await phone.ask("SignIn", code=code))["type"] == "SignedIn"


async def test_device_codes_are_limited_for_all_sessions_and_recovery_codes_are_not(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "DEVICE_CODES", limits.Rate(1e-9, 7.0))
    async with node(redis_url) as port, AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(opened(port)) for _ in range(3)]
        for client in clients:
            await client.hello()
        device = (await clients[2].ask("LinkDevice"))["code"]
        recovery = (await clients[2].ask("NewRecoveryCode"))["code"]
        assert (await clients[2].ask("SignIn", code=device))["type"] == "SignedIn"
        device = (await clients[2].ask("LinkDevice"))["code"]
        for client, count in zip(clients, (5, 1), strict=False):
            for _ in range(count):
                assert (await client.ask("SignIn", code=WRONG))["code"] == "bad_code"
        assert (await clients[2].ask("SignIn", code=device))["code"] == "too_fast"
        assert (await clients[2].ask("SignIn", code=recovery))["type"] == "SignedIn"


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
            # The session goes on, and so does the player.
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


async def test_no_secret_is_logged(port: int) -> None:
    device = device_at(port)
    with debug_captured() as lines:
        secrets = await tried(port, device)
    logged = repr(lines)
    assert "'bad_code'" in logged
    for secret in secrets:
        assert secret not in logged
        assert secret.lower().replace("-", "") not in logged.lower()


async def tried(port: int, device: Authenticator) -> list[str]:
    """Keep and change an identity in all ways, and return what nobody else may know."""
    async with opened(port) as client:
        token = (await client.hello())["token"]
        codes = [(await client.ask(kind))["code"] for kind in ("NewRecoveryCode", "LinkDevice")]
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
        options = (await client.ask("AskPasskey", purpose="create"))["options"]
        credential = device.create(options)
        padded = credential[:-1] + "," + " " * (MAX_CREDENTIAL - len(credential) - 8) + '"x":""}'
        assert len(padded) == MAX_CREDENTIAL - 1
        assert (await client.ask("CreatePasskey", credential=padded))["type"] == "done"
    assert MAX_CREDENTIAL + 32 < MAX_FRAME_SIZE
