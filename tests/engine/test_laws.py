"""Laws: invariants of every game and variant, on every board of random walks."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.board import Board, Piles, apply_delta, view_of
from engine.cards import DOWN, UNSEEN, turned_up
from engine.errors import IllegalMoveError
from engine.moves import brings_home, is_stuck, is_won, legal_moves
from engine.notation import move_text
from engine.play import apply, play
from engine.position import parse_position, position_of
from engine.ruleset import ENDLESS, ROW, Move
from tests.engine.positions import ALL, is_view_pile
from tests.engine.starts import STARTS, built_start
from tests.relatives import find_ruleset

MAX_WALK = 250


def walk(start: Board, steps: int, greed: float, chance: Random) -> list[Board]:
    """Return the boards of a random walk; `greed` is the probability of a move home, if any."""
    boards = [start]
    while len(boards) <= steps and (moves := legal_moves(boards[-1])):
        home = [move for move in moves if brings_home(start.ruleset, move)]
        fresh = [move for move in moves if move.source == start.ruleset.stock]
        kind = chance.random()
        quiet = [move for move in home if move not in fresh]
        best = (kind < greed and (quiet or home)) or (kind < greed / 2 and fresh) or moves
        boards.append(apply(boards[-1], chance.choice(best)))
    return boards


@st.composite
def walks(draw: st.DrawFn) -> list[Board]:
    rules = find_ruleset(*draw(st.sampled_from(ALL)))
    chance = Random(draw(st.integers(0, 2**32 - 1)))
    start = draw(st.sampled_from(STARTS))(rules, chance)
    steps = draw(st.integers(0, MAX_WALK))
    return walk(start, steps, draw(st.sampled_from([0.0, 0.5, 1.0])), chance)


LAST = walks().map(lambda boards: boards[-1])


@given(walks())
def test_cards_are_conserved(boards: list[Board]) -> None:
    whole = Counter(boards[0].ruleset.pack)
    for board in boards:
        assert Counter(b"".join(map(turned_up, board.piles))) == whole


@given(walks())
def test_no_card_leaves_a_foundation_unless_the_rules_allow_it(boards: list[Board]) -> None:
    for before, after in pairwise(boards):
        for pile, group in enumerate(before.ruleset.groups):
            if not group.plays:
                assert after.piles[pile].startswith(before.piles[pile])


@given(walks())
def test_every_uncovered_card_lies_face_up_and_every_move_counts_one(boards: list[Board]) -> None:
    for at, board in enumerate(boards):
        assert board.moves == at
        for pile in board.ruleset.tableau:
            covered = any(board.piles[other] for other in board.ruleset.covered_by[pile])
            assert covered or not board.piles[pile] or not board.piles[pile][-1] & DOWN


@given(walks())
def test_the_delta_of_a_move_leads_from_view_to_view(boards: list[Board]) -> None:
    for board in boards:
        for move in legal_moves(board):
            after, delta = play(board, move)
            assert apply_delta(view_of(board), delta) == view_of(after)
            assert all(is_view_pile(put) for _, _, put in delta.changes)
            piles = [pile for pile, _, _ in delta.changes]
            assert piles == [p for p in range(len(board.piles)) if board.piles[p] != after.piles[p]]


@given(walks())
def test_a_view_shows_only_face_up_cards(boards: list[Board]) -> None:
    for board in boards:
        view = view_of(board)
        for pile, shown in zip(board.piles, view.piles, strict=True):
            assert is_view_pile(shown)
            assert len(shown) == len(pile)
            for card, seen in zip(pile, shown, strict=True):
                assert seen == (UNSEEN if card & DOWN else card)


@given(walks())
def test_a_view_has_the_legal_moves_of_its_board(boards: list[Board]) -> None:
    for board in boards:
        view = view_of(board)
        moves = legal_moves(board)
        assert legal_moves(view) == moves
        assert len(set(moves)) == len(moves)
        assert (is_won(view), is_stuck(view)) == (board.won, is_stuck(board))


@given(LAST, st.randoms())
def test_only_listed_moves_are_accepted(board: Board, chance: Random) -> None:
    piles = range(len(board.piles))
    listed = set(legal_moves(board))
    every = [Move(s, t, n) for s in piles for t in (*piles, ROW) for n in range(15)]
    for move in [*listed, *chance.sample(every, 100)]:
        try:
            play(board, move)
        except IllegalMoveError:
            assert move not in listed
        else:
            assert move in listed


@given(walks())
def test_a_position_parses_back(boards: list[Board]) -> None:
    for board in boards[::10]:
        text = json.dumps(position_of(board))
        parsed = parse_position(json.loads(text), find_ruleset)
        assert parsed == board
        assert json.dumps(position_of(parsed)) == text


def moves_between(boards: list[Board]) -> list[str]:
    return [
        next(move_text(one.ruleset, move) for move in legal_moves(one) if apply(one, move) == other)
        for one, other in pairwise(boards)
    ]


def still_hidden(before: Piles, after: Piles) -> list[tuple[int, int]]:
    """Return (pile, index) of the cards that lie face down both before and after a move."""
    return [
        (pile, at)
        for pile, (old, new) in enumerate(zip(before, after, strict=True))
        for at, (one, other) in enumerate(zip(old, new, strict=False))
        if one & DOWN and other & DOWN
    ]


def with_hidden_shuffled(board: Board, places: list[tuple[int, int]], chance: Random) -> Board:
    piles = [bytearray(pile) for pile in board.piles]
    cards = [piles[pile][at] for pile, at in places]
    chance.shuffle(cards)
    for (pile, at), card in zip(places, cards, strict=True):
        piles[pile][at] = card
    return Board(board.ruleset, tuple(map(bytes, piles)), board.redeals, board.moves)


@given(walks(), st.integers(0, 2**32 - 1))
def test_no_view_move_or_delta_depends_on_an_unseen_card(boards: list[Board], seed: int) -> None:
    """Boards that differ only in unseen cards look and play the same until one is turned up."""
    chance = Random(seed)
    for board in boards[::3]:
        everywhere = still_hidden(board.piles, board.piles)
        twin = with_hidden_shuffled(board, everywhere, chance)
        assert view_of(twin) == view_of(board)
        assert legal_moves(twin) == legal_moves(board)
        for move in legal_moves(board):
            after, delta = play(board, move)
            untouched = still_hidden(board.piles, after.piles)
            assert play(with_hidden_shuffled(board, untouched, chance), move)[1] == delta


@given(walks())
def test_a_won_board_is_not_stuck_and_has_no_moves(boards: list[Board]) -> None:
    for board in boards:
        assert board.won == is_won(board) == (board.home == board.ruleset.total)
        assert is_stuck(board) == (not board.won and not legal_moves(board))
        if board.won:
            assert legal_moves(board) == []


@pytest.mark.parametrize("least", [8, pytest.param(80, marks=pytest.mark.deep)])
@pytest.mark.parametrize(("game", "variant"), ALL)
def test_the_walks_reach_wins_dead_ends_redeals_and_runs(
    game: str, variant: str, least: int
) -> None:
    """Make at least `least` walks, and more until all expected endings are found."""
    rules = find_ruleset(game, variant)
    expected = {"won"} | ({"2"} if rules.moves_runs else set())
    expected |= {"redeal"} if rules.redeals else set()
    expected |= {"13"} if rules.runs_home else set()
    can_be_stuck = rules.redeals < ENDLESS and not rules.automatic
    expected |= {"stuck"} if can_be_stuck else set()
    ends: set[str] = set()
    for number in range(80):
        if number >= least and expected <= ends:
            break
        chance = Random(number)
        boards = walk(STARTS[number % 4](rules, chance), MAX_WALK, number // 2 % 2, chance)
        ends |= {"won"} if boards[-1].won else set()
        ends |= {"stuck"} if is_stuck(boards[-1]) else set()
        ends |= {"redeal"} if boards[-1].redeals else set()
        ends |= {text.partition("x")[2] for text in moves_between(boards[-60:])}
    assert expected <= ends
    assert ("redeal" in ends) == (rules.redeals > 0)
    assert ("2" in ends) == rules.moves_runs


@pytest.mark.parametrize(("game", "variant"), ALL)
def test_built_boards_vary_widely(game: str, variant: str) -> None:
    rules = find_ruleset(game, variant)
    built = [built_start(rules, Random(number)) for number in range(40)]
    stocks = {len(board.piles[rules.stock]) for board in built}
    assert len(stocks) > 4 or not rules.in_stock
    assert 0 in stocks
    assert len({board.home for board in built}) > (4 if rules.automatic else 10)
    assert len({tuple(map(len, board.piles)) for board in built}) > 30
