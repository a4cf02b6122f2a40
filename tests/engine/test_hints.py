"""Hints: legal, based only on seen cards, and finite when followed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import Board, view_of
from engine.cards import DOWN, parse_pile
from engine.catalog import games, ruleset
from engine.deal import deal_seed
from engine.hints import SLICE, hint, hint_steps
from engine.moves import brings_home, goes_home, has_few_moves, legal_moves
from engine.notation import move_text
from engine.play import apply, play
from engine.ruleset import Ruleset
from tests.engine.positions import ALL, VARIANTS
from tests.relatives import find_ruleset
from tests.sizes import cases

LONGEST = 600
"""More moves than following hints takes in any game."""


DEALS = pytest.mark.parametrize("deals", [4, pytest.param(20, marks=pytest.mark.deep)])
"""Deals of each game and variant to follow hints from."""


def walked(rules: Ruleset, chance: Random, moves: int) -> Board:
    at = deal_seed(rules, chance.randbytes(32))
    for _ in range(moves):
        legal = sorted(legal_moves(at), key=rules.written)
        if not legal:
            break
        at = apply(at, chance.choice(legal))
    return at


def followed(at: Board) -> tuple[Board, int]:
    """Follow hints to their end; return the last board and the number of hints."""
    for number in range(LONGEST):
        move = hint(at)
        if move is None:
            return at, number
        at, _ = play(at, move)
    pytest.fail("The hints repeat in a cycle.")


def reshuffled(at: Board, chance: Random) -> Board:
    down = [card for pile in at.piles for card in pile if card & DOWN]
    chance.shuffle(down)
    faces = iter(down)
    piles = tuple(bytes(next(faces) if card & DOWN else card for card in p) for p in at.piles)
    return Board(at.ruleset, piles, at.redeals, at.moves)


@pytest.mark.parametrize(("game", "variant"), ALL)
@given(seed=st.integers(min_value=0), moves=st.integers(0, 80))
@settings(max_examples=cases(8, 100))
def test_hints_are_legal_and_end(game: str, variant: str, seed: int, moves: int) -> None:
    """`play` accepts only legal moves."""
    _, number = followed(walked(find_ruleset(game, variant), Random(seed), moves))
    assert number < LONGEST


@pytest.mark.parametrize(("game", "variant"), ALL)
@given(seed=st.integers(min_value=0), moves=st.integers(0, 80))
@settings(max_examples=cases(16, 100))
def test_a_hint_depends_only_on_seen_cards(game: str, variant: str, seed: int, moves: int) -> None:
    """The player cannot distinguish the boards."""
    chance = Random(seed)
    at = walked(find_ruleset(game, variant), chance, moves)
    assert hint(at) == hint(view_of(at)) == hint(reshuffled(at, chance))


@DEALS
@pytest.mark.parametrize(("game", "variant"), VARIANTS)
def test_hints_bring_cards_home_in_every_game(game: str, variant: str, deals: int) -> None:
    rules = find_ruleset(game, variant)
    home = [
        followed(deal_seed(rules, bytes([seed]) * 32))[0].home - rules.home_at_start
        for seed in range(deals)
    ]
    if games()[game].listing.crown == "rarities":
        assert sum(home) / len(home) >= rules.total / 8
        assert all(home)
    else:
        # Runs of several suits need more foresight than one move.
        assert sum(home) > 0 or (rules.automatic and len(rules.rules.suits) > 2)


@DEALS
@pytest.mark.parametrize(("game", "variant"), ALL)
def test_a_hint_is_missing_only_where_no_card_can_go_home_immediately(
    game: str, variant: str, deals: int
) -> None:
    rules = find_ruleset(game, variant)
    for seed in range(deals):
        last, _ = followed(deal_seed(rules, bytes([seed]) * 32))
        assert not any(brings_home(rules, move) for move in legal_moves(last))
        assert not last.piles[rules.stock] or not legal_moves(last)


@pytest.mark.parametrize(
    ("game", "piles", "expected"),
    [
        pytest.param("roosevelt", "f0=AS t0=3H,2S t1=4S w=9D", "t0>f0", id="home"),
        pytest.param("roosevelt", "f0=AS t0=2S,7H t1=8S t2=3D", "t0>t1", id="prepares"),
        pytest.param("deuces", "t0=4C,8S,7S t1=9S t2=KD,QD s=?2D", "t0>t1x2", id="joins"),
        pytest.param("deuces", "t0=8S,7S t1=8S s=?2D", "s>w", id="joined already"),
        pytest.param("roosevelt", "t0=9S t1=4D,8H t2=7C,8D", "t1>t0", id="leftmost"),
        pytest.param("roosevelt", "t0=9S t1=4D,8H t2=8D", "t2>t0", id="empties"),
        pytest.param("rouge-et-noir", "t0=?2S,KH t1=9S s=?2D", "t0>t2", id="turns up"),
        pytest.param("roosevelt", "t0=TS t1=2C w=9H s=?2D", "w>t0", id="waste builds"),
        pytest.param("roosevelt", "t0=TS w=3H s=?2D", "w>t1", id="waste on an empty pile"),
        pytest.param("lady-betty", "t0=2S t1=KH t2=JD s=QS", "s>t1", id="buries least"),
        pytest.param("lady-betty", "t0=KH t1=KD,9S s=8C", "s>t1", id="goes home little later"),
        pytest.param("robert", "f0=QS w=4D s=?2D", "s>w", id="deals"),
        pytest.param("robert", "f0=QS w=4D,3D", "w>s", id="turns over"),
        pytest.param("roosevelt", "t0=5S,5H t1=4D,4H,9S t2=QS,QH", "t0>t3", id="spreads"),
        pytest.param("lady-betty", "f0=AS t0=3S t1=3D", None, id="nothing left"),
        pytest.param("pyramid", "t0=2S t1=9S t2=9H w=4D", "t1>w", id="pair"),
        pytest.param("pyramid", "t0=2S t1=KS t2=9H w=4D", "t1>f0", id="leftmost home"),
        pytest.param("pyramid", "t0=2S t1=KS t2=6D t5=9H w=4D", "t5>w", id="uncovers the most"),
        pytest.param("tripeaks", "f0=5S t1=6H t2=?2S t7=6S s=?KD", "t7>f0", id="turns up the most"),
        pytest.param("tripeaks", "f0=5S t0=?2S t3=7S s=?KD", "s>f0", id="deals the stock home"),
    ],
)
def test_hints_follow_the_rules_page(game: str, piles: str, expected: str | None) -> None:
    rules = find_ruleset(game, "standard")
    given = dict(pile.split("=") for pile in piles.split())
    cards = (parse_pile(given.get(name, "").replace(",", " ").split()) for name in rules.pile_names)
    move = hint(Board(rules, tuple(cards)))
    assert (move and move_text(rules, move)) == expected


def test_a_hints_work_is_proportional_to_its_charge() -> None:
    wild = "tableau.order=any;tableau.match=any;tableau.moves=run"
    works = []
    for cards in (2, 11):
        rules = ruleset("roosevelt", f"tableau.deal={','.join([str(cards)] * 9)};{wild}")
        seeds = (Random(number).randbytes(32) for number in range(200))
        board = next(at for at in (deal_seed(rules, s) for s in seeds) if not goes_home(at))
        steps = hint_steps(board)
        moves = next(steps)
        assert moves == len(legal_moves(board)) > 70 * cards
        calls = [_calls_until_pause(steps) for _ in range(-(-moves // SLICE))]
        assert max(calls) < 20 * SLICE, "a slice takes longer on boards with more moves"
        works.append(sum(calls) / moves)
    assert max(works) < min(2 * min(works), 15)


def _calls_until_pause(steps: Iterator[int]) -> int:
    """Count the function calls until the next pause, or the end."""
    calls = 0

    def count(_frame: FrameType, event: str, _arg: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        next(steps, None)
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("names", ALL, ids="-".join)
def test_a_move_home_is_found_without_listing_the_moves(names: tuple[str, str]) -> None:
    chance = Random(2)
    for moves in (0, 12, 60):
        board = walked(find_ruleset(*names), chance, moves)
        homeward = [m for m in legal_moves(board) if brings_home(board.ruleset, m)]
        assert goes_home(board) == bool(homeward)
        count = len(legal_moves(board))
        assert board.won or (has_few_moves(board, count), has_few_moves(board, count - 1)) == (
            True,
            False,
        )
