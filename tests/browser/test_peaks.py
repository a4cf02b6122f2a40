"""A pyramid whose cards go home in pairs, on a phone."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.browser.checks import problems
from tests.browser.conftest import Site
from tests.browser.player import MOVING_PHONE, Player
from tests.browser.screens import store_practice
from tests.browser.test_layout import FIND_OVERLAPS, WINDOWS

SEED = "04" + "00" * 31
WIN = (
    "t26>t23 s>w s>w s>w w>t22 t16>t25 t27>t19 s>w s>w s>w t21>w s>w s>w t15>w s>w s>w s>w t24>w "
    "t18>t10 s>w w>t20 s>w w>t13 s>w w>f0 s>w w>f0 s>w s>w s>w s>w s>w t17>w s>w s>w s>w w>f0 s>w "
    "w>s s>w s>w s>w t12>w s>w s>w t14>w s>w s>w s>w t9>w s>w t11>w t6>f0 s>w t8>w t5>t7 s>w s>w "
    "s>w w>t4 t3>t2 s>w w>s s>w s>w s>w s>w s>w t1>w s>w s>w s>w t0>w"
)
"""Moves that win the deal of the seed; the last one clears the pyramid."""

LOG_FLIGHTS = """() => {
  window.flown = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...how) {
    if (this.dataset.card) window.flown.push(`${this.dataset.card} ${this.dataset.pile}`);
    return animate.apply(this, how);
  };
}"""


def test_pairs_fly_home_until_the_pyramid_is_cleared(browser: Browser, site: Site) -> None:
    player = Player(browser, site.url, MOVING_PHONE)
    page = player.page
    page.add_init_script("localStorage.setItem('samedeal.guided.pyramid', '3')")
    player.go("/")
    store_practice(player, "pyramid", {"seed": SEED, "moves": []})
    player.go("/practice/pyramid")
    player.wait_for_board()
    player.wait_for_rest()
    found = {}
    for width, height in WINDOWS:
        page.set_viewport_size({"width": width, "height": height})
        player.wait_for_frames(4)
        found[width, height] = page.evaluate(FIND_OVERLAPS)
    assert not any(found.values()), found
    page.set_viewport_size(MOVING_PHONE["viewport"])
    player.wait_for_frames(4)
    assert problems(player) == []

    # Its only partner goes with it.
    page.evaluate(LOG_FLIGHTS)
    pair = {*player.cards("t23"), *player.cards("t26")}
    player.tap("t26")
    player.wait_for_moves(1)
    assert {*player.cards("f0")} == pair
    player.wait_for_rest()
    assert {*page.evaluate("flown")} == {f"{card} f0" for card in pair}
    player.press("undo")
    player.wait_for_moves(0)
    player.wait_for_rest()

    # Of two partners, the player chooses one.
    player.tap("s")
    player.wait_for_moves(1)
    player.wait_for_rest()
    player.tap("t26")
    expect(page.locator(".card.target")).to_have_count(2)
    player.tap("w")
    player.wait_for_moves(2)
    assert len(player.cards("f0")) == 2
    assert player.cards("t23")

    store_practice(player, "pyramid", {"seed": SEED, "moves": WIN.split()[:-1]})
    page.reload()
    player.wait_for_board()
    player.wait_for_rest()
    player.tap("t0")
    player.see("win-show").click()
    expect(player.see("home-count")).to_contain_text("52")
    expect(page.get_by_role("status").filter(has_text="You won!")).to_be_visible()
    assert problems(player) == []
    player.close()
