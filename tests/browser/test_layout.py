"""The drawn board: controls beside cards, in practice and in a race."""

from __future__ import annotations

import json
from functools import cache

import pytest
from playwright.sync_api import Browser, expect

from engine.board import Board
from engine.catalog import ruleset
from engine.deal import deal_seed
from engine.moves import legal_moves
from engine.notation import move_text
from engine.play import apply
from tests.browser.conftest import Site
from tests.browser.player import PHONE, Player
from tests.browser.screens import SEED
from tests.browser.steps import start_daily

WINDOWS = ((360, 640), (390, 844), (844, 390))
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
  for (const [card, at] of boxes('[data-card]')) {
    if (at.bottom > innerHeight + 1) found.push(`${name(card)} is cut off`);
    const {pile, index} = card.dataset;
    if (Number(index) >= Number(tops.get(pile)?.[0].dataset.index ?? 0)) tops.set(pile, [card, at]);
  }
  for (const [card, {left, top, width, height}] of tops.values()) {
    if (Math.min(width, height) < 24) found.push(`${name(card)} is too small`);
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
