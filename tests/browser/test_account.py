"""The account, in Chromium: an identity is kept, used in another browser, and deleted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Site
from tests.browser.player import DESKTOP, PHONE, Player


@pytest.fixture
def ada(browser: Browser, site: Site) -> Iterator[Player]:
    player = Player(browser, site.url, DESKTOP, "Ada")
    yield player
    player.close()


@pytest.fixture
def phone(browser: Browser, site: Site) -> Iterator[Player]:
    """Return another device, with a guest."""
    player = Player(browser, site.url, PHONE)
    yield player
    player.close()


class VirtualDevice:
    """An authenticator of a player's browser, which says yes to everything."""

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
        """Take the passkeys of another device, as a synchronised keychain does."""
        for credential in other.credentials():
            given = {"authenticatorId": self._id, "credential": credential}
            self._session.send("WebAuthn.addCredential", given)


def at_account(player: Player) -> None:
    """Go to the account, and wait until it is shown."""
    player.go("/account")
    expect(player.see("account")).to_have_attribute("data-kept", re.compile("true|false"))


def kept(player: Player, *, expected: bool = True) -> None:
    """Wait until the account says whether the identity is kept."""
    expect(player.see("account")).to_have_attribute("data-kept", str(expected).lower())


def named(player: Player, name: str) -> None:
    """Wait until the account is a player's of this name."""
    expect(player.see("account").get_by_role("heading")).to_have_text(name)


def test_a_passkey_keeps_the_player_and_signs_in_elsewhere(ada: Player, phone: Player) -> None:
    at_account(ada)
    kept(ada, expected=False)
    key = VirtualDevice(ada)
    ada.press("create-passkey")
    kept(ada)
    expect(ada.see("account")).to_contain_text("1 passkey")
    # The device has one already.
    ada.press("create-passkey")
    expect(ada.page.get_by_text("This device has a passkey of yours already.")).to_be_visible()
    at_account(phone)
    VirtualDevice(phone).take(key)
    phone.press("use-passkey")
    named(phone, "Ada")
    kept(phone)
    phone.page.reload()
    named(phone, "Ada")


def test_a_code_on_one_device_signs_another_in(ada: Player, phone: Player) -> None:
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
    # A device code keeps nothing.
    kept(phone, expected=False)


def test_a_recovery_code_is_shown_once_and_signs_in(ada: Player, phone: Player) -> None:
    at_account(ada)
    ada.press("new-code")
    code = ada.see("recovery-code").inner_text()
    ada.press("code-written")
    expect(ada.see("recovery-code")).to_be_hidden()
    kept(ada)
    # A second one takes the place of the first, and asks before.
    ada.press("new-code")
    ada.press("new-code-confirm")
    expect(ada.see("recovery-code")).not_to_have_text(code)
    second = ada.see("recovery-code").inner_text()
    at_account(phone)
    phone.see("code-input").fill(code)
    phone.press("sign-in")
    expect(phone.page.get_by_text("That code is wrong")).to_be_visible()
    phone.see("code-input").fill(second.lower())
    phone.press("sign-in")
    named(phone, "Ada")
    kept(phone)


def test_signing_out_everywhere_else_leaves_this_device(ada: Player, phone: Player) -> None:
    at_account(ada)
    expect(ada.see("sign-out")).to_be_disabled()
    ada.press("new-code")
    code = ada.see("recovery-code").inner_text()
    at_account(phone)
    phone.see("code-input").fill(code)
    phone.press("sign-in")
    named(phone, "Ada")
    ada.press("sign-out")
    ada.press("sign-out-confirm")
    kept(phone, expected=False)
    expect(phone.see("account").get_by_role("heading")).not_to_have_text("Ada")
    named(ada, "Ada")
    ada.page.reload()
    named(ada, "Ada")


def test_what_is_stored_can_be_had_and_deleted(ada: Player) -> None:
    at_account(ada)
    with ada.page.expect_download() as download:
        ada.press("download-data")
    text = download.value.path().read_text()
    assert '"name":"Ada"' in text
    ada.press("delete-account")
    ada.press("delete-confirm")
    expect(ada.see("account").get_by_role("heading")).not_to_have_text("Ada")
    kept(ada, expected=False)


def test_a_guest_is_asked_before_a_daily_and_a_player_who_kept_the_identity_is_not(
    ada: Player,
) -> None:
    ada.go("/daily/robert")
    ada.see("play-daily").wait_for()
    ada.see("keep-identity").get_by_role("link").click()
    kept(ada, expected=False)
    ada.press("new-code")
    kept(ada)
    ada.go("/daily/robert")
    ada.see("play-daily").wait_for()
    expect(ada.see("keep-identity")).to_be_hidden()
