"""Screenshots of every screen of the page, at common sizes.

`python -m tests.browser.screens FOLDER` writes them to a folder; with `--keep`, it also replaces
the references that tests compare with.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from tests.browser import pictures
from tests.browser.conftest import launched, running_site
from tests.browser.friend import Friend
from tests.browser.player import FROM_RIGHT, Player
from tests.browser.steps import (
    play_challenge_without_page,
    play_daily_without_page,
    start_daily,
    start_round,
)
from tests.machine import machine
from tests.processes import ROOT

SIZES = {
    "360x740": (360, 740),
    "390x844": (390, 844),
    "768x1024": (768, 1024),
    "844x390": (844, 390),
    "1440x900": (1440, 900),
    "2560x1440": (2560, 1440),
}
"""CSS pixels; devices narrower than a laptop have a touch screen."""

LAPTOP = 1024

SEED = "5a" * 32
"""The seed of practice games."""

DEALS = 12
"""Deals from the stock that make a board look like mid-game."""

WON = ROOT / "tests/browser/won.json"
"""A seed of Lady Betty, and moves that win it."""

GAMES = ["roosevelt", "robert", "rouge-et-noir", "deuces", "lady-betty"]

KINDS = [*GAMES, "freecell", "canfield"]
"""Games of all kinds, including one without a stock and one with a reserve."""

STATIC_SCREENS = {
    "home": "/",
    "new": "/new",
    "settings": "/settings",
    "alone": "/practice",
    "statistics": "/statistics",
    "account": "/account",
    "dailies": "/daily",
    "daily": "/daily/deuces",
    "leaderboard": "/leaderboard/robert",
    "leaderboard-week": "/leaderboard/all?by=week&group=ranked",
    "leaderboard-rating": "/leaderboard/robert?by=rating",
    **{f"rules-{game}": f"/rules/{game}" for game in GAMES},
    "own-games": "/own",
    "own-form": "/own/klondike",
    "own-link": "/own/freecell?rules=cells.piles=6&name=Six+cells",
    "no-day": "/archive/2020-02-02",
    "no-player": "/player/nobody",
    "missing": "/nowhere",
    "no-room": "/r/ZZZZZZZZ",
    "new-challenge": "/c",
    "no-challenge": "/c/zzzzzzzzzzzzzzzz",
}
"""Screens that depend on their path alone, by name."""

SAME = ("home", "new", "rules-deuces", "missing")
"""Screens that look the same every day. Browsers without a user interface draw them differently."""

REFERENCES = ROOT / "tests/browser/references"
"""Scaled-down screenshots that were approved."""

COMPARED = {
    "390x844": {
        "same": [*SAME],
        "practice": [
            *(f"practice-{game}" for game in GAMES),
            *("play-roosevelt", "play-rouge-et-noir"),
        ],
    },
    "1440x900": {
        "same": ["home"],
        "practice": ["practice-roosevelt", "practice-robert", "practice-deuces"],
    },
}
"""By size and part, the screens that look the same every day and for every player."""

STYLE = ":root { --text: Fraunces } .titled > .number, .standing { visibility: hidden }"
"""Makes screenshots comparable.

All text uses the page's font, as system fonts differ between machines. The countdown to the next
deals and the progress in games are hidden, as they vary.
"""


def comparable_screenshot(player: Player) -> bytes:
    """Return a screenshot as a PNG, without parts that change daily."""
    page = player.page
    page.evaluate(
        """(style) => {
             window.comparable = new CSSStyleSheet();
             window.comparable.replaceSync(style);
             document.adoptedStyleSheets.push(window.comparable);
           }""",
        STYLE,
    )
    screenshot = page.screenshot()
    page.evaluate(
        "document.adoptedStyleSheets = document.adoptedStyleSheets.filter((s) => s !== comparable)"
    )
    return screenshot


def device(size: str, scheme: str = "light") -> dict[str, Any]:
    width, height = SIZES[size]
    touch = min(width, LAPTOP) < LAPTOP
    return {
        "viewport": {"width": width, "height": height},
        "color_scheme": scheme,
        "reduced_motion": "reduce",
        **({"has_touch": True, "is_mobile": True} if touch else {}),
    }


Screens: TypeAlias = Iterator[tuple[str, Player]]
"""Pairs of a screen's name and a player whose page shows it until the next pair is requested."""


class Cast:
    """The players who visit screens, created on first use.

    Args:
        settings: the settings of the contexts, as from `device`.
        prepare: as in `Player`.
    """

    def __init__(
        self,
        browser: Browser,
        url: str,
        settings: dict[str, Any],
        prepare: Callable[[BrowserContext], None] | None = None,
    ) -> None:
        self._browser = browser
        self._url = url
        self._settings = settings
        self._prepare = prepare
        self._players: dict[str, Player] = {}
        self._friends = ExitStack()

    def __call__(self, *names: str, **settings: str) -> list[Player]:
        """Return the players with these names."""
        for name in names:
            if name not in self._players:
                context = {**self._settings, **settings}
                self._players[name] = Player(self._browser, self._url, context, name, self._prepare)
        return [self._players[name] for name in names]

    def friend(self, name: str) -> Friend:
        """Return a new player without a browser."""
        return self._friends.enter_context(Friend(self._url, name))

    def leave(self) -> None:
        """Close all pages and fail if one had uncaught errors."""
        for player in self._players.values():
            player.close()
        self._players.clear()
        self._friends.close()


def _same(cast: Cast) -> Screens:
    yield from _static(cast, SAME)


def _paths(cast: Cast) -> Screens:
    yield from _static(cast, [name for name in STATIC_SCREENS if name not in SAME])


def _static(cast: Cast, names: Iterable[str]) -> Screens:
    (player,) = cast("Ada")
    for name in names:
        _open(player, STATIC_SCREENS[name])
        yield name, player


def _open(player: Player, path: str) -> None:
    player.go(path)
    player.page.get_by_role("heading", level=1).first.wait_for()
    player.page.wait_for_load_state("networkidle")


def store_practice(player: Player, game: str, game_state: dict[str, Any]) -> None:
    player.page.evaluate(
        "([key, value]) => localStorage.setItem(key, value)",
        [f"samedeal.practice.{game}", json.dumps(game_state)],
    )


def _practice(cast: Cast) -> Screens:
    (player,) = cast("Ada")
    player.go("/new")
    for game in GAMES:
        store_practice(player, game, {"seed": SEED, "moves": []})
        player.go(f"/practice/{game}")
        player.wait_for_board()
        player.wait_for_faces()
        # The page may have to compute the deal's target first.
        expect(player.see("home-count")).to_contain_text("/")
        yield f"practice-{game}", player
        for _ in range(DEALS):
            player.page.keyboard.press("d")
        player.wait_for_faces()
        yield f"play-{game}", player


def _waiting_for_a_friend(player: Player) -> Screens:
    yield "room-alone", player
    player.press("practise")
    player.wait_for_board()
    yield "meanwhile", player
    player.press("to-room")


def _race(cast: Cast) -> Screens:
    player, friend = cast("Ada", FROM_RIGHT)
    link = player.open_room("roosevelt", seats=4)
    yield from _waiting_for_a_friend(player)
    friend.page.goto(link)
    expect(player.see("start-round")).to_contain_text("2")
    yield "room", player
    yield "room-guest", friend
    player.press("start-round")
    player.see("countdown").wait_for()
    yield "countdown", player
    for each in (player, friend):
        each.wait_for_board()
        for nth in range(DEALS):
            each.page.keyboard.press("d")
            if nth % 3 == 0:
                each.tap("w")
        each.wait_for_cards()
    yield "race", player
    player.page.locator(".leave").click()
    player.see("return-to-game").wait_for()
    yield "home-running", player
    player.press("return-to-game")
    player.wait_for_board()
    second = player.context.new_page()
    second.goto(player.page.url)
    second.get_by_test_id("take-over").click()
    player.page.bring_to_front()
    player.see("take-over").wait_for()
    yield "elsewhere", player
    player.press("take-over")
    second.get_by_test_id("take-over").wait_for()
    second.close()
    player.press("give-up")
    yield "give-up", player
    player.press("give-up-confirm")
    player.see("runner-progress").first.wait_for()
    yield "round-goes-on", player
    friend.give_up()
    player.see("results").wait_for()
    yield "result", player
    for fold in ("terms", "invite", "deal"):
        player.unfold(fold)
    player.press("check-deal")
    player.see("check-result").wait_for()
    yield "deal-checked", player
    run = player.see("watch-run").first.get_attribute("href")
    player.press("leave-room")
    player.see("race").wait_for()
    yield from _ghost(player, run or "")


def _ghost(player: Player, run: str) -> Screens:
    player.go(run)
    player.see("replay").wait_for()
    player.wait_for_faces()
    yield "replay", player
    player.press("race-run")
    player.wait_for_board()
    player.wait_for_faces()
    yield "ghost", player
    player.press("stop-race")
    player.see("ghost-outcome").wait_for()
    yield "ghost-end", player
    player.go("/")


def _room(cast: Cast) -> Screens:
    """Visit a host's and guests' screens of a room between rounds."""
    player, friend, third = cast("Ada", FROM_RIGHT, "Barbara")
    player.open_room("robert", seats=3)
    for each in (friend, third):
        each.page.goto(player.page.url)
    expect(player.see("seat")).to_have_count(3)
    player.press("emotes")
    yield "emotes", player
    player.press("emote-luck")
    player.see("emote").wait_for()
    yield "emote", player
    friend.press("change-terms")
    friend.choose_game("deuces")
    yield "suggesting", friend
    friend.press("send-terms")
    player.see("accept-terms").wait_for()
    yield "suggested", player
    player.press("accept-terms")
    third.press("sit-out")
    expect(third.see("sit-out")).to_have_class(re.compile("primary"))
    yield "sitting-out", third
    third.press("sit-out")
    for nth in range(2):
        if nth == 1:
            yield "asked", player
            for each in (friend, third):
                each.press("be-in")
            yield "waiting-for-the-last", friend
        player.press("start-round")
        for each in (player, friend, third):
            each.wait_for_board()
            each.give_up()
        player.see("results").wait_for()
    yield "no-winner", player
    player.unfold("series")
    player.see("series").scroll_into_view_if_needed()
    yield "series", player


def _hosting(cast: Cast) -> Screens:
    """Visit the host's controls, and the screens of members who have lost their seats."""
    player, friend, third = cast("Ada", FROM_RIGHT, "Barbara")
    player.open_room("robert", seats=3)
    for each in (friend, third):
        each.page.goto(player.page.url)
    expect(player.see("seat")).to_have_count(3)
    third.page.goto("about:blank")
    expect(player.page.locator("[data-testid=seat].away")).to_be_visible()
    player.press("start-round")
    yield "start-without", player
    player.press("wait")
    third.page.goto(player.page.url)
    expect(player.page.locator("[data-testid=seat].away")).to_be_hidden()
    player.see("seat-menu").last.click()
    yield "seat-menu", player
    player.press("remove")
    yield "removing", player
    player.press("remove-confirm")
    expect(player.see("seat")).to_have_count(2)
    third.see("no-seat").wait_for()
    yield "removed", third
    player.press("lock")
    player.see("locked").scroll_into_view_if_needed()
    yield "locked", player
    friend.press("leave-room")
    friend.see("race").wait_for()
    friend.page.goto(player.page.url)
    friend.see("no-seat").wait_for()
    yield "locked-out", friend


def _watching(cast: Cast) -> Screens:
    """Visit the screens of a race's spectators: by a link, and after their own run."""
    player, watcher = cast("Ada", "Emmy")
    link = player.open_room("roosevelt", seats=4)
    player.press("watch-invite")
    expect(player.see("watch-link")).to_be_focused()
    yield "watch-invite", player
    watcher.page.goto(player.see("watch-link").input_value())
    watcher.see("take-seat").wait_for()
    yield "watch-waiting", watcher
    friends = [cast.friend(name) for name in (FROM_RIGHT, "Barbara")]
    for friend in friends:
        friend.join(link)
    expect(player.see("seat")).to_have_count(3)
    start_round(player)
    watcher.see("no-board").wait_for()
    yield "watch-soon", watcher
    for friend, deals in zip(friends, (DEALS, 8), strict=True):
        friend.wait_for_round()
        friend.draw(deals)
    player.give_up()
    player.press("watch")
    player.page.locator('[data-testid="board-shown"] [data-card]').first.wait_for()
    player.wait_for_faces()
    yield "watch-live", player
    watcher.page.locator('[data-testid="board-shown"] [data-card]').first.wait_for()
    watcher.wait_for_faces()
    yield "watch-delayed", watcher
    for friend in friends:
        friend.give_up()
    watcher.see("to-room").click()
    watcher.see("take-seat").wait_for()
    yield "watch-over", watcher
    player.see("results").wait_for()
    player.press("leave-room")


def _lobby(cast: Cast) -> Screens:
    """Visit the screens that lead to races with strangers."""
    player, friend = cast("Ada", FROM_RIGHT)
    player.open_room("deuces", seats=4)
    player.see("open-to-anyone").check()
    player.see("public").wait_for()
    yield "open-to-anyone", player
    friend.go("/new")
    friend.see("open-race").wait_for()
    friend.see("open-races").scroll_into_view_if_needed()
    yield "open-races", friend
    player.press("leave-room")
    player.press("find-match")
    player.see("looking").wait_for()
    yield "looking", player
    player.press("stop-looking")
    player.see("race").wait_for()


def _challenges(cast: Cast) -> Screens:
    """Visit a player's challenge, before and after an opponent has played it."""
    player, friend = cast("Ada", FROM_RIGHT)
    player.go("/c")
    player.unfold("challenge-options")
    player.choose_game("robert")
    yield "challenge-options", player
    player.see("who-select").select_option("chosen")
    player.see("player-link").fill(friend.own_page())
    player.press("add-player")
    player.see("chosen").get_by_role("checkbox").wait_for()
    yield "challenge-chosen", player
    player.see("who-select").select_option("anyone")
    player.see("show-target").check()
    player.press("make-challenge")
    player.see("send-link").wait_for()
    yield "challenge-made", player
    link = player.page.url
    for each, home in ((player, 4), (friend, 6)):
        if each == friend:
            friend.page.goto(link)
            friend.see("to-beat").wait_for()
            yield "challenge-before", friend
        play_challenge_without_page(each, link, home)
    friend.see("rank").wait_for()
    friend.press("react")
    friend.press("emote-nice")
    player.see("sent-nice").wait_for()
    yield "challenge-played", player
    player.go("/")
    player.see("challenges").wait_for()
    yield "home-challenged", player
    player.page.goto(link)
    player.press("close-challenge")
    player.see("close-challenge-confirm").wait_for()
    yield "challenge-close", player
    player.press("close-challenge-confirm")
    player.see("close-challenge").wait_for(state="detached")
    yield "challenge-closed", player


def _circles(cast: Cast) -> Screens:
    """Visit a circle with one member, and one in which a friend has played."""
    player, friend = cast("Ada", FROM_RIGHT)
    player.go("/circles")
    player.see("circle-name").fill("Thursday club")
    yield "circles-none", player
    player.press("found-circle")
    player.see("alone").wait_for()
    circle = player.page.url
    yield "circle-alone", player
    friend.page.goto(player.see("circle-invitation").input_value())
    friend.see("join-circle").wait_for()
    yield "circle-invitation", friend
    friend.press("join-circle")
    friend.see("circle").wait_for()
    play_daily_without_page(friend, 4)
    player.unfold("circle-settings")
    player.see("season-weeks").select_option("6")
    player.unfold("league-settings")
    player.press("league-save")
    player.see("league").wait_for()
    player.page.goto(circle)
    player.see("circle-feed").wait_for()
    player.see("react").first.click()
    player.press("emote-nice")
    player.see("sent-nice").wait_for()
    yield "circle", player
    player.see("look-at").first.click()
    player.see("no-duels").wait_for()
    yield "circle-member", player
    player.press("member-close")
    player.see("span-all").check(force=True)
    player.see("records").wait_for()
    player.unfold("circle-settings")
    player.unfold("league-settings")
    player.unfold("webhook-settings")
    yield "circle-settings", player
    player.go("/")
    player.see("home-circles").wait_for()
    yield "home-circles", player


def _daily(cast: Cast) -> Screens:
    (player,) = cast("Ada")
    start_daily(player)
    yield "daily-table", player
    player.play_robert()
    yield "stuck", player
    player.press("see-results")
    player.see("results").wait_for()
    yield "daily-result", player
    player.go("/")
    player.see("daily-robert").wait_for()
    yield "home-played", player
    player.press("calendar-link")
    player.see("calendar").wait_for()
    yield "calendar", player
    player.page.locator("td a[aria-current=date]").click()
    player.see("day-deals").wait_for()
    yield "day", player
    player.go("/settings")
    player.press("own-page")
    player.see("numbers").wait_for()
    yield "player", player
    player.go("/daily")
    with player.without_page() as friend:
        for game in GAMES:
            if game != "robert":
                friend.open_daily(game)
                friend.give_up()
    player.go(f"/daily/{GAMES[-1]}")
    player.see("set-over").wait_for()
    yield "set-over", player
    player.go("/leaderboard/robert")
    player.see("own-place").get_by_test_id("rank").wait_for()
    player.press("how")
    yield "leaderboard-played", player


def _win(cast: Cast) -> Screens:
    (player,) = cast("Ada", reduced_motion="no-preference")
    won = json.loads(WON.read_text())
    last = max(nth for nth, move in enumerate(won["moves"]) if move.startswith("s>"))
    player.go("/")
    store_practice(player, "lady-betty", {"seed": won["seed"], "moves": won["moves"][: last + 1]})
    player.go("/practice/lady-betty")
    player.press("finish")
    player.see("win-show").wait_for()
    player.wait_for_frames(150)
    yield "win", player


PARTS: dict[str, Callable[[Cast], Screens]] = {
    "same": _same,
    "paths": _paths,
    "practice": _practice,
    "race": _race,
    "room": _room,
    "hosting": _hosting,
    "watching": _watching,
    "lobby": _lobby,
    "challenges": _challenges,
    "circles": _circles,
    "daily": _daily,
    "win": _win,
}
"""Parts of the page, each visited by different players."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Write a screenshot of every screen at every size."
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--keep", action="store_true", help="replace the references")
    parser.add_argument("--scheme", choices=["light", "dark"], default="light")
    options = parser.parse_args()
    with running_site() as site, sync_playwright() as playwright:
        browser = launched(playwright, machine().whole_browser)
        for size, (part, visit) in itertools.product(options.sizes, PARTS.items()):
            folder: Path = options.folder / f"{size}-{options.scheme}"
            cast = Cast(browser, site.url, device(size, options.scheme))
            for name, player in visit(cast):
                player.page.screenshot(path=folder / f"{name}.png")
                if options.keep and name in COMPARED.get(size, {}).get(part, ()):
                    small = pictures.with_few_colours(pictures.small(comparable_screenshot(player)))
                    small.save(REFERENCES / f"{size}-{name}.png", optimize=True)
            cast.leave()
        browser.close()


if __name__ == "__main__":
    main()
