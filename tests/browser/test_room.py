"""The room screen in Chromium, on a phone with touch and on a desktop."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from engine.catalog import games
from tests.browser.conftest import Site, friend_fixture, player_fixture
from tests.browser.friend import Friend
from tests.browser.player import DESKTOP, PHONE, Player
from tests.browser.screens import STATIC_SCREENS
from tests.browser.steps import start_daily, start_round

host = player_fixture(PHONE, "Ada")
guest = player_fixture(DESKTOP, "Grace")
friend = friend_fixture("Grace")
player = player_fixture(PHONE)


def test_a_player_alone_cannot_come_last(player: Player) -> None:
    player.go("/new")
    player.press("play-alone")
    player.wait_for_board()
    player.press("give-up")
    expect(player.page.get_by_role("dialog")).not_to_contain_text("last")


def test_a_game_is_chosen_by_keyboard_with_suitable_limits(player: Player) -> None:
    player.go("/new")
    expect(player.page.get_by_role("group", name="Game").get_by_role("radio")).to_have_count(
        len(games())
    )
    player.see("game-lady-betty").focus()
    player.page.keyboard.press("ArrowRight")
    expect(player.page.get_by_role("radio", name="Robert")).to_be_checked()
    limits = player.see("limit-select")
    expect(limits.locator("option")).to_have_text([f"{count} minutes" for count in (3, 5, 10, 15)])
    expect(limits).to_have_value("5")


def test_every_screen_leads_back_to_a_running_race(player: Player) -> None:
    player.go("/new")
    player.choose_game("robert")
    player.press("play-alone")
    player.wait_for_board()
    expect(player.see("return-to-game")).to_have_count(0)
    player.tap("s")
    player.wait_for_moves(1)
    player.page.get_by_role("link", name="Back to the start").click()
    others = ("/practice/deuces", "/deal/nothing", "/run/nothing")
    for path in (*STATIC_SCREENS.values(), *others):
        player.go(path)
        expect(player.see("return-to-game"), path).to_contain_text("Robert")
    player.press("return-to-game")
    player.wait_for_board()
    assert player.moves() == 1
    player.give_up()
    expect(player.see("results")).to_be_visible()
    player.go("/")
    expect(player.see("race")).to_be_visible()
    expect(player.see("return-to-game")).to_have_count(0)


def test_every_screen_leads_back_to_a_running_daily(player: Player) -> None:
    start_daily(player)
    player.press("give-up")
    expect(player.page.get_by_role("dialog")).to_contain_text("count as last")
    player.page.keyboard.press("Escape")
    player.tap("s")
    player.wait_for_moves(1)
    player.page.get_by_role("link", name="Back to the start").click()
    player.press("return-to-game")
    player.wait_for_board()
    player.wait_for_moves(1)
    player.give_up()
    expect(player.see("results")).to_be_visible()
    player.go("/settings")
    expect(player.see("name-input")).to_be_visible()
    expect(player.see("return-to-game")).to_have_count(0)


def test_a_guest_joins_by_the_code_that_the_host_reads_out(host: Player, guest: Player) -> None:
    link = host.open_room("robert")
    code = host.see("room-code").inner_text()
    assert code == f"{link[-8:-4]}-{link[-4:]}"
    # A screen reader spells it.
    spoken = host.page.locator("p", has=host.see("room-code")).aria_snapshot()
    assert f"{' '.join(link[-8:-4])}, {' '.join(link[-4:])}" in spoken
    assert code not in spoken
    guest.go("/new")
    guest.see("join-code").fill(code.lower().replace("-", " "))
    guest.press("join-room")
    expect(host.see("seat")).to_have_count(2)
    assert guest.page.url == link


SHARED = "Navigator.prototype.share = async ({ url }) => { window.shared = url; };"
"""Replaces the browser's share dialog and records the address."""


@pytest.mark.parametrize("shares", [True, False])
def test_a_host_alone_is_offered_the_link_first(browser: Browser, site: Site, shares: bool) -> None:
    phone = {**PHONE, "viewport": {"width": 360, "height": 740}}
    host = Player(browser, site.url, phone, "Ada")
    if shares:
        host.context.add_init_script(SHARED)
    link = host.open_room("robert")
    sends = host.see("share" if shares else "copy-link")
    primary = host.page.locator(".button.primary").filter(visible=True)
    expect(primary).to_have_count(1)
    expect(primary.and_(sends)).to_be_visible()
    # The QR code's link is enough to join.
    code = host.see("qr-code").bounding_box()
    assert code is not None
    assert code["y"] + code["height"] <= 740
    if shares:
        sends.click()
        assert host.page.evaluate("window.shared") == link
    host.close()


def test_a_host_alone_practises_until_a_friend_joins(host: Player, friend: Friend) -> None:
    link = host.open_room("robert")
    host.press("rename")
    host.see("name-input").fill("Augusta")
    host.press("name-save")
    expect(host.see("seat")).to_contain_text("Augusta")
    expect(host.see("name-input")).to_have_count(0)
    title = host.page.title()
    host.press("practise")
    host.wait_for_board()
    host.press("to-room")
    expect(host.see("invite-link")).to_be_visible()
    host.press("practise")
    host.wait_for_board()
    host.tap("s")
    host.wait_for_moves(1)
    friend.join(link)
    expect(host.see("notice")).to_contain_text("Grace is here")
    expect(host.see("seat")).to_have_count(2)
    expect(host.see("board")).to_have_count(0)
    assert host.page.title() == title
    # A player whose friend has left is not led back to it.
    friend.in_room(link, "room.leave")
    expect(host.see("seat")).to_have_count(1)
    expect(host.see("board")).to_have_count(0)


def gather(host: Player, guest: Player | Friend) -> None:
    link = host.open_room("robert", seats=3)
    if isinstance(guest, Friend):
        guest.join(link)
    else:
        guest.page.goto(link)
    expect(host.see("start-round")).to_contain_text("2")


def race(*players: Player) -> None:
    """Wait for the tables of a started round, and resign at all of them."""
    for player in players:
        player.wait_for_board()
        player.give_up()
    for player in players:
        expect(player.see("results")).to_be_visible()


def test_a_host_confirms_a_start_without_all_members(host: Player, friend: Friend) -> None:
    gather(host, friend)
    friend.close()
    expect(host.page.get_by_text("Away", exact=True)).to_be_visible()
    host.press("start-round")
    expect(host.page.get_by_role("dialog")).to_contain_text("Start without Grace?")
    host.press("wait")
    expect(host.page.get_by_role("dialog")).to_have_count(0)
    expect(host.see("countdown")).to_have_count(0)
    host.press("start-round")
    host.press("start-anyway")
    host.wait_for_board()


def test_a_guest_sees_that_the_host_is_away(player: Player, friend: Friend) -> None:
    player.page.goto(friend.open_room())
    expect(player.page.get_by_text("Grace starts the round")).to_be_visible()
    expect(player.see("start-round")).to_have_count(0)
    friend.close()
    expect(player.page.get_by_text("Grace is away")).to_be_visible()


def test_a_player_sits_a_round_out_and_is_in_the_next(host: Player, guest: Player) -> None:
    gather(host, guest)
    guest.press("sit-out")
    expect(host.see("seat").last).to_contain_text("Sitting out")
    host.press("start-round")
    expect(guest.page.get_by_text("in the middle of a round")).to_be_visible()
    race(host)
    expect(host.see("start-round")).to_have_text("Play again")
    expect(guest.see("sit-out")).to_be_visible()
    expect(guest.see("start-round").or_(guest.see("start-now"))).to_have_count(0)
    guest.press("sit-out")
    expect(guest.see("asked")).to_have_text("Waiting for Ada.")
    expect(host.see("start-round")).to_have_text("Rematch")
    start_round(host, guest)


def test_a_rematch_starts_when_the_last_member_agrees(host: Player, guest: Player) -> None:
    gather(host, guest)
    host.press("start-round")
    race(host, guest)
    for player in (host, guest):
        expect(player.see("be-in")).to_contain_text("in")
        expect(player.see("start-round")).to_have_count(0)
        expect(player.page.get_by_text("Not in yet")).to_have_count(2)
    guest.press("be-in")
    expect(guest.see("asked")).to_have_text("Waiting for Ada.")
    expect(host.see("seat").last).to_contain_text("In")
    expect(host.see("start-round")).to_have_text("Rematch")
    host.press("start-round")
    race(host, guest)
    # The other player has not agreed, so the round starts without them.
    guest.press("be-in")
    guest.press("start-now")
    expect(guest.page.get_by_role("dialog")).to_contain_text("Start without Ada?")
    guest.press("start-anyway")
    guest.wait_for_board()
    expect(host.page.get_by_text("in the middle of a round")).to_be_visible()
    # Members cannot be removed during a round.
    host.press("seat-menu")
    expect(host.see("mute")).to_be_visible()
    expect(host.see("remove")).to_have_count(0)


def test_a_round_without_players_cannot_start(host: Player, friend: Friend) -> None:
    gather(host, friend)
    host.press("sit-out")
    friend.in_room(host.page.url, "room.ready", ready=False)
    expect(host.page.get_by_text("Sitting out")).to_have_count(2)
    host.press("start-round")
    expect(host.see("notice")).to_contain_text("Someone has to play")


def test_a_guest_proposes_a_game_that_the_host_accepts(host: Player, guest: Player) -> None:
    gather(host, guest)
    guest.press("change-terms")
    guest.choose_game("deuces")
    guest.see("limit-select").select_option("10 minutes")
    guest.press("send-terms")
    terms = "Deuces, winnable deals, 10 minutes."
    expect(guest.see("proposals")).to_contain_text(f"You suggest {terms}")
    expect(host.see("proposals")).to_contain_text(f"Grace suggests {terms}")
    expect(guest.see("accept-terms")).to_have_count(0)
    host.press("accept-terms")
    expect(guest.see("notice")).to_contain_text(f"Next: {terms}")
    for player in (host, guest):
        expect(player.page.get_by_role("heading", level=1)).to_have_text("Deuces")
        expect(player.see("next-terms")).to_contain_text("10 minutes")
        expect(player.see("proposals")).to_have_text("")
    host.press("start-round")
    race(host, guest)
    host.unfold("terms")
    host.press("change-terms")
    host.choose_game("robert")
    host.press("send-terms")
    for player in (host, guest):
        expect(player.see("next-terms")).to_have_text("Robert, 5 minutes")


def test_a_host_hands_over_and_is_removed(host: Player, guest: Player) -> None:
    gather(host, guest)
    host.press("seat-menu")
    host.press("make-host")
    host.press("seat-menu")
    expect(host.see("mute")).to_be_visible()
    for choice in ("make-host", "remove"):
        expect(host.see(choice)).to_have_count(0)
    host.page.keyboard.press("Escape")
    guest.press("seat-menu")
    guest.press("remove")
    expect(guest.page.get_by_role("dialog")).to_contain_text("Remove Ada?")
    guest.press("remove-confirm")
    expect(guest.see("seat")).to_have_count(1)
    for _ in range(2):
        expect(host.page.get_by_role("heading", level=1)).to_contain_text("removed you")
        host.page.reload()
    host.page.get_by_role("link", name="New race").click()
    expect(host.see("create-room")).to_be_visible()


def test_a_locked_room_says_so_until_it_is_unlocked(
    host: Player, guest: Player, friend: Friend
) -> None:
    gather(host, friend)
    host.press("lock")
    expect(host.see("locked")).to_be_visible()
    guest.page.goto(host.page.url)
    expect(guest.page.get_by_role("heading", level=1)).to_have_text("This room is locked.")
    host.press("unlock")
    expect(host.see("locked")).to_have_count(0)
    guest.press("try-again")
    expect(guest.see("seat")).to_have_count(3)


def test_a_round_without_a_card_home_has_no_winner_and_points_add_up(
    host: Player, guest: Player
) -> None:
    gather(host, guest)
    host.press("start-round")
    race(host, guest)
    for player in (host, guest):
        expect(player.see("no-winner")).to_be_visible()
        expect(player.see("rank")).to_have_count(0)
        expect(player.see("series")).to_have_count(0)
    host.press("be-in")
    guest.press("start-round")
    host.wait_for_board()
    host.bring_home(2)
    host.give_up()
    race(guest)
    expect(host.see("won")).to_be_visible()
    expect(guest.see("rank")).to_contain_text("2nd")
    for player in (host, guest):
        expect(player.see("series").locator("summary")).to_contain_text("Ada 1 · Grace 0")
        player.unfold("series")
        rows = player.see("series").get_by_role("row")
        # The round without a winner has no second place.
        expect(rows.nth(1)).to_have_text(re.compile(r"Ada\s*1\s*1\s*1st\s*0\s*\u2013"))
        expect(rows.nth(2)).to_have_text(re.compile(r"Grace\s*0\s*0\s*2nd\s*0\s*\u2013"))
    guest.press("leave-room")
    row = host.see("series").get_by_role("row").nth(2)
    expect(row).to_have_text(re.compile(r"Grace\s*has left\s*0\s*0\s*2nd\s*0\s*\u2013"))
