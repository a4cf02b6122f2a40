"""Measures the page's frame times while cards move, on a processor slowed down four times.

`python -m tests.browser.frames` prints the 50th and 95th percentile and the maximum.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import launched, running_site
from tests.browser.player import DESKTOP, PHONE, Player
from tests.browser.screens import SEED, WON, store_practice
from tests.machine import machine

CPU_SLOWDOWN = 4
"""The slow-down factor of the browser's processor."""

WINDOW = 1_500
"""Milliseconds to measure."""

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


def frame_times(player: Player, begin: Callable[[], None], wait: int = WINDOW) -> list[float]:
    """Call `begin` and return the times between frames for `wait` milliseconds, sorted."""
    player.page.evaluate(f"window.frames_ = ({FRAMES})({wait}); 0")
    begin()
    times: list[float] = player.page.evaluate("window.frames_")
    return sorted(times)


def open_practice(player: Player, game: str, moves: list[str], seed: str = SEED) -> None:
    """Open a practice game after these moves, and slow the processor down."""
    player.go("/rules/robert")
    player.page.evaluate(f"localStorage.setItem('samedeal.guided.{game}', '3')")
    store_practice(player, game, {"seed": seed, "moves": moves})
    player.go(f"/practice/{game}")
    player.wait_for_board()
    player.page.wait_for_load_state("networkidle")
    player.page.wait_for_timeout(1_500)
    session = player.context.new_cdp_session(player.page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": CPU_SLOWDOWN})


def drag(player: Player) -> None:
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
    half, most = (times[int(len(times) * at)] for at in (0.5, 0.95))
    print_line(f"| {name} | {device} | {len(times)} | {half:.1f} | {most:.1f} | {times[-1]:.1f} |")


def print_line(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a command's output


def measure(browser: Browser, url: str, name: str) -> None:
    """Measure the largest animations on one device: "phone" or "desktop"."""
    device = {**(PHONE if name == "phone" else DESKTOP), "reduced_motion": "no-preference"}

    player = Player(browser, url, device)
    open_practice(player, "rouge-et-noir", [])
    for nth in range(1, 6):
        times = frame_times(player, lambda: player.page.keyboard.press("d"))
        report(f"Rouge et Noir, row {nth}", name, times)
    player.close()

    player = Player(browser, url, device)
    open_practice(player, "roosevelt", [])
    for _ in range(6):
        player.page.keyboard.press("d")
    report("Roosevelt, cards drawn", name, frame_times(player, lambda: player.tap("s")))
    report("Roosevelt, a card dragged", name, frame_times(player, lambda: drag(player)))
    report("Roosevelt, dealt", name, frame_times(player, lambda: player.press("deal-anew"), 2_500))
    player.close()

    won = json.loads(WON.read_text())
    last = max(nth for nth, move in enumerate(won["moves"]) if move.startswith("s>"))
    player = Player(browser, url, device)
    open_practice(player, "lady-betty", won["moves"][: last + 1], won["seed"])
    report("Lady Betty, finished", name, frame_times(player, lambda: player.press("finish"), 3_000))
    player.see("win-show").wait_for()
    report("the cascade", name, frame_times(player, lambda: None, 3_000))
    player.close()


def main() -> None:
    print_line("| animation | device | frames | p50 ms | p95 ms | worst ms |")
    print_line("|---|---|---|---|---|---|")
    with running_site() as site, sync_playwright() as playwright:
        browser = launched(playwright, machine().whole_browser)
        for name in ("phone", "desktop"):
            measure(browser, site.url, name)
        browser.close()


if __name__ == "__main__":
    main()
