"""The cost of a first visit on a slow phone: bytes, largest paint, longest task and layout shifts.

`python -m tests.browser.weight [-n VISITS]` prints the median of some visits for each screen. Times
depend on the machine: use them only to compare builds on the same one.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from tests.browser.conftest import launched, running_site
from tests.browser.player import MOVING_PHONE, Player
from tests.machine import machine

SLOWDOWN = 4
"""Slow-down factor of the phone's processor, relative to this machine."""
BITS_PER_SECOND = 1_600_000
LATENCY = 150
"""Milliseconds from a request to the first byte of its response."""

SETTLES = 1_500
"""Milliseconds to keep observing the page after the last request."""

_OBSERVE = """
window.seen = {paint: 0, task: 0, shift: 0};
const observe = (type, see) =>
  new PerformanceObserver(list => list.getEntries().forEach(see)).observe({type, buffered: true});
observe("largest-contentful-paint", ({startTime}) => (seen.paint = startTime));
observe("longtask", ({duration}) => (seen.task = Math.max(seen.task, duration)));
observe("layout-shift", ({value}) => (seen.shift += value));
"""


@dataclass(frozen=True, slots=True)
class Visit:
    """The cost of one visit.

    Attributes:
        shown: bytes on the wire, including headers, until the page has loaded.
        all: the same, including later requests of the idle page.
        paint: milliseconds until the largest paint.
        task: milliseconds of the longest task; 0 if none took 50.
        shift: the sum of all layout shifts.
    """

    shown: float
    all: float
    paint: float
    task: float
    shift: float


class Wire:
    """Counts the bytes that a page receives."""

    def __init__(self, session: CDPSession) -> None:
        self.shown = 0
        self.all = 0
        self._early: set[str] = set()
        self._loaded = False
        session.on("Page.loadEventFired", self._load)
        session.on("Network.requestWillBeSent", self._ask)
        session.on("Network.loadingFinished", self._finish)

    def _load(self, _: object) -> None:
        self._loaded = True

    def _ask(self, event: dict[str, Any]) -> None:
        if not self._loaded:
            self._early.add(event["requestId"])

    def _finish(self, event: dict[str, Any]) -> None:
        size = int(event["encodedDataLength"])
        self.all += size
        if event["requestId"] in self._early:
            self.shown += size


@contextmanager
def _newcomer(browser: Browser) -> Iterator[tuple[Page, CDPSession]]:
    with closing(browser.new_context(**MOVING_PHONE, service_workers="block")) as context:
        page = context.new_page()
        page.add_init_script(_OBSERVE)
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Page.enable")
        yield page, session


def visit(
    browser: Browser, url: str, codings: Iterable[str] = ("br", "gzip"), *, slow: bool = True
) -> Visit:
    """Visit an address for the first time."""
    with _newcomer(browser) as (page, session):
        headers = {"Accept-Encoding": ", ".join(codings)}
        session.send("Network.setExtraHTTPHeaders", {"headers": headers})
        if slow:
            bytes_per_second = BITS_PER_SECOND / 8
            conditions = {
                "offline": False,
                "latency": LATENCY,
                "downloadThroughput": bytes_per_second,
                "uploadThroughput": bytes_per_second,
            }
            session.send("Network.emulateNetworkConditions", conditions)
            session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
        wire = Wire(session)
        page.goto(url)
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(SETTLES)
        seen = page.evaluate("seen")
        return Visit(wire.shown, wire.all, seen["paint"], seen["task"], seen["shift"])


def median_visit(browser: Browser, url: str, visits: int) -> Visit:
    """Visit an address for the first time repeatedly, and return the median of each number."""
    columns = zip(*(astuple(visit(browser, url)) for _ in range(visits)), strict=True)
    return Visit(*(statistics.median(column) for column in columns))


def main() -> None:
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("-n", "--visits", type=int, default=3, help="visits of each screen")
    visits = parser.parse_args().visits
    with running_site() as site, sync_playwright() as playwright:
        browser = launched(playwright, machine().whole_browser)
        host = Player(browser, site.url)
        room = host.open_room("roosevelt").rpartition("/")[2]
        say = print
        say("screen                 br shown    all  gz shown    all   paint  task   shift")
        for path in ("/", "/daily/robert", f"/r/{room}", "/practice/roosevelt"):
            url = site.url + path
            found = median_visit(browser, url, visits)
            gzipped = visit(browser, url, ["gzip"], slow=False)
            sizes = "".join(
                f"{shown / 1024:10.1f} {whole / 1024:6.1f}"
                for shown, whole in ((found.shown, found.all), (gzipped.shown, gzipped.all))
            )
            say(f"{path:21}{sizes} {found.paint:7.0f} {found.task:5.0f} {found.shift:7.3f}")
        host.close()
        browser.close()


if __name__ == "__main__":
    main()
