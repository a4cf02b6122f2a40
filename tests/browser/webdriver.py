"""Firefox and WebKit, driven by WebDriver commands, with only a visitor's actions.

WebKitGTK's driver takes the commands over HTTP, Firefox over a socket (Marionette).
"""

from __future__ import annotations

import json
import os
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedRWPair
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from tests.processes import PATIENCE, free_port, program, running

Command = Callable[..., Any]
"""Executes the command with this name and these parameters, and returns its value."""

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The key of an element's id, fixed by the WebDriver specification."""

_PAUSE = 0.05
"""Seconds between two checks of a page."""


class CommandError(Exception):
    """A command failed, such as a click on a covered element."""


class Visitor:
    """A window of a browser, with its content and the player's actions."""

    def __init__(self, command: Command) -> None:
        self._command = command

    def go(self, url: str) -> None:
        """Open a page."""
        self._command("Navigate", url=url)

    def reload(self) -> None:
        """Reload the current page."""
        self.ask("window.before = true; location.reload();")
        self.wait_for("return window.before === undefined && document.readyState === 'complete'")

    def ask(self, script: str, *arguments: object) -> Any:
        """Return the value of a script's body."""
        return self._command("ExecuteScript", script=script, args=list(arguments))

    def wait_for(self, script: str, *arguments: object) -> Any:
        """Return the value of a script's body as soon as it is truthy."""
        return self._until(lambda: self.ask(script, *arguments), f"{script} {arguments}")

    def see(self, name: str) -> str:
        """Wait until the element with this test id is shown, and return its text."""
        shown = """const found = document.querySelector(arguments[0]);
                   return found?.getClientRects().length ? {text: found.innerText} : null;"""
        return str(self.wait_for(shown, _named(name))["text"])

    def press(self, name: str) -> None:
        """Click the element with this test id as soon as possible."""
        self.click(_named(name))

    def click(self, selector: str) -> None:
        """Click an element as soon as possible."""

        def click() -> bool:
            found = self._command("FindElement", using="css selector", value=selector)
            self._command("ElementClick", id=found[_ELEMENT])
            return True

        self._until(click, f"click {selector}")

    def type(self, key: str) -> None:
        """Press and release a key."""
        actions = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        self._command(
            "PerformActions", actions=[{"type": "key", "id": "keyboard", "actions": actions}]
        )

    def drag_and_hold(self, selector: str) -> None:
        """Grab an element, move it a little, and keep holding it."""
        x, y = self._middle(selector)
        actions = [
            {"type": "pointerMove", "x": x, "y": y, "duration": 0},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "x": x + 40, "y": y + 60, "duration": 100},
        ]
        pointer = {"type": "pointer", "id": "mouse", "actions": actions}
        self._command("PerformActions", actions=[pointer])

    def touch(self, pile: str) -> None:
        """Touch the top card of a pile briefly; WebKitGTK uses the mouse instead."""
        x, y = self._middle(self._top(pile))
        actions = [
            {"type": "pointerMove", "x": x, "y": y, "duration": 0},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        finger = {"parameters": {"pointerType": "touch"}, "actions": actions}
        self._command("PerformActions", actions=[{"type": "pointer", "id": "finger", **finger}])

    def _middle(self, selector: str) -> tuple[int, int]:
        """Return a point near an element's upper edge, where no other card covers it."""
        x, y = self.wait_for(
            """const {left, top, width} = document.querySelector(arguments[0])
                 .getBoundingClientRect();
               return [Math.round(left + width / 2), Math.round(top + 10)];""",
            selector,
        )
        return x, y

    def cards(self, pile: str) -> list[str]:
        """Return the cards of a pile as the page shows them, bottom to top."""
        cards: list[str] = self.ask(
            """return [...document.querySelectorAll(`[data-pile="${arguments[0]}"][data-card]`)]
                 .sort((a, b) => a.dataset.index - b.dataset.index)
                 .map(({dataset}) => dataset.card);""",
            pile,
        )
        return cards

    def tap(self, pile: str) -> None:
        """Click the top card of a pile."""
        self.click(self._top(pile))

    def _top(self, pile: str) -> str:
        return f'[data-pile="{pile}"][data-index="{len(self.cards(pile)) - 1}"]'

    def wait_for_board(self) -> None:
        """Wait until the board has movable cards."""
        self.wait_for(
            """return document.querySelector(
                 '[data-testid="board"][data-live="true"] [data-card]') !== null"""
        )

    def wait_for_moves(self, count: int) -> None:
        """Wait until the page shows this number of moves."""
        self.wait_for(
            """return parseInt(document.querySelector('[data-testid="move-count"]')?.innerText)
                 === arguments[0]""",
            count,
        )

    def give_up(self) -> None:
        """Resign the attempt."""
        self.press("give-up")
        self.press("give-up-confirm")

    def _until(self, ask: Callable[[], Any], what: str) -> Any:
        """Return the value of `ask` as soon as it is truthy and none of its commands fails."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                if found := ask():
                    return found
                failure = ""
            except CommandError as error:
                failure = f": {error}"
            assert time.monotonic() < until, f"never: {what}{failure}"
            time.sleep(_PAUSE)


def _named(name: str) -> str:
    return f'[data-testid="{name}"]'


@contextmanager
def firefox(width: int, height: int) -> Iterator[Visitor]:
    """Run Firefox with a window of this size."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="firefox") as profile:
        (Path(profile) / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
        arguments = ["--headless", "--no-remote", "--marionette", "--profile", profile]
        # A separate home, so that it reads none of the user's files.
        environment = {**os.environ, "HOME": profile, "MOZ_LOG": "Marionette:3"}
        with running([program("firefox-esr"), *arguments], environment) as browser:
            browser.wait_for(f"Listening on port {port}")
            with (
                socket.create_connection(("127.0.0.1", port), PATIENCE) as connection,
                connection.makefile("rwb") as stream,
            ):
                yield _visitor(_Marionette(stream), width, height)


@contextmanager
def webkit(width: int, height: int) -> Iterator[Visitor]:
    """Run WebKitGTK's small browser on a separate display, with a window of this size."""
    port = free_port()
    screen = [program("Xvfb"), "-displayfd", "1", "-screen", "0", "1920x1200x24"]
    with tempfile.TemporaryDirectory(prefix="webkit") as home, running(screen) as display:
        number = display.wait_for("\n").strip()
        environment = {
            **os.environ,
            "HOME": home,
            "XDG_RUNTIME_DIR": home,
            "DISPLAY": f":{number}",
            # Some machines have no GPU, or no user but root.
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "WEBKIT_DISABLE_COMPOSITING_MODE": "1",
        }
        with running([program("WebKitWebDriver"), f"--port={port}"], environment):
            driver = _Http(port)
            visitor = _visitor(driver, width, height)
            try:
                yield visitor
            finally:
                # A driver that ends by itself leaves its browser running.
                driver.end()


def _visitor(command: Command, width: int, height: int) -> Visitor:
    command("NewSession", capabilities={"alwaysMatch": {}})
    command("SetWindowRect", width=width, height=height)
    return Visitor(command)


class _Marionette:
    """The commands over Firefox's socket: JSON messages prefixed with length and colon."""

    def __init__(self, stream: BufferedRWPair) -> None:
        self._stream = stream
        self._count = 0
        self._receive()

    def __call__(self, name: str, **parameters: object) -> Any:
        self._count += 1
        message = json.dumps([0, self._count, f"WebDriver:{name}", parameters]).encode()
        self._stream.write(b"%d:%s" % (len(message), message))
        self._stream.flush()
        _, _, error, result = self._receive()
        if error is not None:
            raise CommandError(error["message"])
        return result.get("value", result) if isinstance(result, dict) else result

    def _receive(self) -> Any:
        length = b"".join(iter(lambda: self._stream.read(1), b":"))
        return json.loads(self._stream.read(int(length)))


_PATHS = {
    "NewSession": "",
    "SetWindowRect": "/window/rect",
    "Navigate": "/url",
    "ExecuteScript": "/execute/sync",
    "FindElement": "/element",
    "ElementClick": "/element/{id}/click",
    "PerformActions": "/actions",
}


class _Http:
    """The commands over HTTP to a driver on this port."""

    def __init__(self, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}/session"

    def __call__(self, name: str, **parameters: object) -> Any:
        url = self._url + _PATHS[name].format_map(parameters)
        request = Request(url, json.dumps(parameters).encode())  # noqa: S310 - a driver of our own
        until = time.monotonic() + PATIENCE
        while True:
            try:
                with urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310 - the same
                    value = json.load(answer)["value"]
            except HTTPError as error:
                with error:
                    failure = json.load(error)["value"]
                raise CommandError(f"{failure['error']}: {failure['message']}") from error
            except URLError:
                # The driver is not ready yet.
                if time.monotonic() > until:
                    raise
                time.sleep(_PAUSE)
            else:
                if name == "NewSession":
                    self._url += f"/{value['sessionId']}"
                return value

    def end(self) -> None:
        request = Request(self._url, method="DELETE")  # noqa: S310 - a driver of our own
        with urlopen(request, timeout=PATIENCE):  # noqa: S310 - the same
            pass
