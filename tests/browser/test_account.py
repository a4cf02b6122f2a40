"""The account in Chromium: an identity is kept, used in another browser, and deleted."""

from __future__ import annotations

import os
import re
import sys
from typing import Any

from playwright.sync_api import Browser, expect

from tests.browser.checks import problems
from tests.browser.conftest import Site, player_fixture
from tests.browser.player import DESKTOP, PHONE, Player
from tests.browser.steps import play_daily_without_page, start_alone
from tests.processes import ROOT, running

WON = '{"standard":{"played":1,"won":1,"streak":1,"longest":1,"home":35,"time":60000,"moves":40,'
WON += '"deals":[[true,35,60000,40]]}}'
"""The stored statistics of Golf after a win."""

ada = player_fixture(DESKTOP, "Ada")
phone = player_fixture(PHONE)


class VirtualDevice:
    """A virtual authenticator of a player's browser, which approves every request."""

    def __init__(self, player: Player) -> None:
        self._session = player.context.new_cdp_session(player.page)
        self._session.send("WebAuthn.enable")
        options = {
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": True,
            "automaticPresenceSimulation": True,
        }
        added = self._session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        self._id = added["authenticatorId"]

    def credentials(self) -> list[dict[str, Any]]:
        """Return its passkeys."""
        found = self._session.send("WebAuthn.getCredentials", {"authenticatorId": self._id})
        return list(found["credentials"])

    def take(self, other: VirtualDevice) -> None:
        """Copy the passkeys of another device, as a synchronised keychain does."""
        for credential in other.credentials():
            given = {"authenticatorId": self._id, "credential": credential}
            self._session.send("WebAuthn.addCredential", given)


def at_account(player: Player) -> None:
    player.go("/account")
    expect(player.see("account")).to_have_attribute("data-kept", re.compile("true|false"))


def kept(player: Player, *, expected: bool = True) -> None:
    expect(player.see("account")).to_have_attribute("data-kept", str(expected).lower())


def named(player: Player, name: str) -> None:
    expect(player.see("account").get_by_role("heading")).to_have_text(name)


def test_a_passkey_keeps_the_identity_and_signs_in_elsewhere(ada: Player, phone: Player) -> None:
    at_account(ada)
    kept(ada, expected=False)
    key = VirtualDevice(ada)
    ada.press("create-passkey")
    kept(ada)
    expect(ada.see("credential")).to_contain_text("Passkey 1")
    # The device has one already.
    ada.press("create-passkey")
    expect(ada.page.get_by_text("This device already has one of your passkeys.")).to_be_visible()
    at_account(phone)
    VirtualDevice(phone).take(key)
    phone.press("use-passkey")
    named(phone, "Ada")
    kept(phone)
    phone.page.reload()
    named(phone, "Ada")
    # Changing sign-in methods requires the passkey again.
    phone.press("new-code")
    phone.press("confirm-passkey")
    phone.see("recovery-code").wait_for()
    phone.press("code-written")
    expect(phone.see("credential")).to_have_count(2)


def test_a_code_from_one_device_signs_in_another(ada: Player, phone: Player) -> None:
    at_account(ada)
    ada.press("link-device")
    code = ada.see("device-code").inner_text()
    expect(ada.see("qr-code")).to_be_visible()
    # The link of the QR code.
    phone.go(f"/account#{code}")
    expect(phone.see("code-input")).to_have_value(code)
    assert phone.page.evaluate("location.hash") == ""
    expect(phone.see("sign-in")).to_be_enabled()
    phone.press("sign-in")
    named(phone, "Ada")
    # A device code does not keep the identity.
    kept(phone, expected=False)


def test_a_code_link_does_not_discard_a_guest_with_results(
    browser: Browser, site: Site, ada: Player
) -> None:
    at_account(ada)
    ada.press("link-device")
    code = ada.see("device-code").inner_text()
    grace = Player(browser, site.url, PHONE, "Grace")
    start_alone(grace)
    grace.go(f"/account#{code}")
    named(grace, "Grace")
    grace.press("sign-in")
    question = grace.page.get_by_role("dialog")
    expect(question).to_contain_text("the name Grace, a game in progress")
    grace.press("stay")
    expect(question).to_be_hidden()
    grace.page.reload()
    named(grace, "Grace")
    grace.see("code-input").fill(code)
    grace.press("sign-in")
    expect(grace.page.get_by_text("That code is wrong")).to_be_visible()
    ada.page.reload()
    ada.press("link-device")
    grace.see("code-input").fill(ada.see("device-code").inner_text())
    grace.press("sign-in")
    grace.press("leave")
    named(grace, "Ada")
    grace.close()


def test_a_recovery_code_is_shown_once_and_signs_in(ada: Player, phone: Player) -> None:
    at_account(ada)
    ada.press("new-code")
    code = ada.see("recovery-code").inner_text()
    # The code counts only after confirmation.
    kept(ada, expected=False)
    ada.press("code-written")
    expect(ada.see("recovery-code")).to_be_hidden()
    kept(ada)
    # A second code replaces the first; the new session confirms with the passkey first.
    ada.page.reload()
    ada.press("new-code")
    ada.press("new-code-confirm")
    ada.see("confirm-code").fill("0000-0000-0000-0000-0000")
    ada.press("confirm-send")
    expect(ada.page.get_by_role("alert")).to_have_text(re.compile("^That code is wrong"))
    ada.see("confirm-code").fill(code)
    ada.press("confirm-send")
    second = ada.see("recovery-code").inner_text()
    assert second != code
    ada.press("code-written")
    expect(ada.see("recovery-code")).to_be_hidden()
    at_account(phone)
    phone.see("code-input").fill(code)
    phone.press("sign-in")
    expect(phone.page.get_by_text("That code is wrong")).to_be_visible()
    phone.see("code-input").fill(second.lower())
    phone.press("sign-in")
    named(phone, "Ada")
    kept(phone)


def test_statistics_of_practice_follow_a_kept_identity(ada: Player, phone: Player) -> None:
    for player in (ada, phone):
        player.go("/")
        player.page.evaluate(
            "figures => localStorage.setItem('samedeal.figures.golf', figures)", WON
        )
    ada.go("/statistics")
    expect(ada.page.get_by_role("link", name="Have it on all your devices")).to_be_visible()
    at_account(ada)
    ada.press("new-code")
    code = ada.see("recovery-code").inner_text()
    ada.press("code-written")
    kept(ada)
    ada.go("/statistics")
    expect(ada.page.get_by_text("stored with your identity")).to_be_visible()
    at_account(phone)
    phone.see("code-input").fill(code)
    phone.press("sign-in")
    kept(phone)
    # Each browser has counted a deal of its own.
    for player in (phone, ada, phone):
        player.go("/statistics")
        expect(player.see("practice-golf-standard")).to_contain_text("Played 2")
        assert problems(player) == []


def test_signing_out_everywhere_else_leaves_this_device(ada: Player, phone: Player) -> None:
    at_account(ada)
    expect(ada.see("sign-out")).to_be_disabled()
    VirtualDevice(ada)
    ada.press("create-passkey")
    expect(ada.see("credential")).to_have_count(1)
    ada.press("new-code")
    code = ada.see("recovery-code").inner_text()
    ada.press("code-written")
    expect(ada.see("credential")).to_have_count(2)
    at_account(phone)
    phone.see("code-input").fill(code)
    phone.press("sign-in")
    named(phone, "Ada")
    ada.press("sign-out")
    boxes = ada.page.get_by_test_id("sign-out-credential")
    ada.press("sign-out-others")
    expect(boxes.nth(0)).not_to_be_checked()
    expect(boxes.nth(1)).to_be_checked()
    boxes.nth(0).check()
    expect(ada.see("sign-out-confirm")).to_be_disabled()
    boxes.nth(0).uncheck()
    ada.press("sign-out-confirm")
    expect(ada.see("credential")).to_have_count(1)
    kept(phone, expected=False)
    phone.see("code-input").fill(code)
    phone.press("sign-in")
    expect(phone.page.get_by_text("That code is wrong")).to_be_visible()
    expect(phone.see("account").get_by_role("heading")).not_to_have_text("Ada")
    named(ada, "Ada")
    ada.page.reload()
    named(ada, "Ada")


def test_stored_data_can_be_downloaded_and_deleted(ada: Player) -> None:
    at_account(ada)
    with ada.page.expect_download() as download:
        ada.press("download-data")
    text = download.value.path().read_text()
    assert '"name":"Ada"' in text
    ada.press("delete-account")
    ada.press("delete-confirm")
    expect(ada.see("account").get_by_role("heading")).not_to_have_text("Ada")
    kept(ada, expected=False)


def test_only_guests_are_asked_to_keep_their_identity_before_a_daily(ada: Player) -> None:
    ada.go("/daily/robert")
    ada.see("play-daily").wait_for()
    ada.see("keep-identity").get_by_role("link").click()
    kept(ada, expected=False)
    ada.press("new-code")
    ada.press("code-written")
    kept(ada)
    ada.go("/daily/robert")
    ada.see("play-daily").wait_for()
    expect(ada.see("keep-identity")).to_be_hidden()


def test_keeping_the_identity_after_a_daily_says_when_ranking_starts(ada: Player) -> None:
    play_daily_without_page(ada, 2)
    ada.go("/leaderboard/robert")
    expect(ada.see("own-place").get_by_test_id("rank")).to_contain_text("1st")
    expect(ada.see("early")).to_be_hidden()
    ada.go("/account")
    ada.press("new-code")
    ada.press("code-written")
    kept(ada)
    ada.go("/leaderboard/robert")
    expect(ada.see("early")).to_contain_text("You played this before keeping your name.")
    expect(ada.see("group-guests")).to_be_checked()
    ada.see("scope-best").check()
    expect(ada.see("early")).to_be_hidden()


BOT = """
import asyncio, sys
from samedeal_client import Client

async def main(url, token, code):
    async with Client(url, token=token) as bot:
        await bot.join_room(code)
        await bot.until(lambda: False)

asyncio.run(main(*sys.argv[1:]))
"""


def test_a_bot_is_created_with_a_token_shown_once_and_a_label(ada: Player, site: Site) -> None:
    at_account(ada)
    VirtualDevice(ada)
    ada.see("bot-name").fill("Ada's bot")
    ada.press("create-bot")
    expect(ada.page.get_by_text("Keep your results first.", exact=True)).to_be_visible()
    ada.press("create-passkey")
    kept(ada)
    ada.press("create-bot")
    token = ada.see("bot-token").inner_text()
    ada.press("code-written")
    expect(ada.see("own-bot")).to_contain_text("Ada's bot")
    expect(ada.see("own-bot").get_by_test_id("bot-label")).to_have_text("bot")
    ada.page.reload()
    expect(ada.see("own-bot")).to_be_visible()
    expect(ada.see("bot-token")).to_have_count(0)
    code = ada.open_room("robert", seats=2).rpartition("/")[2]
    url = f"{site.url.replace('http', 'ws', 1)}/socket"
    environment = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'server' / 'client'}"}
    with running([sys.executable, "-c", BOT, url, token, code], environment):
        seat = ada.page.get_by_test_id("seat").filter(has_text="Ada's bot")
        expect(seat.get_by_test_id("bot-label")).to_have_text("bot")
        ada.go(f"/player/{token.partition('.')[0]}")
        expect(ada.see("bot-of")).to_have_text("Bot of Ada")
        at_account(ada)
        ada.press("remove-bot")
        ada.press("remove-bot-confirm")
        ada.press("confirm-passkey")
        expect(ada.see("own-bot")).to_have_count(0)
