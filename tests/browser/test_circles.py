"""Circles in Chromium: one is founded, joined, played in, left and deleted."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import player_fixture
from tests.browser.player import DESKTOP, PHONE, Player
from tests.browser.steps import names_in, play_challenge_without_page, play_daily_without_page

ada = player_fixture(PHONE, "Ada")
grace = player_fixture(DESKTOP, "Grace")
barbara = player_fixture(PHONE, "Barbara")


def found(player: Player, name: str) -> str:
    player.go("/circles")
    player.see("circle-name").fill(name)
    player.press("found-circle")
    player.see("alone").wait_for()
    return player.see("circle-invitation").input_value()


def join(player: Player, link: str) -> None:
    player.page.goto(link)
    player.press("join-circle")
    player.see("circle").wait_for()


def compare(player: Player, others: dict[str, str]) -> None:
    """Compare the member in the second row with each of these others."""
    player.see("look-at").nth(1).click()
    for name, shown in others.items():
        player.see("against").select_option(label=name)
        expect(player.see("member")).to_contain_text(shown)
    player.press("member-close")


def react(player: Player) -> None:
    dailies = player.page.locator('[data-testid="feed-item"][data-about="dailies"]')
    expect(dailies).to_have_count(2)
    dailies.first.get_by_test_id("react").click()
    player.press("emote-fire")
    expect(dailies.first.get_by_test_id("sent-fire")).to_have_text("1")


def test_three_play_in_a_circle(ada: Player, grace: Player, barbara: Player) -> None:
    link = found(ada, "Thursday club")
    circle = ada.page.url
    for each in (grace, barbara):
        join(each, link)
        # A guest is asked to keep the identity, and with it the seat in the circle.
        expect(each.see("keep-place")).to_be_visible()
        assert each.page.url == circle
    # Members see others join live.
    expect(ada.see("circle-row")).to_have_count(3)
    expect(ada.see("alone")).to_have_count(0)

    play_daily_without_page(grace, 5, circle)
    play_daily_without_page(barbara, 3, circle)
    for each in (grace, barbara, ada):
        each.page.goto(circle)
    expect(ada.see("circle-points").first).not_to_have_text("0")
    assert names_in(ada) == ["Grace", "Barbara", "Ada"]
    states = ada.see("box-robert").evaluate_all("all => all.map(({dataset}) => dataset.state)")
    assert states == ["played", "played", "none"]
    expect(grace.see("rank")).to_contain_text("1st")

    compare(grace, {"You": "1 : 0", "Ada": "the same deal yet"})
    react(ada)

    # Only the owner can rename the circle or set its seasons.
    expect(grace.see("circle-rename")).to_have_count(0)
    ada.unfold("circle-settings")
    ada.see("circle-rename").fill("Friday club")
    ada.press("circle-rename-save")
    expect(grace.see("circle-title")).to_have_text("Friday club")
    ada.see("season-weeks").select_option("4")
    grace.see("span-season").check(force=True)
    expect(grace.see("circle-table")).to_have_attribute("data-span", "season")
    assert names_in(grace) == ["Grace", "Barbara", "Ada"]
    ada.unfold("league-settings")
    robert = ada.see("league-game").locator("label", has_text="Robert")
    expect(robert).to_have_text("Robert about 2 min")
    ada.press("league-save")
    expect(grace.see("league")).to_be_visible()

    # The start page lists it from now on.
    grace.go("/")
    grace.see("home-circles").get_by_test_id("circle-link").click()
    grace.see("circle").wait_for()

    # Former members cannot see the circle.
    grace.unfold("circle-settings")
    grace.press("leave-circle")
    grace.press("leave-circle-confirm")
    grace.see("circle-name").wait_for()
    expect(grace.see("circle-link")).to_have_count(0)
    grace.page.goto(circle)
    expect(grace.see("no-circle")).to_be_visible()
    expect(ada.see("circle-row")).to_have_count(2)

    ada.press("delete-circle")
    ada.press("delete-circle-confirm")
    ada.see("circle-name").wait_for()
    expect(barbara.see("no-circle")).to_contain_text("deleted")
    barbara.page.goto(link)
    expect(barbara.see("no-circle")).to_be_visible()


def test_the_members_play_a_challenge_of_the_circle(
    ada: Player, grace: Player, barbara: Player
) -> None:
    link = found(ada, "Challengers")
    circle = ada.page.url
    join(grace, link)
    ada.press("challenge-circle")
    ada.unfold("challenge-options")
    ada.choose_game("robert")
    ada.press("make-challenge")
    ada.see("play-challenge").wait_for()
    challenge = ada.page.url
    grace.see("circle-challenge").click()
    grace.see("play-challenge").wait_for()
    play_challenge_without_page(grace, challenge, 4)
    expect(grace.see("row-home")).to_have_text(["4"])
    # A non-member learns nothing about it.
    barbara.page.goto(challenge)
    expect(barbara.page.get_by_role("heading", level=1)).to_have_text("No such challenge")
    grace.page.goto(circle)
    expect(grace.see("circle-challenge")).to_contain_text("Ada")


def test_an_owner_hands_the_circle_over_and_removes_a_member(
    ada: Player, grace: Player, barbara: Player
) -> None:
    link = found(ada, "Weekenders")
    for each in (grace, barbara):
        join(each, link)
    expect(ada.see("circle-row")).to_have_count(3)
    ada.see("look-at").filter(has_text="Grace").click()
    ada.press("hand-over")
    ada.press("member-confirm")
    expect(ada.see("delete-circle")).to_have_count(0)
    grace.see("look-at").filter(has_text="Barbara").click()
    grace.press("remove-member")
    grace.press("member-confirm")
    expect(barbara.see("no-circle")).to_be_visible()
    # The known link no longer admits a removed member.
    barbara.page.goto(link)
    expect(barbara.see("no-circle")).to_be_visible()
    grace.press("invite")
    renewed = grace.see("circle-invitation").input_value()
    assert renewed != link
    join(barbara, renewed)
