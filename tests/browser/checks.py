"""Checks of any screen: layout, and axe's rules for WCAG 2.2 AA."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import TimeoutError as PlaywrightTimeoutError
from playwright.sync_api import ViewportSize

from server.players.core.names import MAX_LENGTH
from tests.browser.player import FROM_RIGHT, Player
from tests.processes import ROOT

AXE = ROOT / "client_js/node_modules/axe-core/axe.min.js"

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

NARROW: ViewportSize = {"width": 320, "height": 640}

WIDE: ViewportSize = {"width": 1280, "height": 800}

FIND_MISFITS = """() => {
  const shown = element => {
    const {width, height} = element.getBoundingClientRect();
    return width > 0 && height > 0 && !element.closest('.sr-only, .skip, .controls');
  };
  const all = selector => [...document.querySelectorAll(selector)].filter(shown);
  const words = element => (element.innerText || element.outerHTML).slice(0, 60);
  const past = all('main *').filter(element => {
    const {left, right} = element.getBoundingClientRect();
    // Tables scroll by themselves; the cards of the home screen are
    // cut off on purpose, and so are names that end in an ellipsis.
    return (left < -1 || right > WIDTH + 1) &&
      !element.closest('.wide, .hero, .board') &&
      !(element.matches('bdi') && getComputedStyle(element.parentElement).overflowX === 'hidden');
  });
  // Elements below such an element overlap its content. A table takes the window's height, and
  // large figures overflow their lines.
  const spilling = all('main:not(:has(.board, .track)) :is(div, section)').filter(element =>
    element.scrollHeight > element.clientHeight + 24 &&
    getComputedStyle(element).overflowY === 'visible' &&
    !element.closest('.hero, .hand, .card, .strip, .plot'));
  const boxes = '[type=radio], [type=checkbox]';
  const small = all(`button, a, select, input:not(${boxes}), label:has(${boxes}), summary`)
    .filter(element => {
      const {width, height} = element.getBoundingClientRect();
      return width < 43.5 || height < 43.5;
    });
  return [
    ...(innerWidth > WIDTH ? [`the window scrolls sideways: ${innerWidth}`] : []),
    ...past.map(element => `past the edge: ${words(element)}`),
    ...spilling.map(element => `higher than its box: ${words(element)}`),
    ...small.map(element => `too small to tap: ${words(element)}`),
  ];
}""".replace("WIDTH", str(NARROW["width"]))
"""Returns elements that overflow the window or their boxes, and targets below 44 pixels."""

FIND_UNREADABLE = """() => {
  const found = [];
  const headings = [...document.querySelectorAll('h1, h2, h3')];
  // A game's name fits next to the clock; a longer title may be cut.
  for (const {textContent, scrollWidth, clientWidth, scrollHeight, clientHeight} of
    headings.filter(each => each.matches('.bar h1') && each.textContent.length < 14))
    if (scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1)
      found.push(`cut: ${textContent}`);
  for (const heading of headings.filter(each => !each.closest('.sr-only'))) {
    const texts = document.createTreeWalker(heading, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      // The isolates around a name have no width, so one may be on the previous line.
      for (const {0: word, index} of text.data.matchAll(/[^\\s/\\u2013\\u2068\\u2069-]+/g)) {
        const range = new Range();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        // The visible part of a long title.
        const {bottom: end} = heading.getBoundingClientRect();
        const rects = [...range.getClientRects()].filter(({bottom}) => bottom <= end + 1);
        // A name has to break if it is wider than the screen.
        const lines = new Set(rects.map(({bottom}) => Math.round(bottom)));
        if (lines.size > 1 && word.length < LONGEST) found.push(`broken: ${word}`);
        const covers = rects.flatMap(({right, top, bottom}) => [0.2, 0.5, 0.8].map(part =>
          document.elementFromPoint(right - 1, top + part * (bottom - top))
            ?.closest('[aria-hidden]')));
        // A dialog covers the page by design.
        const isOver = cover => cover && !heading.contains(cover) && !cover.closest('dialog');
        if (covers.some(isOver)) found.push(`covered: ${word}`);
      }
    }
  }
  return found;
}""".replace("LONGEST", str(MAX_LENGTH))
"""Returns words of headings that are broken across lines or covered by pictures."""

FIND_SCRAMBLED = """name => {
  // Names between isolates do no harm.
  const bare = text => text.replace(/\\u2068[^\\u2069]*\\u2069/g, '').includes(name);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (texts.nextNode()) {
    const {data, parentElement} = texts.currentNode;
    if (bare(data) && !parentElement.closest('bdi, script')) found.push(data);
  }
  for (const attribute of ['aria-label', 'title', 'alt'])
    for (const element of document.querySelectorAll(`[${attribute}]`))
      if (bare(element.getAttribute(attribute))) found.push(element.outerHTML.slice(0, 120));
  if (bare(document.title)) found.push(document.title);
  return found;
}"""
"""Returns texts that a right-to-left name reorders."""

LONGEST = {
    "languages": ["en-GB", "de-DE", "fr-FR"],
    "names": ["Ada", "Grace", "Barbara", "Emmy", "Nina", FROM_RIGHT],
    "name": "W" * MAX_LENGTH,
    "clock": "23:59:59",
    "digits": [
        # Days of a month, seconds to a start, and cards.
        [".board, [data-testid=calendar], [data-testid=countdown]", 0],
        ["[data-testid=home-count]", 3],
        ["*", 4],
    ],
}
"""Placeholders for dates in these languages, these names, clocks and numbers.

A daily ends within a day, which limits clocks. The digits of a number depend on its meaning:
elsewhere they are moves, points, ratings and places.
"""

_WITH_LONGEST = (Path(__file__).parent / "longest.js").read_text()

FIND_LONGEST_MISFITS = f"() => ({_WITH_LONGEST})({FIND_MISFITS}, {json.dumps(LONGEST)})"
"""Returns the misfits, as `FIND_MISFITS` does, of the page with the longest texts."""

LOOKS = {
    "misfits": FIND_MISFITS,
    "broken or covered words": FIND_UNREADABLE,
    "the longest texts": FIND_LONGEST_MISFITS,
}
"""Functions that find problems in each reading mode, by name."""

_FIND_ALL = f"() => [{', '.join(f'({how})()' for how in LOOKS.values())}]"
"""Returns the results of all `LOOKS` in one call, which is faster than a call for each."""

# Every rule is checked. Omitting the elements that pass saves two thirds of the time.
FIND_VIOLATIONS = """async tags => {
  const wanted = {runOnly: {type: 'tag', values: tags}, resultTypes: ['violations']};
  return (await axe.run(wanted)).violations;
}"""
"""Returns violations of the rules with one of the tags."""

PLAIN = "document.documentElement.style.fontSize = ''; document.documentElement.dir = ''"
"""Reverts the changes of the reading modes."""

READING_MODES = {
    "plain": PLAIN,
    "twice the text": f"{PLAIN}; document.documentElement.style.fontSize = '200%'",
    "from right to left": f"{PLAIN}; document.documentElement.dir = 'rtl'",
}


PATIENCE = 120_000
"""A page counts as hung after this many milliseconds.

The slowest check takes about ten seconds on an overloaded machine.
"""


def problems(player: Player) -> list[str]:
    """Return the problems of a player's screen, and restore the screen.

    On a narrow phone in light colours, nothing overflows the window, every target is large enough,
    and no name reorders its surroundings; also with doubled text, from right to left, and with the
    longest dates, names and numbers. In that setting, and in dark colours in a wide window, no word
    of a heading is broken or covered, and axe finds no violation.
    """
    size, scheme = _size(player), _scheme(player)
    _show(player, NARROW, "light")
    found = _misfits_here(player) + _violations(player)
    found += _find(player, "scrambled names", FIND_SCRAMBLED, FROM_RIGHT)
    _show(player, WIDE, "dark")
    found += _violations(player)
    found += _find(player, "broken or covered words", FIND_UNREADABLE)
    _show(player, size, scheme)
    return found


def misfits(player: Player) -> list[str]:
    """Return the misfits on a narrow phone only, as `problems` does.

    One language is enough from right to left: an element on the wrong side is wrong in all.
    """
    size, scheme = _size(player), _scheme(player)
    _show(player, NARROW, "light")
    found = _misfits_here(player, ("plain", "twice the text"))
    _show(player, size, scheme)
    return found


def _misfits_here(player: Player, modes: Iterable[str] = READING_MODES) -> list[str]:
    """Return the misfits at the current size, in some of the `READING_MODES`."""
    found: list[str] = []
    for mode in modes:
        player.page.evaluate(READING_MODES[mode])
        player.wait_for_frames(2)
        looked = _find(player, f"{mode}: {', '.join(LOOKS)}", _FIND_ALL)
        for what, wrong in zip(LOOKS, looked, strict=True):
            found += [f"{mode}, {what}: {each}" for each in wrong]
    player.page.evaluate(PLAIN)
    return found


def _size(player: Player) -> ViewportSize:
    size = player.page.viewport_size
    assert size is not None
    return size


def _scheme(player: Player) -> Literal["light", "dark"]:
    dark = player.page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    return "dark" if dark else "light"


def _show(player: Player, size: ViewportSize, scheme: Literal["light", "dark"]) -> None:
    """Show the page at a size and in a colour scheme.

    Changes are skipped where possible, as each costs two layouts.
    """
    shown = _size(player), _scheme(player)
    if shown == (size, scheme):
        return
    if shown[0] != size:
        player.page.set_viewport_size(size)
    if shown[1] != scheme:
        player.page.emulate_media(color_scheme=scheme)
    player.wait_for_frames(2)


def _violations(player: Player) -> list[str]:
    """Return axe's violations on the page: each rule and its places."""
    if not player.page.evaluate("'axe' in window"):
        player.page.evaluate(AXE.read_text())
    found: list[dict[str, Any]] = _find(player, "violations", FIND_VIOLATIONS, TAGS)
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in found
        for node in violation["nodes"]
    ]


def _find(player: Player, what: str, function: str, arg: object = None) -> list[Any]:
    """Return the result of a JavaScript function on the page, and fail if the page hangs."""
    page = player.page
    try:
        # Unlike `evaluate`, this has a time-out.
        handle = page.wait_for_function(
            f"async arg => ({{found: await ({function})(arg)}})", arg=arg, timeout=PATIENCE
        )
    except PlaywrightTimeoutError as error:
        raise AssertionError(f"{page.url} hangs during this check: {what}") from error
    found: list[Any] = handle.evaluate("({found}) => found")
    handle.dispose()
    return found
