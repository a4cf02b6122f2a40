"""Fixtures: a real server and a real browser."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

from tests import machine
from tests.browser.friend import Friend
from tests.browser.player import DESKTOP, Player
from tests.dates import ahead_now, moved
from tests.processes import Running, free_port, running

LOG_LINES = 30
"""Number of server log lines in a failed test's report."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the pages' content and the server's log to a failed test's report."""
    report = yield
    if report.failed and call.when == "call" and isinstance(item, pytest.Function):
        for name, value in item.funcargs.items():
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, Player):
                    report.sections.append((f"page of {name}", each.report()))
                elif isinstance(each, Site):
                    report.sections.append((name, "".join(each.process.lines[-LOG_LINES:])))
    return report


def launched(playwright: Playwright, path: str | None) -> Browser:
    assert path is not None, "This test needs a browser: make browser"
    return playwright.chromium.launch(executable_path=path, args=machine.ARGUMENTS)


class Site:
    """A server that a test can stop and restart with the same port and data.

    Args:
        program: Python's arguments that run the command `samedeal`; by default its clock is that of
            `ahead_now`.

    Attributes:
        ahead: by how many seconds its clock is ahead.
    """

    process: Running

    def __init__(
        self, data: Path, program: Sequence[str] = (), options: Sequence[str] = ()
    ) -> None:
        self.url = ""
        self.ahead = 0.0 if program else ahead_now()
        self._program = program or moved(self.ahead)
        self._options = options
        self.data = data
        self._port = free_port()
        self._running: AbstractContextManager[Running] | None = None

    def start(self) -> None:
        """Start the server and wait until it listens."""
        command = [sys.executable, *self._program, "serve", "--port", str(self._port)]
        command += ["--data", str(self.data), "--log-format", "json", *self._options]
        self._running = running(command, forked=True)
        self.process = self._running.__enter__()
        self.process.wait_for("listening")
        self.url = f"http://localhost:{self._port}"

    def now(self) -> datetime:
        """Return the server's time."""
        return datetime.fromtimestamp(time.time() + self.ahead, UTC)

    def stop(self) -> None:
        """Terminate the server as an operator would."""
        assert self._running is not None
        self._running.__exit__(None, None, None)


@contextmanager
def running_site(*program: str, options: Sequence[str] = ()) -> Iterator[Site]:
    """Run a server on its own data, with further options."""
    with tempfile.TemporaryDirectory(prefix="samedeal") as data:
        site = Site(Path(data), program, options)
        site.start()
        yield site
        site.stop()


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with running_site() as site:
        yield site


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    """Run Playwright for one module: its event loop must not outlive it."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """Run the lightest available browser, perhaps one without a user interface.

    Such a browser draws text slightly differently and cannot install pages.
    """
    browser = launched(playwright, machine.machine().browser)
    yield browser
    browser.close()


def player_fixture(device: dict[str, Any] = DESKTOP, name: str | None = None) -> object:
    """Return a fixture: a player in `browser` on `site`."""

    @pytest.fixture
    def player(browser: Browser, site: Site) -> Iterator[Player]:
        player = Player(browser, site.url, device, name)
        yield player
        player.close()

    return player


def friend_fixture(name: str) -> object:
    """Return a fixture: a player on `site` without a browser."""

    @pytest.fixture
    def friend(site: Site) -> Iterator[Friend]:
        with Friend(site.url, name) as friend:
            yield friend

    return friend


@pytest.fixture(scope="module")
def whole_browser(playwright: Playwright) -> Iterator[Browser]:
    """Run a browser with a user interface."""
    browser = launched(playwright, machine.machine().whole_browser)
    yield browser
    browser.close()
