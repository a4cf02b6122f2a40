"""A person at the page: sees cards, taps and drags them."""

from __future__ import annotations

from typing import Any

import msgpack
from playwright.sync_api import Browser, Locator, Page, expect

DESKTOP: dict[str, Any] = {
    "viewport": {"width": 1280, "height": 800},
    # Cards that stand still are played faster.
    "reduced_motion": "reduce",
}
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
}

PATIENCE = 20_000
"""Milliseconds after which what should be seen counts as missing."""

expect.set_options(timeout=PATIENCE)

RANKS = "A23456789TJQK"


class Player:
    """One browser of one person."""

    def __init__(self, browser: Browser, url: str, device: dict[str, Any] = DESKTOP) -> None:
        self.context = browser.new_context(**device)
        self.context.set_default_timeout(PATIENCE)
        self.page: Page = self.context.new_page()
        self.problems: list[str] = []
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.sent = 0
        """Frames that the page has sent."""
        self.said: list[int] = []
        """The same, by what each begins with: the kind of a command, or an attempt's number."""
        self.page.on("websocket", lambda socket: socket.on("framesent", self._count))
        self._url = url

    def _count(self, frame: str | bytes) -> None:
        self.sent += 1
        assert isinstance(frame, bytes), "the page sends nothing else"
        self.said.append(msgpack.unpackb(frame)[0])

    def go(self, path: str) -> None:
        """Open an address of the site."""
        self.page.goto(self._url + path)

    def see(self, name: str) -> Locator:
        """Return what carries this test id."""
        return self.page.get_by_test_id(name)

    def press(self, name: str) -> None:
        """Press a button."""
        self.see(name).click()

    def cards(self, pile: str) -> list[str]:
        """Return the cards of a pile as they are shown, bottom to top."""
        shown = self.page.locator(f'[data-pile="{pile}"][data-card]')
        cards: list[list[Any]] = shown.evaluate_all(
            "found => found.map(card => [Number(card.dataset.index), card.dataset.card])"
        )
        return [card for _, card in sorted(cards)]

    def tap(self, pile: str) -> None:
        """Tap a pile's top card, or its empty place."""
        size = len(self.cards(pile))
        top = f'[data-pile="{pile}"][data-index="{size - 1}"]'
        self.page.locator(top if size else f'[data-pile="{pile}"][data-empty]').click()

    def moves(self) -> int:
        """Return the number of moves that is shown."""
        return int("".join(filter(str.isdigit, self.see("move-count").inner_text())))

    def wait_for_moves(self, count: int) -> None:
        """Wait until this number of moves is shown."""
        expect(self.see("move-count")).to_contain_text(str(count))

    def open_room(self, game: str, seats: int = 2) -> str:
        """Open a room with its settings, and return its link."""
        self.go("/new")
        self.see("game-select").select_option(game)
        self.see("seats-select").select_option(str(seats))
        self.press("create-room")
        return self.see("invite-link").input_value()

    def wait_for_board(self) -> None:
        """Wait until there are cards on the table, and they may be moved."""
        self.page.wait_for_selector(
            '[data-testid="board"][data-live="true"] [data-card]', state="attached"
        )

    def wait_for_cards(self) -> None:
        """Wait until the server has said which cards the last moves turned up."""
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

    def wait_for_faces(self) -> None:
        """Wait until all cards are drawn."""
        self.page.wait_for_function(
            """() => [...document.querySelectorAll('[data-card] > *')].every(
                 (sheet) => getComputedStyle(sheet).backgroundImage !== 'none')"""
        )

    def watch_frames(self, count: int) -> None:
        """Look on while the page is drawn this often."""
        self.page.evaluate(
            """count => new Promise(done => {
                 const next = () => (count-- > 0 ? requestAnimationFrame(next) : done());
                 next();
               })""",
            count,
        )

    def give_up(self) -> None:
        """End the attempt as it stands."""
        self.press("give-up")
        self.press("give-up-confirm")

    def play_robert(self) -> None:
        """Play on until no move is left: bring home what fits, else deal, else turn over."""
        over = self.see("see-results")
        while not over.is_visible():
            before = self.moves()
            home, waste = self.cards("f0"), self.cards("w")
            if waste and _adjoin(home[-1], waste[-1]):
                self.tap("w")
            else:
                self.tap("s")
            self.page.wait_for_function(
                """before => document.querySelector('[data-testid="see-results"]') ||
                   (!document.querySelector('[data-testid="move-count"]').innerText
                      .match(new RegExp(`\\\\b${before}\\\\b`)) &&
                    !document.querySelector('[data-pile="w"][data-card="??"]') &&
                    !document.querySelector('[data-pile="f0"][data-card="??"]'))""",
                arg=before,
            )

    def close(self) -> None:
        """Leave; a page that had an error of its own fails the test."""
        self.context.close()
        assert self.problems == []


def _adjoin(one: str, other: str) -> bool:
    """Return whether two cards' ranks are neighbours, King and Ace too."""
    return (RANKS.index(one[0]) - RANKS.index(other[0])) % 13 in {1, 12}
