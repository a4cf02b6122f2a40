"""Moderation on the page: a player is reported, and an operator reviews and acts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.checks import misfits, problems
from tests.browser.conftest import Site, player_fixture, running_site
from tests.browser.player import DESKTOP, PHONE, Player
from tests.browser.steps import id_of
from tests.browser.test_account import VirtualDevice, at_account, kept
from tests.browser.test_circles import found
from tests.browser.wordy import LOCALE, show_longest_texts


@pytest.fixture(scope="module")
def operators(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("operators") / "operators"
    file.write_text("")
    return file


@pytest.fixture(scope="module")
def site(operators: Path) -> Iterator[Site]:
    """Run a server that may have operators."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SAMEDEAL_OPERATORS", str(operators))
        with running_site() as site:
            yield site


ada = player_fixture(DESKTOP, "Ada")
bob = player_fixture(PHONE, "Rude Bob")
cyd = player_fixture(PHONE, "Cyd")


def act(player: Player, button: str, reason: str) -> None:
    player.press(button)
    expect(player.see("act-confirm")).to_be_disabled()
    player.see("act-reason").fill(reason)
    player.press("act-confirm")
    expect(player.see("act-reason")).to_be_hidden()


def test_a_reported_name_is_reviewed_and_hidden(
    ada: Player, bob: Player, cyd: Player, operators: Path
) -> None:
    # Bob is reported from his own page, without being notified.
    bob.go("/settings")
    name = f"/player/{id_of(bob)}"
    cyd.go(name)
    cyd.press("report")
    assert problems(cyd) == []
    cyd.press("report-send")
    expect(cyd.page.get_by_text("Thank you.")).to_be_visible()
    # Ada is no operator yet, and the page shows nothing more.
    at_account(ada)
    VirtualDevice(ada)
    ada.press("create-passkey")
    kept(ada)
    ada.go("/admin")
    expect(ada.page.get_by_role("heading", level=1)).to_have_text("This page is for moderators")
    # Then she becomes one, and presents her passkey.
    operators.write_text(f"{id_of(ada)} ada\n")
    ada.page.reload()
    ada.press("operator-passkey")
    expect(ada.see("operating")).to_contain_text("You moderate as ada")
    expect(ada.see("case")).to_contain_text("One player: offensive name")
    expect(ada.see("case").get_by_role("heading")).to_contain_text("Rude Bob")
    assert problems(ada) == []
    ada.press("case-bar")
    assert problems(ada) == []
    ada.page.keyboard.press("Escape")
    act(ada, "case-hide_name", "an insult")
    # This resolves the case, and the journal records both actions under her name.
    expect(ada.page.get_by_text("Nothing to review")).to_be_visible()
    ada.page.get_by_label("Closed").check()
    expect(ada.see("case")).to_contain_text("Resolved by ada")
    ada.page.get_by_role("link", name="Journal").click()
    entries = ada.see("journal-entry")
    expect(entries).to_have_count(2)
    expect(entries.first).to_contain_text("Resolve")
    expect(entries.last).to_contain_text("an insult")
    ada.unfold("repair")
    assert problems(ada) == []
    bob.page.reload()
    named = bob.page.get_by_role("banner")
    expect(named).to_contain_text("Today")
    expect(named).not_to_contain_text("Rude")


def test_an_operator_bars_a_player_and_closes_a_room(
    ada: Player, bob: Player, operators: Path
) -> None:
    at_account(ada)
    VirtualDevice(ada)
    ada.press("create-passkey")
    kept(ada)
    operators.write_text(id_of(ada))
    link = bob.open_room("robert")
    ada.go("/admin/rooms")
    ada.press("operator-passkey")
    ada.see("room-code").fill(link)
    ada.press("room-show")
    expect(ada.see("room-file")).to_contain_text("waiting")
    assert problems(ada) == []
    act(ada, "room-close", "a test")
    expect(ada.see("room-file")).to_contain_text("closed")
    ada.page.get_by_role("link", name="Players").click()
    ada.see("player-search").fill("rude")
    ada.press("player-find")
    ada.see("found-player").filter(has_text="Rude Bob").first.click()
    act(ada, "player-bar", "a test")
    expect(ada.see("barred")).to_contain_text("Barred until")
    assert problems(ada) == []
    # Her half hour ends with the session: the next page asks for the passkey again.
    ada.page.reload()
    ada.see("operator-passkey").wait_for()


def test_an_operator_finds_renames_and_deletes_a_circle(
    ada: Player, bob: Player, operators: Path
) -> None:
    at_account(ada)
    VirtualDevice(ada)
    ada.press("create-passkey")
    kept(ada)
    operators.write_text(id_of(ada))
    found(bob, "Rude club")
    ada.go(f"/admin/player/{id_of(bob)}")
    ada.press("operator-passkey")
    expect(ada.see("player-circle")).to_contain_text("Rude club")
    assert problems(ada) == []
    ada.press("player-rename_circle")
    ada.see("act-reason").fill("an insult")
    ada.see("act-name").fill("\u202e")
    ada.press("act-confirm")
    expect(ada.page.get_by_role("alert")).to_be_visible()
    assert problems(ada) == []
    ada.see("act-name").fill("The club")
    ada.press("act-confirm")
    expect(ada.see("player-circle")).to_contain_text("The club")
    expect(bob.page.get_by_role("heading", level=1)).to_have_text("The club")
    act(ada, "player-delete_circle", "a test")
    expect(ada.see("player-circle")).to_have_count(0)
    expect(bob.page.get_by_text("This circle has been deleted.")).to_be_visible()
    ada.page.get_by_role("link", name="Journal").click()
    entries = ada.see("journal-entry")
    expect(entries.first).to_contain_text("Delete the circle")
    expect(entries.nth(1)).to_contain_text("The club")


def test_the_pages_fit_a_phone_in_every_language(
    site: Site, browser: Browser, bob: Player, operators: Path
) -> None:
    bob.go("/settings")
    found(bob, "Rude club")
    device = {**PHONE, "locale": LOCALE}
    eve = Player(browser, site.url, device, "Eve", show_longest_texts)
    eve.go(f"/player/{id_of(bob)}")
    eve.press("report")
    assert misfits(eve) == []
    eve.press("report-send")
    expect(eve.see("report-send")).to_be_hidden()
    at_account(eve)
    VirtualDevice(eve)
    eve.press("create-passkey")
    kept(eve)
    eve.go("/admin")
    eve.page.get_by_role("heading", level=1).wait_for()
    assert misfits(eve) == []
    operators.write_text(f"{id_of(eve)}\n")
    eve.page.reload()
    eve.see("operator-passkey").wait_for()
    assert misfits(eve) == []
    eve.press("operator-passkey")
    eve.see("case").first.wait_for()
    assert misfits(eve) == []
    for act in ("hide_name", "bar", "dismiss", "resolve"):
        eve.see(f"case-{act}").first.click()
        assert misfits(eve) == []
        eve.page.keyboard.press("Escape")
    eve.see("case").first.get_by_role("link").first.click()
    for act in ("hide_name", "delete", "rename_circle", "delete_circle"):
        eve.press(f"player-{act}")
        assert misfits(eve) == []
        eve.page.keyboard.press("Escape")
    eve.close()


def test_a_server_without_operators_has_no_moderation_page(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SAMEDEAL_OPERATORS", raising=False)
    with running_site() as none:
        player = Player(browser, none.url, PHONE, "Ada")
        player.go("/nothing")
        heading = player.page.get_by_role("heading", level=1)
        missing = heading.inner_text()
        for path in ("/admin", "/admin/acts"):
            player.go(path)
            expect(heading).to_have_text(missing)
        player.close()
