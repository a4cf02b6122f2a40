"""The drawn board: controls beside cards, in practice, races, challenges and replays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache

import pytest
from playwright.sync_api import Browser, expect

from engine.board import Board
from engine.catalog import ruleset
from engine.deal import deal_seed, shuffled
from engine.moves import legal_moves
from engine.notation import move_text
from engine.play import apply
from tests.browser.conftest import Site
from tests.browser.friend import Friend
from tests.browser.player import PHONE, Player
from tests.browser.screens import SEED
from tests.browser.steps import start_daily

WINDOWS = ((360, 640), (390, 844), (844, 390))
SMALL = ((360, 640), (390, 844), (740, 360), (1440, 900))
LANGUAGES = ("en-GB", "de-DE", "fr-FR")

FIND_OVERLAPS = """() => {
  const boxes = (selector) => [...document.querySelectorAll(selector)]
    .map((element) => [element, element.getBoundingClientRect()])
    .filter(([, {width, height}]) => width > 0 && height > 0);
  const name = (element) => element.dataset.pile
    ? element.dataset.pile + (element.dataset.index ?? '') : element.textContent.trim();
  const on = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 0.5
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 0.5;
  const [board] = boxes('[data-testid=board]').map(([, box]) => box);
  const controls = boxes('.felt-screen .tools > *, .felt-screen .tool');
  const cards = boxes('[data-card], .place');
  const [dock] = boxes('.dock').map(([, box]) => box);
  const found = [];
  for (const [control, box] of controls) {
    for (const [card, at] of cards)
      if (on(box, at)) found.push(`${name(control)} covers ${name(card)}`);
    if (box.bottom > innerHeight + 0.5 || box.right > innerWidth + 0.5)
      found.push(`${name(control)} is cut off`);
    if (control.scrollWidth > control.clientWidth + 1)
      found.push(`${name(control)} is too long`);
    if (dock && on(box, board) && !(box.left >= dock.left - 0.5 && box.right <= dock.right + 0.5
        && box.top >= dock.top - 0.5 && box.bottom <= dock.bottom + 0.5))
      found.push(`${name(control)} leaves its place`);
  }
  const tops = new Map();
  const columns = new Map();
  for (const [card, at] of boxes('[data-card]')) {
    const {pile, index} = card.dataset;
    // Of a card of peaks that others cover, nothing has to be tapped.
    if (card.classList.contains('covered')) continue;
    if (Number(index) >= Number(tops.get(pile)?.[0].dataset.index ?? 0)) tops.set(pile, [card, at]);
    if (pile.startsWith('t')) columns.set(pile, [...(columns.get(pile) ?? []), [card, at]]);
  }
  // The window's edge may cut a top card of a long column, and nothing else.
  for (const [card, {top, bottom}] of boxes('[data-card]'))
    if (Math.min(bottom, top + 24) > innerHeight + 1) found.push(`${name(card)} is cut off`);
  for (const column of columns.values()) {
    column.sort(([a], [b]) => a.dataset.index - b.dataset.index);
    for (const [nth, [card, {top}]] of column.slice(0, -1).entries())
      if (card.dataset.card !== '??' && column[nth + 1][1].top - top < 7.9)
        found.push(`${name(card)} is covered`);
  }
  const ended = document.querySelector('[data-testid=board][data-live=true]') === null;
  for (const [card, {left, top, width, height: high, bottom}] of tops.values()) {
    const height = Math.min(bottom, innerHeight) - top;
    if (Math.min(width, high) < 24) found.push(`${name(card)} is too small`);
    // Nobody taps the cards of another player.
    if (ended) continue;
    // A grid of 24 pixels around its centre belongs to the card.
    for (const across of [-11, 11]) for (const down of [-11, 11]) {
      const hit = document.elementFromPoint(
        left + width / 2 + across, top + height / 2 + down)?.closest('[data-pile]');
      if (hit !== card) found.push(`${name(card)} cannot be tapped`);
    }
  }
  return found;
}"""
"""Returns the controls that cover cards or leave their place, and top cards that are no target."""


@cache
def longest_column(game: str) -> tuple[str, ...]:
    """Return moves that lead to a long column: each makes the tableau as uneven as possible."""
    rules = ruleset(game)
    board, moves = deal_seed(rules, bytes.fromhex(SEED)), list[str]()
    longest, found = 0, list[str]()
    seen = set[str]()
    for _ in range(60):
        after = [
            (move_text(rules, move), apply(board, move))
            for move in legal_moves(board)
            if move.target not in rules.foundations
        ]
        unseen = [(text, each) for text, each in after if repr(each.piles) not in seen]
        if not unseen:
            break
        text, board = max(unseen, key=lambda each: (unevenness(each[1]), each[0]))
        seen.add(repr(board.piles))
        moves.append(text)
        size = max(len(board.piles[pile]) for pile in rules.tableau)
        if size > longest:
            longest, found = size, list(moves)
    return tuple(found)


def unevenness(board: Board) -> int:
    return sum(len(board.piles[pile]) ** 3 for pile in board.ruleset.tableau)


@pytest.mark.parametrize(
    ("game", "hand"),
    [
        ("klondike", "left"),
        *(
            pytest.param(game, hand, marks=pytest.mark.deep)
            for game, hand in (
                ("klondike", "right"),
                ("spider", "left"),
                ("freecell", "right"),
                ("yukon", "left"),
                ("deuces", "left"),
                ("tripeaks", "right"),
            )
        ),
    ],
)
def test_no_control_covers_a_card_of_a_long_column(
    game: str, hand: str, browser: Browser, site: Site
) -> None:
    found: dict[str, list[str]] = {}
    for language in LANGUAGES:
        player = Player(browser, site.url, {**PHONE, "locale": language})
        kept = json.dumps({"seed": SEED, "moves": longest_column(game)})
        for key, value in {
            f"samedeal.practice.{game}": kept,
            f"samedeal.guided.{game}": "3",
            "samedeal.settings": json.dumps({"hand": hand}),
        }.items():
            player.page.add_init_script(f"localStorage.setItem({key!r}, {value!r})")
        player.go(f"/practice/{game}")
        player.wait_for_board()
        for width, height in WINDOWS:
            player.page.set_viewport_size({"width": width, "height": height})
            for size in ("", "150%"):
                player.page.evaluate(
                    "size => (document.documentElement.style.fontSize = size)", size
                )
                player.wait_for_frames(4)
                if wrong := player.page.evaluate(FIND_OVERLAPS):
                    found[f"{language} {width}x{height} {size}"] = wrong
        player.close()
    assert found == {}


SHOW_LONGEST = """() => {
  const at = (name) => document.querySelector(`[data-testid="${name}"]`);
  const aim = at('home-count').querySelector('.of').textContent.slice(1);
  at('home-count').firstChild.data = aim;
  at('move-count').textContent = '1000';
  if (at('clock')) {
    at('clock').textContent = '23:59:59';
    at('clock').classList.add('hours');
  }
  const bar = document.querySelector('.bar');
  const {bottom} = at('board').getBoundingClientRect();
  const cut = [...bar.querySelectorAll('*')]
    .filter((each) => each.getBoundingClientRect().right > innerWidth + 0.5
      || (each.matches('h1') && each.scrollWidth > each.clientWidth + 1))
    .map((each) => each.textContent.trim());
  return {height: bar.offsetHeight, cut, bottom};
}"""
"""Shows the longest values that a bar can have, and returns its height and what is cut off."""

NARROW = (360, 390)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_bar_fits_its_longest_values(language: str, browser: Browser, site: Site) -> None:
    player = Player(browser, site.url, {**PHONE, "locale": language}, "Ada")
    wrong: dict[str, object] = {}
    for game in ("klondike", "forty-thieves", "rouge-et-noir", "lady-betty"):
        player.go(f"/practice/{game}")
        player.wait_for_board()
        expect(player.see("home-count")).to_contain_text("/")
        for width in NARROW:
            player.page.set_viewport_size({"width": width, "height": 740})
            shown = player.page.evaluate(SHOW_LONGEST)
            if shown["height"] > 52 or shown["cut"]:
                wrong[f"{game} at {width}"] = shown
    start_daily(player, "rouge-et-noir")
    for width in NARROW:
        player.page.set_viewport_size({"width": width, "height": 740})
        shown = player.page.evaluate(SHOW_LONGEST)
        if shown["height"] > 52 or shown["cut"]:
            wrong[f"the daily at {width}"] = shown
    assert wrong == {}
    player.close()


@cache
def deck_of(game: str) -> str:
    """Return the deck of the deal with `SEED` in hexadecimal, to be played as a known deal."""
    return shuffled(ruleset(game).pack, bytes.fromhex(SEED)).hex()


HIDE_MARK = "document.querySelectorAll('.mark').forEach((each) => (each.hidden = true))"

HEIGHTS = """() => ['.top, .bar', '.board'].map(
  (each) => document.querySelector(each).offsetHeight)"""

FIND_BROKEN = """() => {
  const broken = [];
  for (const tool of document.querySelectorAll('.docked .tool')) {
    const texts = document.createTreeWalker(tool, NodeFilter.SHOW_TEXT);
    while (texts.nextNode())
      for (const {0: word, index} of texts.currentNode.data.matchAll(/[^\\s\u00ad]+/g)) {
        const range = new Range();
        range.setStart(texts.currentNode, index);
        range.setEnd(texts.currentNode, index + word.length);
        if (range.getClientRects().length > 1) broken.push(`${word} is broken`);
      }
  }
  return broken;
}"""
"""Returns the words of the buttons next to the cards that are broken across lines."""

LEAST_BOARD = 0.4
"""The least share of a window's height for the cards, also next to a replay's controls."""

BARS = {(360, 640): 140, (390, 844): 164, (740, 360): 46, (1440, 900): 130}
"""The most height of everything above the board, by window."""


def test_bars_of_a_race_of_eight_leave_the_height_to_long_columns(
    browser: Browser, site: Site
) -> None:
    """The heights are those of `longColumns.test.ts`, which computes all games with them."""
    player = Player(browser, site.url, {**PHONE, "locale": "fr-FR"}, "Ada Lovelace Byron")
    player.page.add_init_script("localStorage.setItem('samedeal.guided.klondike', '3')")
    found: dict[str, object] = {}
    with ExitStack() as stack:
        link, rivals = race_of_eight(player, site, stack)
        for where in screens_of(player, link, rivals):
            # Only known deals have a mark, which takes a line of a phone.
            player.page.evaluate(HIDE_MARK)
            for width, height in SMALL:
                player.page.set_viewport_size({"width": width, "height": height})
                player.wait_for_frames(4)
                wrong = player.page.evaluate(FIND_OVERLAPS)
                wrong += player.page.evaluate(FIND_BROKEN)
                bars, board = player.page.evaluate(HEIGHTS)
                if where == "race" and bars > BARS[width, height]:
                    wrong.append(f"bars of {bars} pixels")
                if board < height * LEAST_BOARD:
                    wrong.append(f"only {board} pixels of cards")
                if wrong:
                    found[f"{where} {width}x{height}"] = wrong
    assert found == {}
    player.close()


def race_of_eight(player: Player, site: Site, stack: ExitStack) -> tuple[str, list[Friend]]:
    """Start a race in which the player has a long column, and return its link and the rivals."""
    names = (
        "Grace Brewster Hop",
        "Barbara",
        "Emmy",
        "Nina",
        "Wilhelmina WWWWWWWWW",
        "Sofia",
        "Mary",
    )
    host, *guests = (stack.enter_context(Friend(site.url, name)) for name in names)
    link = host.open_room("klondike", seats=8, known=deck_of("klondike"))
    for guest in guests:
        guest.join(link)
    with player.without_page() as own:
        own.join(link)
        host.start(link)
        for each in (own, host, *guests):
            each.wait_for_round()
        for move in longest_column("klondike"):
            own.play(move)
    return link, [host, *guests]


def screens_of(player: Player, link: str, rivals: list[Friend]) -> Iterator[str]:
    """Visit the boards of a race and of a challenge."""
    player.page.goto(link)
    player.wait_for_board()
    expect(player.see("chip")).to_have_count(8)
    yield "race"
    player.give_up()
    player.press("watch")
    player.page.locator('[data-testid="board-shown"] [data-card]').first.wait_for()
    yield "watching"
    for rival in rivals:
        rival.give_up()
    player.see("results").wait_for()
    own = player.see("watch-run").last.get_attribute("href")
    player.page.goto(link.partition("/r/")[0] + str(own))
    player.see("replay").wait_for()
    player.press("to-end")
    yield "replay"
    player.go("/c")
    player.unfold("challenge-options")
    player.choose_game("klondike")
    player.press("make-challenge")
    player.press("play-challenge")
    player.wait_for_board()
    yield "challenge"
