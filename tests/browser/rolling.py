"""A rolling restart in the middle of a race: what two players at the page notice of it.

`python -m tests.browser.rolling` measures how long their sockets were gone.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.conftest import ARGUMENTS, chromium
from tests.browser.player import PHONE, Player
from tests.faults.balancer import Balancer
from tests.processes import Running, free_port
from tests.redis_servers import running_server

NODES = 3

_WATCH_SOCKETS = """
window.gaps = [];
let lost = null;
window.WebSocket = class extends WebSocket {
  constructor(...arguments_) {
    super(...arguments_);
    this.addEventListener("close", () => (lost ??= performance.now()));
    this.addEventListener("message", () => {
      if (lost !== null) window.gaps.push(performance.now() - lost);
      lost = null;
    });
  }
};
"""
"""Notes for how many milliseconds the page had no socket on which something came."""


class Nodes:
    """Some nodes on one Redis, and the balancer in front of them."""

    def __init__(self, redis: str) -> None:
        self.url = ""
        self._redis = redis
        self._ports = [free_port() for _ in range(NODES)]
        self._running: list[Running] = []

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Serve until the block is left."""
        with ExitStack() as stack:
            for port in self._ports:
                self._running.append(self._start(port))
            stack.callback(self._end)
            self.url = stack.enter_context(_balanced(self._ports))
            yield

    def _start(self, port: int) -> Running:
        command = [sys.executable, "-m", "server", "serve", "--port", str(port)]
        node = Running([*command, "--redis", self._redis, "--log-format", "json"])
        node.wait_for("listening")
        return node

    def restart(self, number: int) -> None:
        """End a node as an operator would, and start it again."""
        assert self._running[number].end() == 0
        self._running[number] = self._start(self._ports[number])

    def _end(self) -> None:
        for node in self._running:
            node.end()


@contextmanager
def _balanced(ports: list[int]) -> Iterator[str]:
    """Run a balancer beside this thread, and yield its address."""
    balancer = Balancer(ports, random.Random(1))
    ready, done = threading.Event(), threading.Event()

    async def run() -> None:
        async with balancer.listening():
            ready.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    assert ready.wait(30)
    try:
        yield f"http://127.0.0.1:{balancer.port}"
    finally:
        done.set()
        thread.join()


def restart_in_a_race(browser: Browser, rounds: int = 1) -> list[float]:
    """Race while each node is restarted so many times; return how long sockets were gone.

    Returns:
        Milliseconds, one for each reconnect of a player.
    """
    with running_server() as redis:
        nodes = Nodes(redis.url)
        with nodes.serving():
            host = Player(browser, nodes.url)
            guest = Player(browser, nodes.url, PHONE)
            players = (host, guest)
            for player in players:
                player.page.add_init_script(_WATCH_SOCKETS)
            link = host.open_room("robert")
            guest.go("/" + link.split("/", 3)[3])
            guest.press("ready")
            expect(host.see("start-round")).to_contain_text("2")
            host.press("start-round")
            for player in players:
                player.wait_for_board()
            for number in list(range(NODES)) * rounds:
                before = [player.moves() for player in players]
                nodes.restart(number)
                for player, moves in zip(players, before, strict=True):
                    player.tap("s")
                    player.wait_for_moves(moves + 1)
            gaps: list[float] = []
            for player in players:
                player.give_up()
            for player in players:
                expect(player.see("results")).to_be_visible()
                gaps += player.page.evaluate("window.gaps")
                player.close()
            return gaps


def main() -> None:
    """Say how long players were without a socket in five rolling restarts."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        gaps = restart_in_a_race(browser, rounds=5)
        browser.close()
    median, longest = statistics.median(gaps), max(gaps)
    said = f"{len(gaps)} reconnects: median {median:.0f} ms, longest {longest:.0f} ms"
    print(said)  # noqa: T201 - this is what it is for


if __name__ == "__main__":
    main()
