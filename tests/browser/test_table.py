"""The board in Chromium: taps, drags and keys, in practice games."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from engine.board import Board
from engine.cards import DOWN
from engine.catalog import ruleset
from engine.deal import deal_seed
from engine.hints import hint
from engine.moves import legal_moves
from engine.notation import move_text
from engine.play import apply
from engine.ruleset import Move
from tests.browser.conftest import Site
from tests.browser.player import DESKTOP, MOVING_PHONE, PHONE, Player
from tests.browser.screens import KINDS, SEED, WON

NEARLY_OPEN = "05" * 32
"""The seed of a Klondike deal that hints open while its stock still has cards."""

WITH_ACE = "01" * 32
"""The seed of a Klondike deal with one Ace on top of a column."""

GUIDE = "Tap a card that glows"
"""The start of the guide for newcomers."""

FIND_COVERED = """() => {
  const guide = document.querySelector('.guide').getBoundingClientRect();
  const outside = guide.left < 0 || guide.right > innerWidth || guide.bottom > innerHeight;
  const covered = [...document.querySelectorAll('[data-card]')].filter(card => {
    const {left, top, right, bottom} = card.getBoundingClientRect();
    return left < guide.right && right > guide.left && top < guide.bottom && bottom > guide.top;
  });
  return [...covered.map(card => card.dataset.pile), ...(outside ? ['outside'] : [])];
}"""
"""Returns the piles of cards that the guide covers, and whether it is cut off."""

FIND_FACES = """() => {
  const sizes = (texts) => texts.flatMap((text) =>
    text.match(/(?<=face-)[a-z0-9-]+(?=-\\w+)/g) ?? []);
  const sheets = document.adoptedStyleSheets.flatMap(({cssRules}) => [...cssRules]);
  return [
    sizes(sheets.map(({selectorText}) => selectorText ?? '')),
    sizes([...document.querySelectorAll('[data-card] > *')].map(({className}) => className)),
  ];
}"""
"""Returns the sizes in which faces of cards are drawn, and those of the cards on the board."""


@pytest.fixture
def device() -> dict[str, Any]:
    return MOVING_PHONE


@pytest.fixture
def player(device: dict[str, Any], browser: Browser, site: Site) -> Iterator[Player]:
    player = Player(browser, site.url, device)
    yield player
    player.close()


on_both = pytest.mark.parametrize(
    "device",
    [
        pytest.param(MOVING_PHONE, id="phone"),
        pytest.param(DESKTOP, id="desktop", marks=pytest.mark.deep),
    ],
)
"""Marks tests of what depends on the layout: where cards lie and land."""


def practise(
    player: Player,
    game: str,
    *moves: str,
    newcomer: bool = False,
    variant: str = "standard",
    seed: str = SEED,
) -> None:
    kept = json.dumps({"seed": seed, "moves": moves, "variant": variant})
    if not newcomer:
        player.page.add_init_script(f"localStorage.setItem('samedeal.guided.{game}', '3')")
    key = f"samedeal.practice.{game}"
    player.page.add_init_script(
        f"localStorage.getItem({key!r}) ?? localStorage.setItem({key!r}, {kept!r})"
    )
    player.go(f"/practice/{game}")
    player.wait_for_board()


def hinted_until(
    wanted: Callable[[Board], bool], game: str, variant: str = "standard", seed: str = SEED
) -> tuple[list[str], Board]:
    """Follow hints on a deal until a board satisfies the condition.

    Return the moves and the board.
    """
    rules = ruleset(game, variant)
    board, moves = deal_seed(rules, bytes.fromhex(seed)), list[str]()
    while not wanted(board):
        move = hint(board)
        assert move is not None, "hints do not lead there"
        moves.append(move_text(rules, move))
        board = apply(board, move)
    return moves, board


def drag(player: Player, card: Locator, onto: Locator) -> None:
    """Drag a card by its part that no other card covers."""
    box = card.bounding_box()
    assert box is not None
    mouse = player.page.mouse
    mouse.move(box["x"] + box["width"] / 2, box["y"] + 6)
    mouse.down()
    x, y = centre(onto)
    mouse.move(x, y - box["height"] / 2 + 6, steps=6)
    mouse.up()


def press_and_move(player: Player, card: Locator, across: float, down: float) -> None:
    """Press the mouse on a card and move it, without releasing it."""
    x, y = centre(card)
    player.page.mouse.move(x, y)
    player.page.mouse.down()
    player.page.mouse.move(x + across, y + down, steps=5)


def centre(card: Locator) -> tuple[float, float]:
    box = card.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def top(player: Player, pile: str) -> Locator:
    index = len(player.cards(pile)) - 1
    return player.page.locator(f'[data-pile="{pile}"][data-index="{index}"]')


def piles_of(cards: Locator) -> set[str]:
    return {card.get_attribute("data-pile") or "" for card in cards.all()}


@on_both
@pytest.mark.deep
def test_a_press_that_slides_off_the_stock_plays_nothing(player: Player) -> None:
    practise(player, "robert")
    for across, down, moves in ((-180, -60, 0), (3, 0, 1)):
        press_and_move(player, top(player, "s"), across, down)
        player.page.mouse.up()
        assert player.moves() == moves


@on_both
def test_one_tap_plays_the_best_move(player: Player) -> None:
    practise(player, "roosevelt")
    moved = 0
    for column in range(7):
        pile = f"t{column}"
        before = player.cards(pile)
        player.tap(pile)
        if player.moves() > moved:
            moved = player.moves()
            assert player.cards(pile) == before[:-1]
        else:
            assert player.cards(pile) == before
    assert moved > 0


@pytest.mark.deep
def test_in_two_step_play_a_first_tap_only_selects(player: Player) -> None:
    player.go("/settings")
    player.see("tapping-two").check(force=True)
    practise(player, "roosevelt")
    for column in range(7):
        player.tap(f"t{column}")
        if player.page.locator(".selected").count():
            break
    else:
        pytest.fail("no card can be selected")
    assert player.moves() == 0


@on_both
def test_a_card_dropped_on_a_wrong_pile_returns_with_a_reason(player: Player) -> None:
    practise(player, "lady-betty", "s>t0", "s>t1")
    card = player.cards("t0")[-1]
    x, y = centre(top(player, "t0"))
    to_x, to_y = centre(top(player, "t1"))
    press_and_move(player, top(player, "t0"), to_x - x, to_y - y)
    expect(player.page.locator(".held")).to_have_count(1)
    player.page.mouse.up()
    expect(player.see("notice")).to_contain_text("go there.")
    assert player.cards("t0")[-1] == card
    assert player.moves() == 2


@on_both
@pytest.mark.deep
def test_a_rotation_in_the_middle_of_a_drag_loses_nothing(player: Player) -> None:
    practise(player, "robert", "s>w")
    drawn = player.cards("w")
    size = player.page.viewport_size
    assert size is not None
    press_and_move(player, top(player, "w"), -40, -60)
    player.page.set_viewport_size({"width": size["height"], "height": size["width"]})
    player.page.mouse.up()
    player.page.set_viewport_size(size)
    expect(player.page.locator(".held")).to_have_count(0)
    assert drawn in (player.cards("w"), player.cards("f0")[-1:])
    if player.cards("w") == drawn:
        assert player.moves() == 1


@pytest.mark.deep
def test_a_reload_in_the_middle_of_a_drag_loses_nothing(player: Player) -> None:
    practise(player, "robert", "s>w")
    drawn = player.cards("w")
    press_and_move(player, top(player, "w"), -40, -60)
    player.page.reload()
    player.wait_for_board()
    player.page.mouse.up()
    assert player.cards("w") == drawn
    assert player.moves() == 1


@pytest.mark.deep
def test_practice_resumes_after_a_reload_and_undoes_moves(player: Player) -> None:
    practise(player, "deuces")
    opening = player.cards("w")
    player.tap("s")
    player.tap("s")
    drawn = player.cards("w")
    assert len(drawn) == 2
    player.page.reload()
    player.wait_for_board()
    assert player.cards("w") == drawn
    player.press("undo")
    assert player.cards("w") == drawn[:1]
    player.press("undo")
    assert player.cards("w") == opening
    expect(player.see("undo")).to_be_disabled()


@on_both
def test_faces_are_drawn_in_the_boards_sizes_only(player: Player) -> None:
    practise(player, "freecell")
    player.wait_for_faces()
    drawn, needed = player.page.evaluate(FIND_FACES)
    assert set(drawn) == set(needed)


def test_a_hint_marks_cards_until_the_next_move(player: Player) -> None:
    practise(player, "roosevelt")
    player.press("hint")
    expect(player.page.locator(".hinted").first).to_be_visible()
    player.tap("s")
    expect(player.page.locator(".hinted")).to_have_count(0)


@on_both
@pytest.mark.deep
def test_a_newcomer_sees_which_cards_can_be_moved(player: Player) -> None:
    practise(player, "roosevelt", newcomer=True)
    expect(player.page.get_by_text(GUIDE)).to_be_visible()
    glowing = player.page.locator(".card.hinted")
    piles = piles_of(glowing)
    assert "s" in piles
    assert len(piles) < 8, "all cards glow"
    board = player.see("board").bounding_box()
    moved = 0
    while glowing.count():
        assert player.see("board").bounding_box() == board, "the cards moved"
        player.tap(min(piles_of(glowing) - {"s"}, default="s"))
        moved += 1
        player.wait_for_moves(moved)
        player.wait_for_rest()
    assert moved >= 3
    expect(player.page.get_by_text(GUIDE)).not_to_be_visible()
    # Then the board gets the guide's room.
    player.page.wait_for_function(
        "top => document.querySelector('.board').getBoundingClientRect().top < top - 16",
        arg=board and board["y"],
    )
    player.page.reload()
    player.wait_for_board()
    expect(glowing).to_have_count(0)


@pytest.mark.deep
def test_the_guide_covers_no_card(browser: Browser, site: Site) -> None:
    player = Player(browser, site.url, PHONE)
    for game in KINDS:
        practise(player, game, newcomer=True)
        expect(player.page.get_by_text(GUIDE)).to_be_visible()
        for width, height in ((360, 740), (320, 568), (844, 390)):
            player.page.set_viewport_size({"width": width, "height": height})
            for size in ("", "200%"):
                player.page.evaluate(
                    "size => (document.documentElement.style.fontSize = size)", size
                )
                player.wait_for_frames(2)
                covered = player.page.evaluate(FIND_COVERED)
                assert covered == [], (game, width, height, size)
    player.close()


@pytest.mark.deep
def test_the_guide_says_how_cards_move_in_lady_betty(player: Player) -> None:
    practise(player, "lady-betty", newcomer=True)
    expect(player.page.get_by_text(GUIDE)).to_contain_text("then the pile for it")
    for moved in range(1, 6):
        if moved == 3:
            # A refused move keeps the guide visible.
            player.tap("t0")
        expect(player.page.get_by_text(GUIDE)).to_be_visible()
        player.tap("s")
        if player.page.locator(".selected").count():
            player.tap(f"t{moved}")
        player.wait_for_moves(moved)
    expect(player.page.get_by_text(GUIDE)).not_to_be_visible()


def test_a_key_deals_from_the_stock_with_any_focus(player: Player) -> None:
    practise(player, "robert")
    player.page.keyboard.press("d")
    player.wait_for_moves(1)
    player.see("undo").focus()
    player.page.keyboard.press("d")
    player.wait_for_moves(2)


@pytest.mark.deep
def test_a_game_is_played_by_keyboard_alone(browser: Browser, site: Site) -> None:
    player = Player(browser, site.url)
    player.page.add_init_script(
        "localStorage.setItem('samedeal.practice.robert',"
        f" JSON.stringify({{seed: '{SEED}', moves: []}}))"
    )
    player.go("/")
    keyboard = player.page.keyboard
    focus_on(player, "a", "Robert", within="nav")
    keyboard.press("Enter")
    focus_on(player, "a", "Try it")
    keyboard.press("Enter")
    player.wait_for_board()
    focus_on(player, ".controls button", "Deal")
    home = len(player.cards("f0"))
    for _ in range(300):
        if not player.page.locator('[data-live="true"]').count():
            break
        keyboard.press("ArrowLeft")
        keyboard.press("h")
        focus_on_stock = player.page.locator(f'[data-at="{stock_of(player)}"]')
        keyboard.press("ArrowRight")
        keyboard.press("Enter")
        # The stock keeps the focus, whatever its top card is.
        if player.page.locator('[data-live="true"]').count():
            expect(focus_on_stock).to_be_focused()
    else:
        pytest.fail("the game does not end")
    assert len(player.cards("f0")) > home
    assert len(player.cards("s")) == 0
    player.close()


def stock_of(player: Player) -> int:
    number = player.page.locator('ul[aria-label^="Stock"] button').get_attribute("data-at")
    assert number is not None
    return int(number)


def focus_on(player: Player, selector: str, text: str, within: str = "body") -> None:
    """Press Tab until an element with this selector and text has the focus."""
    for _ in range(60):
        player.page.keyboard.press("Tab")
        found = player.page.evaluate(
            """([selector, text, within]) => {
                 const at = document.activeElement;
                 const words = (at.innerText || '') + (at.ariaLabel || '');
                 return at.matches(selector) && words.includes(text) && !!at.closest(within);
               }""",
            [selector, text, within],
        )
        if found:
            return
    pytest.fail(f"the tab key does not lead to {text}")


def test_a_move_is_announced_to_screen_readers(player: Player) -> None:
    practise(player, "robert")
    player.tap("s")
    drawn = player.cards("w")[-1]
    ranks = {"A": "Ace", "T": "Ten", "J": "Jack", "Q": "Queen", "K": "King"}
    rank = ranks.get(drawn[0], "")
    suit = {"S": "spades", "H": "hearts", "D": "diamonds", "C": "clubs"}[drawn[1]]
    spoken = player.see("spoken")
    expect(spoken).to_contain_text(f"of {suit} came up.")
    expect(spoken).to_contain_text(rank)
    piles = player.page.locator("ul[aria-label]")
    assert piles.count() == 3
    expect(piles.first).to_have_attribute("aria-label", "Stock, 50 cards")


def test_undo_a_new_deal_and_a_resumed_game_are_announced(player: Player) -> None:
    practise(player, "robert")
    spoken = player.see("spoken")
    expect(spoken).to_contain_text("New deal.")
    player.tap("s")
    expect(spoken).to_contain_text("came up.")
    player.press("undo")
    expect(spoken).to_contain_text("back on stock.")
    player.tap("s")
    expect(spoken).to_contain_text("came up.")
    player.page.reload()
    expect(spoken).to_contain_text("1 move played")
    player.press("deal-anew")
    expect(spoken).to_contain_text("New deal.")


def test_the_page_uses_the_chosen_language(player: Player) -> None:
    player.go("/settings")
    player.see("language-de").check(force=True)
    expect(player.page.get_by_role("heading", level=1)).to_have_text("Einstellungen")
    assert player.page.evaluate("document.documentElement.lang") == "de"
    player.go("/")
    expect(player.see("race")).to_have_text("Gegen Freunde spielen")


def open_nearly_won(player: Player) -> int:
    """Open a game that only needs moves home, and return their number."""
    won = json.loads(WON.read_text())
    moves = won["moves"]
    played = max(at for at, move in enumerate(moves) if move.startswith("s>")) + 1
    kept = json.dumps({"seed": won["seed"], "moves": moves[:played]})
    player.page.add_init_script(f"localStorage.setItem('samedeal.practice.lady-betty', {kept!r})")
    player.go("/practice/lady-betty")
    player.wait_for_board()
    return len(moves) - played


@pytest.mark.deep
def test_one_button_finishes_a_nearly_won_game(browser: Browser, site: Site) -> None:
    player = Player(browser, site.url, MOVING_PHONE)
    left = open_nearly_won(player)
    before = player.moves()
    player.press("finish")
    player.wait_for_moves(before + left)
    show = player.see("win-show")
    expect(show).to_be_visible()
    show.click()
    expect(show).to_have_count(0)
    assert sum(len(player.cards(f"f{number}")) for number in range(4)) == 52
    player.close()


@pytest.mark.deep
def test_a_game_is_finished_while_the_stock_has_cards(browser: Browser, site: Site) -> None:
    def is_open(board: Board) -> bool:
        return not any(card & DOWN for pile in board.ruleset.tableau for card in board.piles[pile])

    moves, board = hinted_until(is_open, "klondike", seed=NEARLY_OPEN)
    assert board.piles[board.ruleset.stock]
    player = Player(browser, site.url, DESKTOP)
    practise(player, "klondike", *moves, seed=NEARLY_OPEN)
    player.press("finish")
    expect(player.page.get_by_role("status").filter(has_text="You won!")).to_be_visible()
    player.close()


def test_safe_cards_go_home_after_a_move_if_wanted(browser: Browser, site: Site) -> None:
    player = Player(browser, site.url, DESKTOP)
    player.go("/settings")
    player.see("auto-home-on").check(force=True)
    practise(player, "klondike", seed=WITH_ACE)
    stock = len(player.cards("s"))
    assert player.home() == 0
    player.tap("s")
    expect(player.see("home-count")).to_contain_text("1/")
    assert player.moves() == 2
    for _ in range(2):
        player.press("undo")
    assert len(player.cards("s")) == stock
    assert player.home() == 0
    player.close()


@pytest.mark.deep
def test_with_reduced_motion_a_win_is_announced_without_an_animation(
    browser: Browser, site: Site
) -> None:
    player = Player(browser, site.url, DESKTOP)
    open_nearly_won(player)
    player.press("finish")
    expect(player.page.get_by_role("status").filter(has_text="You won!")).to_contain_text("moves")
    expect(player.see("win-show")).to_have_count(0)
    # A win cannot be undone.
    expect(player.see("undo")).to_have_count(0)
    expect(player.see("deal-anew")).to_be_visible()
    player.close()


@on_both
def test_cells_accept_dragged_cards(player: Player) -> None:
    # No card is still flying once a move has been played.
    moves, _ = hinted_until(lambda board: board.moves > 0, "freecell")
    practise(player, "freecell", *moves)
    card = player.cards("t0")[-1]
    drag(player, top(player, "t0"), player.page.locator('[data-pile="c3"][data-empty]'))
    player.wait_for_moves(2)
    assert player.cards("c3") == [card]
    # A full cell takes no more, and the page says so.
    drag(player, top(player, "t1"), top(player, "c3"))
    expect(player.page.get_by_text("A cell holds one card.")).to_be_visible()
    assert player.moves() == 2


def test_a_card_is_moved_back_from_a_foundation(player: Player) -> None:
    def backs(board: Board) -> list[Move]:
        return [move for move in legal_moves(board) if move.source in board.ruleset.foundations]

    moves, board = hinted_until(lambda board: bool(backs(board)), "klondike")
    practise(player, "klondike", *moves)
    home = player.home()
    source, target = move_text(board.ruleset, backs(board)[0]).split(">")
    drag(player, top(player, source), top(player, target))
    player.wait_for_moves(len(moves) + 1)
    assert player.home() == home - 1


def test_a_run_goes_home_automatically(player: Player) -> None:
    moves, _ = hinted_until(lambda board: board.home > 0, "spider", "one-suit")
    *before, last = moves
    practise(player, "spider", *before, variant="one-suit")
    assert player.home() == 0
    found = re.fullmatch(r"(\w+)>(\w+?)(?:x(\d+))?", last)
    assert found is not None
    source, target, count = found.groups("1")
    first = len(player.cards(source)) - int(count)
    card = player.page.locator(f'[data-pile="{source}"][data-index="{first}"]')
    drag(player, card, top(player, target))
    expect(player.see("home-count")).to_contain_text("13")
    expect(player.see("spoken")).to_contain_text("A whole run goes home.")
