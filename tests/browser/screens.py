"""Every screen of the page, at the sizes that people have: to look at, and to compare.

`python -m tests.browser.screens FOLDER` leaves a picture of each; with `--keep`, those that tests
compare with are made anew as well.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser import pictures
from tests.browser.conftest import ARGUMENTS, Site, chromium
from tests.browser.player import Player
from tests.processes import ROOT

SIZES = {
    "360x740": (360, 740),
    "390x844": (390, 844),
    "768x1024": (768, 1024),
    "844x390": (844, 390),
    "1440x900": (1440, 900),
    "2560x1440": (2560, 1440),
}
"""CSS pixels; what is narrower than a laptop has a touch screen."""

LAPTOP = 1024

SEED = "5a" * 32
"""The deal of the practice tables."""

DEALT = 12
"""Deals that leave a table as it looks in the middle of a game."""

WON = ROOT / "tests/browser/won.json"
"""A deal of Lady Betty with the moves that win it."""

GAMES = ["roosevelt", "robert", "rouge-et-noir", "deuces", "lady-betty"]

STILL = {
    "home": "/",
    "new": "/new",
    "settings": "/settings",
    "dailies": "/daily",
    "daily": "/daily/deuces",
    "leaderboard": "/leaderboard/robert",
    **{f"rules-{game}": f"/rules/{game}" for game in GAMES},
    "missing": "/nowhere",
    "no-room": "/r/ZZZZZ",
}
"""What needs no more than its address."""

REFERENCES = ROOT / "tests/browser/references"
"""What screens looked like when somebody last looked at them, in small."""

COMPARED = {
    "390x844": [
        *("home", "new", "rules-deuces", "missing"),
        *(f"practice-{game}" for game in GAMES),
        *("play-roosevelt", "play-rouge-et-noir"),
    ],
    "1440x900": ["home", "practice-roosevelt", "practice-robert", "practice-deuces"],
}
"""The screens that look the same on every day and for every player, by size."""

STYLE = ":root { --text: Fraunces } .head > .number { visibility: hidden }"
"""Has all words written in the page's own letters, which are the same on every machine, and hides
the time until the next deals, of which the width changes too."""


def picture(player: Player) -> bytes:
    """Return a screenshot that can be compared: without what changes from day to day."""
    return player.page.screenshot(style=STYLE)


def device(size: str, scheme: str = "light") -> dict[str, Any]:
    """Return a browser's settings for a size."""
    width, height = SIZES[size]
    touch = min(width, LAPTOP) < LAPTOP
    return {
        "viewport": {"width": width, "height": height},
        "color_scheme": scheme,
        "reduced_motion": "reduce",
        **({"has_touch": True, "is_mobile": True} if touch else {}),
    }


def screens(
    browser: Browser, url: str, settings: dict[str, Any], *, alone: bool = False
) -> Iterator[tuple[str, Player]]:
    """Walk through the page; a screen is to be looked at when its name comes.

    Args:
        browser: a browser; the walk leaves nothing in it.
        url: where the page is.
        settings: the browser's settings, as from `device`.
        alone: whether to leave out what is played against others or the clock.
    """
    player, friend = Player(browser, url, settings), Player(browser, url, settings)
    for each, name in ((player, "Ada"), (friend, "Grace")):
        each.go("/settings")
        each.see("name-input").fill(name)
        each.press("name-save")
        expect(each.see("notice")).to_contain_text("Saved")
    yield from ((name, player) for name, path in STILL.items() if _opened(player, path))
    for game in GAMES:
        keep_practice(player, game, {"seed": SEED, "moves": []})
        player.go(f"/practice/{game}")
        player.wait_for_board()
        player.wait_for_faces()
        yield f"practice-{game}", player
        for _ in range(DEALT):
            player.page.keyboard.press("d")
        player.wait_for_faces()
        yield f"play-{game}", player
    if not alone:
        yield from _race(player, friend)
        yield from _daily(player)
        yield from _win(Player(browser, url, {**settings, "reduced_motion": "no-preference"}))
    player.close()
    friend.close()


def _opened(player: Player, path: str) -> bool:
    player.go(path)
    player.page.get_by_role("heading", level=1).first.wait_for()
    player.page.wait_for_load_state("networkidle")
    return True


def keep_practice(player: Player, game: str, kept: dict[str, Any]) -> None:
    """Leave a practice game in the browser, as the page would have kept it."""
    player.page.evaluate(
        "([key, value]) => localStorage.setItem(key, value)",
        [f"samedeal.practice.{game}", json.dumps(kept)],
    )


def _race(player: Player, friend: Player) -> Iterator[tuple[str, Player]]:
    link = player.open_room("roosevelt", seats=4)
    yield "room-alone", player
    friend.page.goto(link)
    friend.press("ready")
    expect(player.see("start-round")).to_contain_text("2")
    yield "room", player
    yield "room-guest", friend
    player.press("start-round")
    player.see("countdown").wait_for()
    yield "countdown", player
    for each in (player, friend):
        each.wait_for_board()
        for nth in range(DEALT):
            each.tap("s")
            each.tap("w")
            if nth % 3 == 0:
                each.tap(f"t{nth % 7}")
        each.wait_for_cards()
    yield "race", player
    player.press("give-up")
    yield "give-up", player
    player.press("give-up-confirm")
    player.see("runner-progress").first.wait_for()
    yield "round-goes-on", player
    friend.give_up()
    player.see("results").wait_for()
    yield "result", player
    player.press("check-deal")
    player.see("check-result").wait_for()
    yield "deal-checked", player
    player.press("leave-room")


def _daily(player: Player) -> Iterator[tuple[str, Player]]:
    player.go("/daily/robert")
    player.press("play-daily")
    player.wait_for_board()
    yield "daily-table", player
    player.play_robert()
    yield "stuck", player
    player.press("see-results")
    player.see("results").wait_for()
    yield "daily-result", player
    player.go("/")
    player.see("daily-robert").wait_for()
    yield "home-played", player


def _win(player: Player) -> Iterator[tuple[str, Player]]:
    won = json.loads(WON.read_text())
    last = max(nth for nth, move in enumerate(won["moves"]) if move.startswith("s>"))
    player.go("/")
    keep_practice(player, "lady-betty", {"seed": won["seed"], "moves": won["moves"][: last + 1]})
    player.go("/practice/lady-betty")
    player.press("finish")
    player.see("win-show").wait_for()
    player.watch_frames(150)
    yield "win", player
    player.close()


def main() -> None:
    """Leave a picture of every screen at every size in a folder."""
    parser = argparse.ArgumentParser(description="Take a picture of every screen at every size.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--keep", action="store_true", help="make the references anew")
    parser.add_argument("--scheme", choices=["light", "dark"], default="light")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="samedeal") as data, sync_playwright() as playwright:
        site = Site(Path(data))
        site.start()
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        for size in options.sizes:
            folder: Path = options.folder / f"{size}-{options.scheme}"
            for name, player in screens(browser, site.url, device(size, options.scheme)):
                player.page.screenshot(path=folder / f"{name}.png")
                if options.keep and name in COMPARED.get(size, []):
                    small = pictures.kept(pictures.small(picture(player)))
                    small.save(REFERENCES / f"{size}-{name}.png", optimize=True)
        browser.close()
        site.stop()


if __name__ == "__main__":
    main()
