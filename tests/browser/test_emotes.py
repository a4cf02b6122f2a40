"""Emotes in Chromium: sent with two taps, shown briefly next to their sender, and muted."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from server.rooms.messages import EMOTES
from tests.browser.conftest import friend_fixture, player_fixture
from tests.browser.friend import Friend
from tests.browser.player import DESKTOP, MOVING_PHONE, Player
from tests.browser.steps import start_round

host = player_fixture(DESKTOP, "Ada")
guest = player_fixture(MOVING_PHONE, "Grace")
friend = friend_fixture("Grace")


@pytest.fixture
def room(host: Player, guest: Player) -> None:
    guest.page.goto(host.open_room("robert"))
    for player in (host, guest):
        expect(player.see("seat")).to_have_count(2)


def emote(player: Player, name: str) -> None:
    player.press("emotes")
    player.press(f"emote-{name}")


def emote_from(friend: Friend, link: str, name: str) -> None:
    friend.in_room(link, "SendEmote", emote=EMOTES.index(name))


def shown(player: Player, name: str) -> Locator:
    return player.page.locator(f'[data-testid="emote"][data-emote="{name}"]:visible')


WATCH = """() => {
  window.emotes = new Set();
  new MutationObserver(() => {
    for (const {dataset} of document.querySelectorAll('[data-emote]'))
      window.emotes.add(dataset.emote);
  }).observe(document, {subtree: true, childList: true});
}"""
"""Records the emotes that the page shows from now on, even if they disappear before a check."""


def wait_until_seen(player: Player, name: str) -> None:
    player.page.wait_for_function("name => window.emotes.has(name)", arg=name)


def has_seen(player: Player, name: str) -> bool:
    return bool(player.page.evaluate("name => window.emotes.has(name)", name))


FIND = """name => {
  const emote = document.querySelector(`[data-emote="${name}"]`);
  return emote && {
    beside: emote.closest('[data-testid="seat"]').innerText,
    hidden: emote.getAttribute('aria-hidden'),
    moves: getComputedStyle(emote).animationName !== 'none',
    said: [...document.querySelectorAll('[role=status]')].map(({innerText}) => innerText).join(' '),
  };
}"""
"""Returns the content of an emote in one call, as it is shown only briefly."""


@pytest.mark.usefixtures("room")
def test_an_emote_appears_briefly_next_to_its_senders_seat(host: Player, guest: Player) -> None:
    emote(guest, "nice")
    for player, moves, said in ((guest, True, False), (host, False, True)):
        found = player.page.wait_for_function(FIND, arg="nice").json_value()
        assert "Grace" in found["beside"]
        # A screen reader gets words, not the picture.
        assert found["hidden"] == "true"
        assert ("Grace: Nice one" in found["said"]) == said
        # The host prefers reduced motion.
        assert found["moves"] == moves
    for player in (host, guest):
        expect(shown(player, "nice")).to_have_count(0)
    expect(host.page.get_by_role("status").get_by_text("Grace: Nice one")).to_have_count(0)


@pytest.mark.usefixtures("room")
def test_an_emote_appears_on_the_track_while_both_race(host: Player, guest: Player) -> None:
    start_round(host, guest)
    emote(host, "fire")
    for player, progress in ((host, "own-progress"), (guest, "runner-progress")):
        expect(player.see(progress).locator(shown(player, "fire"))).to_be_visible()
    # The race continues meanwhile.
    guest.tap("s")
    guest.wait_for_moves(1)


def mute_in_menu(player: Player, name: str) -> None:
    player.see("seat").filter(has_text=name).get_by_test_id("seat-menu").click()
    player.press("mute")


def test_emotes_of_a_muted_player_are_hidden_until_unmuted(host: Player, friend: Friend) -> None:
    link = host.open_room("robert")
    friend.join(link)
    mute_in_menu(host, "Grace")
    host.page.reload()
    expect(host.see("seat")).to_have_count(2)
    host.page.evaluate(WATCH)
    emote_from(friend, link, "wow")
    # Events arrive in order, so the muted emote would have arrived before this one.
    emote(host, "hello")
    wait_until_seen(host, "hello")
    assert not has_seen(host, "wow")
    mute_in_menu(host, "Grace")
    emote_from(friend, link, "luck")
    wait_until_seen(host, "luck")
    # In a race, the last sender is muted in the emote menu.
    host.press("emotes")
    host.press("mute-sender")
    expect(host.see("mute-sender")).to_contain_text("Unmute Grace")
    host.page.keyboard.press("Escape")
    emote_from(friend, link, "oops")
    emote(host, "nice")
    wait_until_seen(host, "nice")
    assert not has_seen(host, "oops")


def test_all_players_are_muted_together(guest: Player, friend: Friend) -> None:
    link = friend.open_room()
    guest.page.goto(link)
    expect(guest.see("seat")).to_have_count(2)
    guest.page.evaluate(WATCH)
    guest.press("emotes")
    guest.press("mute-all")
    guest.page.keyboard.press("Escape")
    emote_from(friend, link, "oops")
    emote(guest, "luck")
    wait_until_seen(guest, "luck")
    assert not has_seen(guest, "oops")
    guest.go("/settings")
    guest.page.get_by_role("radio", name="Shown").check(force=True)
    guest.page.go_back()
    expect(guest.see("seat")).to_have_count(2)
    emote_from(friend, link, "good_game")
    expect(shown(guest, "good_game")).to_be_visible()


def test_sending_too_many_emotes_shows_a_notice(host: Player, friend: Friend) -> None:
    friend.join(host.open_room("robert"))
    for _ in range(5):
        emote(host, "wow")
    expect(host.see("notice")).to_contain_text("a bit fast")
