"""A page object: one player's browser, with its content and actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgpack
from playwright.sync_api import Browser, BrowserContext, Locator, Page, WebSocket, expect
from playwright.sync_api import Error as PlaywrightError

from engine.cards import RANKS
from tests.browser.friend import Friend

DESKTOP: dict[str, Any] = {
    "viewport": {"width": 1280, "height": 800},
    # Tests run faster without animations.
    "reduced_motion": "reduce",
}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "reduced_motion": "reduce",
}
OFFLINE_PHONE = {**PHONE, "service_workers": "allow"}
"""A phone that caches the page for offline use."""
MOVING_PHONE = {**PHONE, "reduced_motion": "no-preference"}

FROM_RIGHT = "\u05d7\u05e0\u05d4"
"""A right-to-left name."""

TIMEOUT = 20_000
"""Milliseconds to wait for an element to become visible."""

expect.set_options(timeout=TIMEOUT)

_SIGN_IN = """if (location.origin !== "null")
  localStorage.getItem("samedeal.token") ?? localStorage.setItem("samedeal.token", "TOKEN");"""


_REPORT_BLOCKED = """addEventListener("securitypolicyviolation", (event) => {
  throw new Error(`${event.effectiveDirective} blocked ${event.blockedURI} ${event.sample}`);
});"""
"""Turns violations of the page's Content-Security-Policy into uncaught errors."""


_SEE_ROBERT = """after => {
  const of = name => document.querySelector(`[data-testid="${name}"]`);
  if (of('see-results')) return {over: true};
  const moves = of('move-count')?.innerText;
  if (of('board')?.dataset.live !== 'true' || moves === after) return null;
  const top = pile => {
    const cards = [...document.querySelectorAll(`[data-pile="${pile}"][data-card]`)];
    cards.sort((a, b) => a.dataset.index - b.dataset.index);
    return cards.at(-1)?.dataset.card ?? '';
  };
  const [foundation, waste] = [top('f0'), top('w')];
  if (foundation === '??' || waste === '??') return null;
  const home = parseInt(of('home-count').innerText);
  return {over: false, moves, home, foundation, waste};
}"""
"""Returns the state that the next move depends on, once the page shows it."""


class Player:
    """A browser context with one page.

    Args:
        browser: the browser.
        url: the URL of the site.
        device: the settings of the context; by default it has no service worker, which takes a
            third of a page's processor time.
        name: the player's name; without one, the page creates a new guest when it is first opened.
        prepare: called with the context before it has a page.

    Attributes:
        token: the initial token of a player with a name, otherwise empty.
        problems: messages of the page's uncaught errors and of blocked content.
        sent: how many WebSocket frames the page has sent.
        sent_kinds: the first item of each: the type of a command, or the number of an attempt.
        received: how many frames it has received.
        sockets: when WebSockets were opened and closed.
        console: the page's console messages.
    """

    def __init__(
        self,
        browser: Browser,
        url: str,
        device: dict[str, Any] = DESKTOP,
        name: str | None = None,
        prepare: Callable[[BrowserContext], None] | None = None,
    ) -> None:
        self.token = ""
        self.context = browser.new_context(**{"service_workers": "block", **device})
        if prepare is not None:
            prepare(self.context)
        if name is not None:
            # A page would take much longer to create the guest.
            with Friend(url, name) as guest:
                self.token = guest.token
            self.context.add_init_script(_SIGN_IN.replace("TOKEN", self.token))
        self.context.add_init_script(_REPORT_BLOCKED)
        self.context.set_default_timeout(TIMEOUT)
        self.page: Page = self.context.new_page()
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.console: list[str] = []
        self.page.on("console", lambda message: self.console.append(message.text))
        self.sent = 0
        self.sent_kinds: list[int] = []
        self.received = 0
        self.sockets: list[str] = []
        self.page.on("websocket", self._follow)
        self._url = url

    def _follow(self, socket: WebSocket) -> None:
        self.sockets.append(f"opened after {self.sent} frames")
        socket.on("framesent", self._count)
        socket.on("framereceived", self._count_received)
        socket.on("close", lambda _: self.sockets.append(f"closed after {self.sent} frames"))

    def _count_received(self, _: str | bytes) -> None:
        self.received += 1

    def report(self) -> str:
        """Return the page's content and messages, for a failed test's report."""
        try:
            shown = self.page.locator("body").inner_text(timeout=1_000)
        except PlaywrightError as error:
            shown = str(error)
        return "\n".join(
            [
                self.page.url,
                f"sockets: {self.sockets}; frames: {self.sent} sent, {self.received} received",
                f"last kinds sent: {self.sent_kinds[-20:]}",
                f"problems: {self.problems}; console: {self.console[-20:]}",
                shown[:1_500],
            ]
        )

    def _count(self, frame: str | bytes) -> None:
        self.sent += 1
        assert isinstance(frame, bytes), "the page sends binary frames only"
        self.sent_kinds.append(msgpack.unpackb(frame)[0])

    def go(self, path: str) -> None:
        """Open a path of the site."""
        self.page.goto(self._url + path)

    def see(self, name: str) -> Locator:
        """Return the element with this test id."""
        return self.page.get_by_test_id(name)

    def press(self, name: str) -> None:
        """Click the element with this test id."""
        self.see(name).click()

    def unfold(self, name: str) -> None:
        """Open the collapsed element with this test id and leave it open."""
        fold = self.see(name)
        if fold.get_attribute("open") is None:
            fold.locator("summary").first.click()
        expect(fold).to_have_attribute("open", "")

    def cards(self, pile: str) -> list[str]:
        """Return the cards of a pile as the page shows them, bottom to top."""
        shown = self.page.locator(f'[data-pile="{pile}"][data-card]')
        cards: list[list[Any]] = shown.evaluate_all(
            "found => found.map(card => [Number(card.dataset.index), card.dataset.card])"
        )
        return [card for _, card in sorted(cards)]

    def tap(self, pile: str) -> None:
        """Click the top card of a pile, or its empty place."""
        size = len(self.cards(pile))
        top = f'[data-pile="{pile}"][data-index="{size - 1}"]'
        self.page.locator(top if size else f'[data-pile="{pile}"][data-empty]').click()

    def moves(self) -> int:
        """Return the number of moves that the page shows."""
        return int("".join(filter(str.isdigit, self.see("move-count").inner_text())))

    def home(self) -> int:
        """Return the number of cards home that the page shows."""
        return int(self.see("home-count").inner_text().partition("/")[0])

    def wait_for_moves(self, count: int) -> None:
        """Wait until the page shows this number of moves."""
        expect(self.see("move-count")).to_contain_text(str(count))

    def own_page(self) -> str:
        """Return the URL of the player's own page, from the link in the settings."""
        self.go("/settings")
        path = self.see("own-page").get_attribute("href")
        assert path is not None
        return self._url + path

    def choose_game(self, game: str) -> None:
        """Choose a game for a race by its picture."""
        self.see(f"game-{game}").check(force=True)

    def open_room(self, game: str, seats: int = 2, allowed: str = "none") -> str:
        """Create a room and return its link; a room with a single seat shows no invitation.

        Without help, which is not the default, runs end when no card can be moved any more.
        """
        self.go("/new")
        self.choose_game(game)
        self.see("help-select").select_option(allowed)
        self.see("seats-select").select_option(str(seats))
        self.press("create-room")
        self.see("seat").wait_for()
        return self.page.url

    def wait_for_board(self) -> None:
        """Wait until the board has movable cards."""
        self.page.wait_for_selector(
            '[data-testid="board"][data-live="true"] [data-card]', state="attached"
        )

    def wait_for_rest(self) -> None:
        """Wait until no card flies: a flying card would intercept a tap."""
        self.page.wait_for_function(
            """() => document.getAnimations().every(
                 (each) => !each.effect.target.closest('[data-card]')
               )"""
        )

    def wait_for_cards(self) -> None:
        """Wait until the server has shown the cards turned up by the last moves."""
        self.page.wait_for_function(
            """() => {
                 const tops = new Map();
                 for (const {dataset} of document.querySelectorAll('[data-pile][data-card]')) {
                   const top = tops.get(dataset.pile);
                   if (dataset.pile !== 's' && Number(dataset.index) >= Number(top?.index ?? 0))
                     tops.set(dataset.pile, dataset);
                 }
                 return [...tops.values()].every(({card}) => card !== '??');
               }"""
        )

    def hinted(self) -> list[str | None]:
        """Wait for a hint, and return the piles of the cards that it highlights."""
        # While the guide is shown, a newcomer's movable cards are highlighted in the same way.
        self.page.locator(".guide").wait_for(state="hidden")
        lit = self.page.locator(".hinted[data-pile]")
        lit.first.wait_for()
        return [each.get_attribute("data-pile") for each in lit.all()]

    def wait_for_faces(self) -> None:
        """Wait until the faces of all cards are drawn."""
        self.page.wait_for_function(
            """() => [...document.querySelectorAll('[data-card] > *')].every(
                 (sheet) => getComputedStyle(sheet).backgroundImage !== 'none')"""
        )

    def wait_for_frames(self, count: int) -> None:
        """Wait for this many animation frames."""
        self.page.evaluate(
            """count => new Promise(done => {
                 const next = () => (count-- > 0 ? requestAnimationFrame(next) : done());
                 next();
               })""",
            count,
        )

    def give_up(self) -> None:
        """Resign the attempt."""
        self.press("give-up")
        self.press("give-up-confirm")

    def play_robert(self, home: int = 52) -> None:
        """Play Robert to its end, or until this many cards are home."""
        moves = None
        while (seen := self._see_robert(moves)) and seen["home"] < home:
            moves = seen["moves"]
            if seen["waste"] and adjoin(seen["foundation"], seen["waste"]):
                self.tap("w")
            else:
                self.page.keyboard.press("d")

    def bring_home(self, cards: int) -> None:
        """Play Robert until this many more cards are home."""
        self.play_robert(self.home() + cards)

    def _see_robert(self, moves: str | None) -> dict[str, Any] | None:
        """Wait for another number of moves, with cards; return `None` after the last move."""
        seen = self.page.wait_for_function(_SEE_ROBERT, arg=moves).json_value()
        return None if seen["over"] else dict(seen)

    def without_page(self) -> Friend:
        """Return a session of the same player without a browser."""
        return Friend(self._url, token=self.token)

    def close(self) -> None:
        """Close the browser context and fail if the page had uncaught errors."""
        self.context.close()
        assert self.problems == [], self.problems


def adjoin(one: str, other: str) -> bool:
    """Return whether two cards' ranks are adjacent, counting King and Ace."""
    return (RANKS.index(one[0]) - RANKS.index(other[0])) % 13 in {1, 12}
