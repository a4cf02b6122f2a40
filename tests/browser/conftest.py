"""Fixtures: a real server, and a real browser."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.processes import Running, free_port, running

CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str | None:
    """Return the path of a browser, or `None` to use the one that Playwright has installed."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), None)


class Site:
    """A server that a test can stop and start again, with the same port and data.

    Args:
        data: the folder for its data.
        program: the arguments with which Python runs the command `samedeal`.
    """

    def __init__(self, data: Path, program: Sequence[str] = ("-m", "server")) -> None:
        self.url = ""
        self._program = program
        self._data = data
        self._port = free_port()
        self._running: AbstractContextManager[Running] | None = None

    def start(self) -> None:
        """Start the server, and wait until it listens."""
        command = [sys.executable, *self._program, "serve", "--port", str(self._port)]
        self._running = running([*command, "--data", str(self._data), "--log-format", "json"])
        self._running.__enter__().wait_for("listening")
        self.url = f"http://localhost:{self._port}"

    def stop(self) -> None:
        """Terminate the server, as an operator would."""
        assert self._running is not None
        self._running.__exit__(None, None, None)


@pytest.fixture
def site() -> Iterator[Site]:
    with tempfile.TemporaryDirectory(prefix="samedeal") as data:
        site = Site(Path(data))
        site.start()
        yield site
        site.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Run a browser for one module: Playwright's event loop must not outlive it."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield browser
        browser.close()
