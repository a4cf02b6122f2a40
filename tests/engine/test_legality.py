"""Single moves, checked, played, numbered and named without listing all legal ones."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from engine.board import Board
from engine.catalog import ruleset
from engine.errors import IllegalMoveError
from engine.fits import RUN_LENGTH
from engine.moves import is_legal, is_stuck, legal_moves
from engine.notation import parse_move
from engine.play import play
from engine.ruleset import ROW, Move
from tests.engine.oracles import check_board, check_move, check_stuck, every_move
from tests.engine.positions import ALL, board, dealt, easy_board, run_down
from tests.engine.starts import STARTS
from tests.engine.test_deuces import TOPS
from tests.engine.test_laws import LAST, MAX_WALK, walk, walks
from tests.engine.test_policies import rules_with, small
from tests.relatives import find_ruleset


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.deep)])
@pytest.mark.parametrize(("game", "variant"), ALL)
def test_only_listed_moves_are_legal(game: str, variant: str, every: int) -> None:
    """On walks from all kinds of starts; every other walk prefers moves home."""
    rules = find_ruleset(game, variant)
    for number in range(0, 20, every):
        chance = Random(number)
        boards = walk(STARTS[number % 4](rules, chance), MAX_WALK, number // 4 % 2, chance)
        for at in sorted({0, len(boards) // 3, 2 * len(boards) // 3, len(boards) - 1}):
            check_board(boards[at])


@given(LAST)
def test_only_listed_moves_are_legal_throughout_play(board: Board) -> None:
    check_board(board)


@given(walks())
def test_the_delta_of_a_legal_move_matches_a_comparison_of_all_piles(boards: list[Board]) -> None:
    for at in boards:
        check_stuck(at)
        for move in legal_moves(at):
            check_move(at, move)


def test_a_single_pile_is_stuck_even_if_any_card_fits() -> None:
    """A top card that its own pile would accept is no move."""
    anything = {"order": "any", "match": "any", "empty": "none"}
    rules = rules_with(tableau=anything, foundations={"first": "K"})
    assert is_stuck(small(rules, t0="7S"))
    check_board(small(rules, t0="7S"))
    check_board(small(rules, t0="7S", t1="8H 2C"))


@pytest.mark.parametrize("length", [12, 13])
def test_a_run_goes_home_whole_or_not_at_all(length: int) -> None:
    place = board("rouge-et-noir", t0=f"9H {run_down('KS', 'H', length)}", t1="9S", rest="t1")
    check_board(place)
    head = Move(place.ruleset.pile_numbers["t0"], place.ruleset.pile_numbers["f4"], length)
    assert is_legal(place, head) == (length == RUN_LENGTH)


def test_a_pile_refilled_with_an_identical_card_has_not_changed() -> None:
    place = board("deuces", "fill", **TOPS | {"t0": "3S", "t9": "KD"}, w="8C 3S", rest="t9")
    move = parse_move(place.ruleset, "t0>f0")
    check_move(place, move)
    changes = play(place, move)[1].changes
    assert changes == ((0, 0, place.piles[8]), (19, 1, b""))


@pytest.mark.parametrize(
    "move", [Move(-1, 0), Move(99, 0), Move(8, 99), Move(8, ROW), Move(8, 0, 0)]
)
def test_a_move_between_piles_that_do_not_exist_is_illegal(move: Move) -> None:
    with pytest.raises(IllegalMoveError):
        play(dealt("deuces"), move)


@pytest.mark.parametrize(("game", "variant"), ALL)
def test_cards_on_foundations_are_counted_at_every_step(game: str, variant: str) -> None:
    chance = Random(1)
    for at in walk(easy_board(find_ruleset(game, variant)), MAX_WALK, 1.0, chance):
        assert at.home == sum(len(at.piles[pile]) for pile in at.ruleset.foundations)
        assert at.won == (at.home == at.ruleset.total)


@pytest.mark.parametrize(("game", "variant"), ALL)
def test_three_numbers_encode_at_most_one_move(game: str, variant: str) -> None:
    rules = find_ruleset(game, variant)
    last = len(rules.pile_names)
    for move in every_move(last):
        found = rules.move_of(move.source, move.target, move.count)
        assert found is None or rules.move_of(*rules.numbers_of(found)) == found
        inside = 0 <= move.source < last and 0 <= move.target < last
        if inside and move.count == 1:
            assert found == move
        if found is not None and not inside:
            assert found == Move(rules.stock, ROW)
            assert "row" in rules.rules.stock.plays


@pytest.mark.parametrize(
    ("game", "numbers", "move"),
    [
        ("robert", (1, 2, 1), Move(1, 2)),
        ("robert", (0, 2, 1), Move(0, 2)),
        ("robert", (1, 3, 1), None),
        ("robert", (1, 2, 2), None),
        ("rouge-et-noir", (18, 19, 1), Move(18, ROW)),
        ("rouge-et-noir", (17, 19, 1), None),
        ("rouge-et-noir", (18, 19, 2), None),
        ("rouge-et-noir", (8, 4, 13), Move(8, 4, 13)),
        ("rouge-et-noir", (8, 0, 13), None),
        ("rouge-et-noir", (8, 9, 13), Move(8, 9, 13)),
        ("rouge-et-noir", (8, 9, 14), None),
        ("rouge-et-noir", (8, 9, 0), None),
        ("rouge-et-noir", (-1, 9, 1), None),
        ("deuces", (8, 9, 26), Move(8, 9, 26)),
        ("deuces", (8, 9, 27), None),
        ("roosevelt", (8, 9, 2), None),
        ("roosevelt", (8, 17, 1), None),
    ],
)
def test_pile_numbers_out_of_range_are_no_move(
    game: str, numbers: tuple[int, int, int], move: Move | None
) -> None:
    assert ruleset(game).move_of(*numbers) == move
