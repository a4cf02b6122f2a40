"""The proof that no tableau pile can be emptied, against an exhaustive search."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from random import Random

import pytest

from engine.board import Board
from engine.deal import deal_seed
from engine.moves import legal_moves
from engine.play import apply
from engine.ruleset import Ruleset
from engine.solver import beam
from engine.solver.beam import first_space
from engine.solver.beam.first_space import LIMITED, NEVER, REACHED, search_first_space
from engine.solver.solution import Verdict
from tests.engine.solver.exhaustive import most_home, narrow, numbered
from tests.relatives import find_ruleset
from tests.sizes import cases

POSITIONS = 3_000
"""Limit of positions for the exhaustive search."""

RULES = [
    ("forty-thieves", "standard"),
    ("forty-thieves", "sequences"),
    ("deuces", "standard"),
    ("deuces", "strict"),
    ("forty-thieves", "waste.redeals=1"),
]


def meets_empty_pile(board: Board) -> bool | None:
    """Return whether an empty tableau pile can be reached; `None` if positions are too many."""
    seen, left = {(board.piles, board.redeals)}, [board]
    if not all(board.piles[pile] for pile in board.ruleset.tableau):
        return True
    while left:
        at = left.pop()
        for move in legal_moves(at):
            after = apply(at, move)
            if not all(after.piles[pile] for pile in board.ruleset.tableau):
                return True
            if (after.piles, after.redeals) not in seen:
                seen.add((after.piles, after.redeals))
                left.append(after)
        if len(seen) > POSITIONS:
            return None
    return False


def short_board(rules: Ruleset, chance: Random) -> Board:
    """Return a board with cards of two suits in few columns, where low cards mostly lie deep.

    Half of the boards lack a rank, so that no foundation grows beyond it.
    """
    rules = narrow(rules, chance.choice([2, 3, 4]))
    suits = chance.sample(range(4), chance.randint(2, 3))
    height = chance.randint(4, 7)
    first = rules.groups[0].first
    base = "A23456789TJQK".index(first)
    cards = [suit * 13 + (base + step) % 13 for suit in suits for step in range(height)] * 2
    piles = [b""] * len(rules.pile_names)
    if rules.groups[0].setup == "laid-out":
        # The foundations' first cards lie there already.
        for pile, rank, suit in rules.laid_out_suits():
            piles[pile] = bytes(("SHDC".index(suit) * 13 + "A23456789TJQK".index(rank),))
        cards = [card for card in cards if card % 13 != base]
    if chance.random() < 0.5:
        cards = [card for card in cards if card % 13 != (base + 1) % 13]
    mixing = chance.choice([4, 8, 30])
    cards.sort(key=lambda card: (card - base) % 13 + chance.random() * mixing)
    deep = chance.randint(2, 5)
    for pile in rules.tableau:
        piles[pile] = bytes(cards[:deep])
        cards = cards[deep:]
    piles[rules.stock] = bytes(card | 64 for card in cards)
    return Board(rules, tuple(piles), 0)


@pytest.mark.parametrize(("game", "variant"), RULES)
def test_the_outcome_matches_an_exhaustive_search(game: str, variant: str) -> None:
    rules = find_ruleset(game, variant)
    assert first_space.applies(rules) == (game == "forty-thieves")
    counts: Counter[int] = Counter()
    for number in range(cases(60, 600)):
        board = short_board(rules, Random(number))
        meets = meets_empty_pile(board)
        if meets is None:
            continue
        outcome, _, _ = search_first_space(board, 4 * POSITIONS)
        assert outcome == (REACHED if meets else NEVER), board
        counts[outcome] += 1
    assert min(counts[REACHED], counts[NEVER]) > 5


def test_a_board_on_which_no_pile_can_be_emptied_is_lost() -> None:
    rules = find_ruleset("forty-thieves")
    lost = 0
    for number in range(cases(40, 400)):
        board = numbered(rules, number)
        found = beam.solve(board, 40_000)
        if found.proof == beam.NO_SPACE:
            lost += 1
            assert found.verdict is Verdict.IMPOSSIBLE
            home = most_home(board, POSITIONS)
            assert home is None or found.home <= home < rules.total
            assert home is None or found.most == (found.home == home)
            for move in found.line:
                board = apply(board, move)
            assert board.home == found.home
    assert lost > 0


def test_a_search_that_runs_out_of_positions_proves_nothing() -> None:
    board = deal_seed(find_ruleset("forty-thieves"), sha256(b"samedeal deal 114").digest())
    for limit in (1, 10, 200):
        outcome, steps, _ = search_first_space(board, limit)
        assert outcome == LIMITED
        assert steps < limit + 60


@pytest.mark.deep
def test_a_deal_of_forty_thieves_is_lost() -> None:
    board = deal_seed(find_ruleset("forty-thieves"), sha256(b"samedeal deal 114").digest())
    found = beam.solve(board)
    assert (found.verdict, found.proof) == (Verdict.IMPOSSIBLE, beam.NO_SPACE)


def test_other_games_are_not_tried() -> None:
    for game, variant in (("roosevelt", "standard"), ("deuces", "strict"), ("spider", "standard")):
        assert not first_space.applies(find_ruleset(game, variant))
