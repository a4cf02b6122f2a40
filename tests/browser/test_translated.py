"""The page under a browser's translation, as in Chrome and Edge: it continues to update."""

from __future__ import annotations

from playwright.sync_api import Browser, Locator, expect

from tests.browser.conftest import Site
from tests.browser.player import DESKTOP, Player
from tests.browser.screens import SEED, store_practice

MARK = "\u00bf"
"""Prefix of each translated text."""

TRANSLATE = """mark => {
  const OURS = 'script, style, font, [translate=no]';
  const put = text => {
    if (!text.isConnected || !text.data.trim() || text.parentElement.closest(OURS)) return;
    const [outer, inner] = [document.createElement('font'), document.createElement('font')];
    inner.append(mark + text.data);
    outer.append(inner);
    text.replaceWith(outer);
  };
  const translate = node => {
    const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    const found = node.nodeType === Node.TEXT_NODE ? [node] : [];
    while (texts.nextNode()) found.push(texts.currentNode);
    found.forEach(put);
  };
  const what = {subtree: true, childList: true, characterData: true};
  new MutationObserver(records => records.forEach(({type, target, addedNodes}) => {
    for (const node of type === 'characterData' ? [target] : addedNodes) translate(node);
  })).observe(document.body, what);
  translate(document.body);
}"""
"""Translates the page, and later additions and changes, the way browsers do."""

COUNTS = """() => {
  const figure = document.querySelector('[data-testid=countdown] [aria-hidden]');
  window.figures ??= new Set();
  if (figure) figures.add(figure.textContent);
  return figures.size > 1;
}"""
"""Returns whether several seconds of a countdown have been seen."""

READY = "() => performance.getEntriesByType('resource').some(({name}) => /translation/.test(name))"


def translate(player: Player) -> None:
    wait_until_ready(player)
    player.page.evaluate(TRANSLATE, MARK)
    expect(player.page.locator("font").first).to_be_attached()


def wait_until_ready(player: Player) -> None:
    """Wait until the page has loaded its protection against translators."""
    player.page.wait_for_function(READY)
    player.wait_for_frames(2)


def text_of(player: Player, selector: str = "main") -> str:
    """Return the text of a part of the page, without the marks of a translation."""
    words = player.page.locator(selector).inner_text().replace(MARK, "")
    return " ".join(words.split())


def expect_same(translated: Player, plain: Player, selector: str = "main") -> None:
    for _ in range(100):
        if text_of(translated, selector) == text_of(plain, selector):
            return
        for player in (translated, plain):
            player.wait_for_frames(3)
    assert text_of(translated, selector) == text_of(plain, selector)


def wait_for_change(element: Locator) -> None:
    expect(element).not_to_have_text(element.text_content() or "")


def test_a_translated_table_matches_an_untranslated_one(browser: Browser, site: Site) -> None:
    translated, plain = (Player(browser, site.url, DESKTOP, name) for name in ("Ada", "Grace"))
    for player in (translated, plain):
        player.go("/new")
        for game in ("robert", "roosevelt"):
            store_practice(player, game, {"seed": SEED, "moves": []})
        player.go("/practice/robert")
        player.wait_for_board()
    translate(translated)
    expect_same(translated, plain)
    before = text_of(translated)
    for key in ("d", "d", "d", "u"):
        for player in (translated, plain):
            player.page.keyboard.press(key)
        expect_same(translated, plain)
    assert text_of(translated) != before
    # A new screen leaves nothing of the previous one.
    for path in ("/rules/robert", "/practice/roosevelt"):
        for player in (translated, plain):
            player.page.evaluate(
                "path => Object.assign(document.body.appendChild(document.createElement('a')),"
                " {href: path}).click()",
                path,
            )
            screen = player.page.locator(f'[data-screen="{path.split("/")[1]}"]')
            screen.wait_for(state="attached")
            player.page.wait_for_load_state("networkidle")
        expect_same(translated, plain)
    for player in (translated, plain):
        player.close()


def test_a_translated_race_continues(browser: Browser, site: Site) -> None:
    translated, plain = (Player(browser, site.url, DESKTOP, name) for name in ("Ada", "Grace"))
    link = translated.open_room("robert")
    translate(translated)
    plain.page.goto(link)
    expect(translated.see("seat")).to_have_count(2)
    expect(translated.see("seat").last).to_contain_text("Grace")
    expect(translated.see("free-seats")).to_have_count(0)
    translated.press("start-round")
    translated.page.wait_for_function(COUNTS)
    for player in (translated, plain):
        player.wait_for_board()
    wait_for_change(translated.see("clock"))
    # Both play the same moves on the same deal, and see each other do so.
    for player in (translated, plain):
        player.play_robert(3)
    home = str(translated.home())
    assert home == str(plain.home())
    for player in (translated, plain):
        for row in ("own-progress", "runner-progress"):
            expect(player.see(row)).to_have_attribute("data-home", home)
            expect(player.see(row).locator(".count")).to_have_text(home)
    for player in (translated, plain):
        player.give_up()
    for player in (translated, plain):
        player.see("results").wait_for()
    expect_same(translated, plain, "[data-testid=results] table")
    for player in (translated, plain):
        player.close()


def test_a_translated_start_screen_counts_down(browser: Browser, site: Site) -> None:
    player = Player(browser, site.url, DESKTOP, "Ada")
    player.go("/")
    player.see("daily-robert").wait_for()
    translate(player)
    wait_for_change(player.page.locator(".titled .number"))
    # After playing, the whole list changes.
    played = "You" + "\u2019" + "re in the middle of it"
    player.press("daily-robert")
    player.press("play-daily")
    player.wait_for_board()
    wait_for_change(player.see("clock"))
    player.page.locator(".leave").click()
    expect(player.see("daily-robert")).to_contain_text(played)
    expect(player.see("daily-robert").locator(".go")).to_have_text(f"{MARK}Resume")
    player.close()


def test_the_original_text_returns_after_a_translation(browser: Browser, site: Site) -> None:
    player = Player(browser, site.url, DESKTOP, "Ada")
    player.go("/new")
    wait_until_ready(player)
    title = player.page.get_by_role("heading", level=1)
    said = title.inner_text()
    title.evaluate(
        """heading => {
             const [text] = heading.childNodes;
             const font = document.createElement('font');
             font.append('Neu');
             text.replaceWith(font);
             window.takeBack = () => font.replaceWith(text);
           }"""
    )
    expect(title).to_have_text("Neu")
    player.page.evaluate("takeBack()")
    expect(title).to_have_text(said)
    player.close()
