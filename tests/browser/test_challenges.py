"""Challenges: guests play one deal by link whenever they have time."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.checks import problems
from tests.browser.conftest import player_fixture
from tests.browser.player import DESKTOP, PHONE, Player
from tests.browser.steps import play_challenge_without_page, start_alone

ada = player_fixture(PHONE, "Ada")
guest = player_fixture(PHONE, "Barbara")
other = player_fixture(DESKTOP, "Grace")


def play(player: Player, home: int) -> None:
    player.press("play-challenge")
    player.wait_for_board()
    player.play_robert(home)
    player.give_up()
    player.see("told").wait_for()


def homes(player: Player) -> list[str]:
    return player.see("row-home").all_inner_texts()


def id_of(player: Player) -> str:
    return player.own_page().rpartition("/")[2]


def test_friends_play_the_same_cards_whenever_they_have_time(
    ada: Player, guest: Player, other: Player
) -> None:
    ada.go("/c")
    ada.unfold("challenge-options")
    ada.choose_game("robert")
    expect(ada.see("show-target")).not_to_be_checked()
    ada.see("show-target").check()
    ada.press("make-challenge")
    link = ada.see("challenge-link").input_value()
    assert re.search("/c/[0-9a-z]{16}$", link)
    play(ada, 5)
    assert homes(ada) == ["5"]

    # The result to beat is shown; the table is shown only after playing.
    guest.page.goto(link)
    expect(guest.page.get_by_role("heading", level=1)).to_have_text("Ada challenges you")
    expect(guest.see("to-beat")).to_contain_text("5 home")
    expect(guest.see("others")).to_contain_text("Has played")
    # No one else has played, so that nothing is still to be shown.
    expect(guest.page.get_by_text("how they did")).to_have_count(0)
    expect(guest.see("row-home")).to_have_count(0)
    guest.press("play-challenge")
    guest.wait_for_board()
    # A reload, and another screen, lead back to the table.
    guest.page.reload()
    guest.wait_for_board()
    guest.go("/settings")
    guest.press("return-to-game")
    guest.wait_for_board()
    guest.play_robert(7)
    guest.give_up()
    expect(guest.see("rank")).to_contain_text("1")
    expect(guest.see("told")).to_contain_text("2 cards ahead of Ada")
    assert homes(guest) == ["7", "5"]

    play_challenge_without_page(other, link, 3)
    other.page.goto(link)
    expect(other.see("rank")).to_contain_text("3")
    expect(other.see("round-chart").get_by_role("img")).to_have_attribute("data-runs", "3")

    # The table and the emotes are updated live.
    expect(ada.see("row-home")).to_have_text(["7", "5", "3"])
    expect(ada.see("counts")).to_contain_text("2 have started")
    guest.see("react").first.click()
    guest.press("emote-fire")
    expect(ada.see("sent-fire")).to_have_text("1")
    guest.press("sent-fire")
    expect(ada.see("sent-fire")).to_have_count(0)

    # All players see the replays, and there is one rematch for all.
    assert ada.see("watch-run").count() == 3
    guest.press("rematch")
    guest.see("play-challenge").wait_for()
    expect(ada.see("to-rematch")).to_have_attribute(
        "href", re.compile(guest.page.url.rpartition("/")[2])
    )
    ada.go("/")
    expect(ada.see("challenges")).to_contain_text("You\u2019re 2nd of 3")
    expect(ada.see("news").first).to_be_visible()
    ada.see("challenge-row").last.click()
    ada.see("challenge").wait_for()
    ada.press("hide-challenge")
    expect(ada.see("challenge-row")).to_have_count(1)


def test_a_raced_deal_can_be_used_for_a_challenge(ada: Player, guest: Player) -> None:
    start_alone(ada)
    ada.play_robert(4)
    ada.give_up()
    ada.press("challenge-with-deal")
    expect(ada.see("row-home")).to_have_text(["4"])
    expect(ada.see("play-challenge")).to_have_count(0)
    play_challenge_without_page(guest, ada.see("challenge-link").input_value(), 5)
    expect(ada.see("row-home")).to_have_text(["5", "4"])
    expect(ada.see("told")).to_contain_text("won by 1 card")


def test_a_named_opponent_plays_alone_and_the_proof_appears_for_all(
    ada: Player, guest: Player, other: Player
) -> None:
    named = id_of(guest)
    ada.go(f"/player/{named}")
    ada.press("challenge-player")
    ada.unfold("challenge-options")
    ada.choose_game("robert")
    ada.press("make-challenge")
    ada.see("play-challenge").wait_for()
    link = ada.page.url
    play_challenge_without_page(ada, link, 3)

    other.page.goto(link)
    other.see("challenge").wait_for()
    expect(other.see("play-challenge")).to_have_count(0)
    expect(other.page.get_by_text("This challenge is for others")).to_be_visible()

    guest.go("/")
    expect(guest.see("challenges")).to_contain_text("Ada challenges you")
    guest.press("challenge-row")
    guest.see("play-challenge").wait_for()
    play_challenge_without_page(guest, link, 2)
    expect(guest.see("until")).to_contain_text("everyone has played")
    for player in (guest, other):
        expect(player.see("row-home")).to_have_text(["3", "2"])
        player.unfold("deal")
        player.press("check-deal")
        expect(player.see("check-result")).to_contain_text("\u2713")
    assert problems(other) == []


def test_opponents_are_chosen_from_a_circle_and_by_their_pages(
    ada: Player, guest: Player, other: Player
) -> None:
    stranger = other.own_page()
    ada.go("/circles")
    ada.see("circle-name").fill("Thursday club")
    ada.press("found-circle")
    guest.page.goto(ada.see("circle-invitation").input_value())
    guest.press("join-circle")
    guest.see("circle").wait_for()

    ada.go("/c")
    ada.unfold("challenge-options")
    ada.choose_game("robert")
    ada.see("who-select").select_option("chosen")
    # With no opponent chosen and no open link, the challenge cannot be created.
    expect(ada.see("make-challenge")).to_be_disabled()
    ada.see("from-circle").select_option(label="Thursday club")
    offered = ada.see("chosen").get_by_role("checkbox")
    expect(offered).to_have_count(1)
    offered.check()
    ada.see("player-link").fill("https://elsewhere.example/nobody")
    ada.press("add-player")
    expect(ada.page.get_by_role("alert")).to_contain_text("doesn\u2019t lead to a player")
    ada.see("player-link").fill(stranger)
    ada.press("add-player")
    expect(offered).to_have_count(2)
    expect(offered.last).to_be_checked()
    ada.press("make-challenge")
    expect(ada.see("others")).to_contain_text("Not yet")

    for player in (guest, other):
        player.go("/")
        expect(player.see("challenges")).to_contain_text("Ada challenges you")


def test_challenges_of_blocked_players_are_hidden(ada: Player, guest: Player) -> None:
    named = id_of(guest)

    def challenge() -> None:
        ada.go(f"/player/{named}")
        ada.press("challenge-player")
        ada.press("make-challenge")
        ada.see("play-challenge").wait_for()

    challenge()
    guest.go("/")
    guest.see("challenge-row").click()
    guest.see("play-challenge").wait_for()
    guest.press("block")
    expect(guest.see("block")).to_contain_text("Unblock")
    guest.press("hide-challenge")

    challenge()
    guest.go("/settings")
    expect(guest.see("blocked-players")).to_contain_text("Ada")
    assert problems(guest) == []
    guest.press("block")
    expect(guest.see("blocked-players")).to_have_count(0)

    # Of the two later challenges, only the one made after unblocking is listed.
    challenge()
    guest.go("/")
    expect(guest.see("challenge-row")).to_have_count(1)


def test_a_wrong_link_shows_an_error(guest: Player) -> None:
    guest.go("/c/zzzzzzzzzzzzzzzz")
    expect(guest.page.get_by_role("heading", level=1)).to_have_text("No such challenge")
