"""How long the page's frames take while cards move, on a processor four times slower.

`python -m tests.browser.frames` prints the 50th and 95th percentile and the worst.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import ARGUMENTS, Site, chromium
from tests.browser.player import DESKTOP, PHONE, Player
from tests.browser.screens import SEED, WON, keep_practice

SLOWER = 4
"""By how much the browser's processor is slowed down."""

WATCHED = 1_500
"""Milliseconds that are measured, from when something begins to move."""

FRAMES = """wait => new Promise(done => {
  const times = [];
  let last;
  const began = performance.now();
  const frame = now => {
    if (last !== undefined) times.push(now - last);
    last = now;
    if (now - began < wait) requestAnimationFrame(frame);
    else done(times);
  };
  requestAnimationFrame(frame);
})"""


def measured(player: Player, begin: Callable[[], None], wait: int = WATCHED) -> list[float]:
    """Return the times between frames, in milliseconds, from when `begin` is done."""
    player.page.evaluate(f"window.frames_ = ({FRAMES})({wait}); 0")
    begin()
    times: list[float] = player.page.evaluate("window.frames_")
    return sorted(times)


def at_practice(player: Player, game: str, moves: list[str], seed: str = SEED) -> None:
    """Open a practice table, and slow the browser down."""
    player.go("/rules/robert")
    player.page.evaluate("localStorage.setItem('samedeal.guided', 'yes')")
    keep_practice(player, game, {"seed": seed, "moves": moves})
    player.go(f"/practice/{game}")
    player.wait_for_board()
    player.page.wait_for_load_state("networkidle")
    player.page.wait_for_timeout(1_500)
    session = player.context.new_cdp_session(player.page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})


def drag(player: Player) -> None:
    """Drag the waste's card about, and let it go where it came from."""
    mouse = player.page.mouse
    box = player.page.locator('[data-pile="w"]').last.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    mouse.move(x, y)
    mouse.down()
    for step in range(60):
        mouse.move(x - 3 * step, y - 5 * step)
    mouse.move(x, y)
    mouse.up()


def report(name: str, device: str, times: list[float]) -> None:
    """Print a line of the table."""
    half, most = (times[int(len(times) * at)] for at in (0.5, 0.95))
    say(f"| {name} | {device} | {len(times)} | {half:.1f} | {most:.1f} | {times[-1]:.1f} |")


def say(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)  # noqa: T201 - a command's output


def watch(browser: Browser, url: str, name: str) -> None:
    """Measure what moves most, on one device."""
    device = {**(PHONE if name == "phone" else DESKTOP), "reduced_motion": "no-preference"}

    player = Player(browser, url, device)
    at_practice(player, "rouge-et-noir", [])
    for nth in range(1, 6):
        times = measured(player, lambda: player.page.keyboard.press("d"))
        report(f"Rouge et Noir, row {nth}", name, times)
    player.close()

    player = Player(browser, url, device)
    at_practice(player, "roosevelt", [])
    for _ in range(6):
        player.page.keyboard.press("d")
    report("Roosevelt, cards drawn", name, measured(player, lambda: player.tap("s")))
    report("Roosevelt, a card dragged", name, measured(player, lambda: drag(player)))
    report("Roosevelt, dealt", name, measured(player, lambda: player.press("deal-anew"), 2_500))
    player.close()

    won = json.loads(WON.read_text())
    last = max(nth for nth, move in enumerate(won["moves"]) if move.startswith("s>"))
    player = Player(browser, url, device)
    at_practice(player, "lady-betty", won["moves"][: last + 1], won["seed"])
    report("Lady Betty, finished", name, measured(player, lambda: player.press("finish"), 3_000))
    player.see("win-show").wait_for()
    report("the cascade", name, measured(player, lambda: None, 3_000))
    player.close()


def main() -> None:
    """Print the table."""
    say("| what moves | device | frames | p50 ms | p95 ms | worst ms |")
    say("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="samedeal") as data, sync_playwright() as playwright:
        site = Site(Path(data))
        site.start()
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        for name in ("phone", "desktop"):
            watch(browser, site.url, name)
        browser.close()
        site.stop()


if __name__ == "__main__":
    main()
