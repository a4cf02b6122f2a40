"""A rolling restart during a race of two players.

`python -m tests.browser.rolling` measures how long the players are disconnected.
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

from tests.browser.conftest import launched
from tests.browser.player import PHONE, Player
from tests.faults.balancer import Balancer
from tests.machine import machine
from tests.processes import Running, free_port
from tests.redis_servers import running_server

NODES = 3

_RECORD_GAPS = """
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
"""Records the lengths of the page's disconnections in `window.gaps`, in milliseconds.

A disconnection lasts from the close of a socket to the first message on the next.
"""


class Nodes:
    """Nodes on one Redis behind a load balancer."""

    def __init__(self, redis: str) -> None:
        self.url = ""
        self._redis = redis
        self._ports = [free_port() for _ in range(NODES)]
        self._running: list[Running] = []

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Run the nodes and the balancer inside the context."""
        with ExitStack() as stack:
            for port in self._ports:
                self._running.append(self._start(port))
            stack.callback(self._end)
            self.url = stack.enter_context(_balanced(self._ports))
            yield

    def _start(self, port: int) -> Running:
        command = [sys.executable, "-m", "server", "serve", "--port", str(port)]
        command += ["--redis", self._redis, "--log-format", "json"]
        node = Running(command, forked=True)
        node.wait_for("listening")
        return node

    def restart(self, number: int) -> None:
        """Terminate a node as an operator would, and restart it."""
        assert self._running[number].end() == 0
        self._running[number] = self._start(self._ports[number])

    def _end(self) -> None:
        for node in self._running:
            node.end()


@contextmanager
def _balanced(ports: list[int]) -> Iterator[str]:
    """Run a balancer in a separate thread and yield its URL."""
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


def race_through_restarts(browser: Browser, rounds: int = 1) -> list[float]:
    """Race while each node is restarted; return the milliseconds of each disconnection."""
    with running_server() as redis:
        nodes = Nodes(redis.url)
        with nodes.serving():
            host = Player(browser, nodes.url)
            guest = Player(browser, nodes.url, PHONE)
            players = (host, guest)
            for player in players:
                player.page.add_init_script(_RECORD_GAPS)
            link = host.open_room("robert")
            guest.go("/" + link.split("/", 3)[3])
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
    with sync_playwright() as playwright:
        browser = launched(playwright, machine().whole_browser)
        gaps = race_through_restarts(browser, rounds=5)
        browser.close()
    median, longest = statistics.median(gaps), max(gaps)
    report = f"{len(gaps)} reconnects: median {median:.0f} ms, longest {longest:.0f} ms"
    print(report)  # noqa: T201 - a command's output


if __name__ == "__main__":
    main()
