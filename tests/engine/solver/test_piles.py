"""Games of piles: lines replay, and verdicts and counts match exhaustive searches."""

from __future__ import annotations

from random import Random

import pytest

from engine.board import Board
from engine.cards import parse_pile
from engine.catalog import load_game, ruleset
from engine.deal import lay_out
from engine.moves import legal_moves
from engine.play import apply, play
from engine.ruleset import Ruleset
from engine.schema import STANDARD
from engine.solver import Solution, Verdict, piles, sat
from engine.solver.burial import encode
from engine.solver.stacks import chains_of, settled, stacks_of
from engine.solver.trials import trials
from tests.engine.positions import ALL, easy_board
from tests.engine.solver.rup import refutes
from tests.engine.solver.short_packs import (
    SOME_RULES,
    most_by_choices,
    most_by_moves,
    short_board,
    short_rules,
    walked,
)
from tests.relatives import FOLDER, find_ruleset

BUDGET = 10**7

LOST = 31
"""The number of a deal that cannot be won; see `deal`."""


def deal(number: int) -> Board:
    """Return a deal by number: a pack that Python shuffles with this seed."""
    deck = list(range(52))
    Random(number).shuffle(deck)
    return lay_out(ruleset("lady-betty"), bytes(deck))


def after_line(board: Board, solution: Solution) -> Board:
    for move in solution.line:
        board, _ = play(board, move)
    return board


def solved(board: Board, budget: int = BUDGET) -> Solution:
    """Return the solution of a board after checking the invariants of solutions."""
    solution = piles.solve(board, budget)
    end = after_line(board, solution)
    cards = sum(map(len, board.piles))
    assert end.home == solution.home
    assert (solution.verdict is Verdict.WINNABLE) == (solution.home == cards)
    assert (solution.verdict is Verdict.IMPOSSIBLE) == bool(solution.proof)
    assert solution.steps <= 1.2 * budget
    return solution


def test_the_method_applies_to_games_that_it_can_decide() -> None:
    applies = [game for game, variant in ALL if piles.applies(find_ruleset(game, variant))]
    assert applies == ["lady-betty"]
    assert all(map(piles.applies, SOME_RULES))


def test_it_decides_a_relative_with_foundations_in_suit() -> None:
    """'In some versions the foundations are built in suit here too ...'."""
    text = (FOLDER / "sir-tommy.toml").read_text(encoding="utf-8")
    rules = ruleset_of(text.replace('match = "any"                         #', 'match = "suit" #'))
    assert piles.applies(rules)
    deck = list(range(52))
    Random(1).shuffle(deck)
    assert solved(lay_out(rules, bytes(deck))).most


def ruleset_of(text: str) -> Ruleset:
    return Ruleset("short", STANDARD, load_game("short", text).variants[STANDARD])


BASE = """
name = "Short"
packs = 1
[[foundations]]
piles = 4
first = "A"
[tableau]
deal = [1, 1]
order = "any"
match = "any"
plays = ["foundation"]
[stock]
top = "up"
plays = ["tableau", "foundation"]
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("packs = 1", "packs = 2"),
        ("piles = 4", "piles = 3"),
        ('first = "A"', 'first = "any"'),
        ('first = "A"', 'first = "A"\norder = "either"'),
        ('first = "A"', 'first = "A"\nmatch = "colour"'),
        ("piles = 4", 'piles = 2\nsuits = "SH"\nfirst = "A"\n[[foundations]]\npiles = 4'),
        ('["foundation"]', '["tableau", "foundation"]'),
        ('["foundation"]', '["foundation"]\nempty = "K"'),
        ('["foundation"]', '["foundation"]\nfill = ["stock"]'),
        ('order = "any"\nmatch = "any"', 'order = "down"\nmatch = "suit"'),
        ('["tableau", "foundation"]', '["foundation"]'),
        ('["tableau", "foundation"]', '["tableau", "row"]'),
        ('["tableau", "foundation"]', '["tableau", "foundation"]\nto_foundation = "any"'),
        ('["tableau", "foundation"]', '["tableau", "waste"]\n[waste]\nplays = ["foundation"]'),
    ],
)
def test_the_method_does_not_apply_to_other_games(old: str, new: str) -> None:
    assert piles.applies(ruleset_of(BASE))
    assert not piles.applies(ruleset_of(BASE.replace(old, new, 1)))


def test_chains_go_from_the_first_rank_around_the_corner() -> None:
    assert chains_of(short_rules(2, "Q")) == tuple(
        bytes(13 * suit + (11 + nth) % 13 for nth in range(13)) for suit in range(4)
    )


def test_sending_cards_home_immediately_loses_nothing() -> None:
    """The search by choices matches one by all legal moves, where the latter is feasible."""
    chance = Random(11)
    for number in range(60):
        rules = SOME_RULES[number % len(SOME_RULES)]
        small = short_board(rules, chance, *chance.choice([("SHD", 2), ("SH", 3), ("SHDC", 2)]))
        board = walked(small, chance, chance.randrange(6))
        stacks = stacks_of(board)
        most = board.home + most_by_choices(stacks)
        assert most == most_by_moves(board, {})
        assert solved(board).home == most


@pytest.mark.parametrize("part", [4, pytest.param(1, marks=pytest.mark.deep)])
@pytest.mark.parametrize("rules", SOME_RULES, ids=lambda rules: f"{len(rules.tableau)} piles")
def test_the_clauses_count_the_cards_that_can_come_home(rules: Ruleset, part: int) -> None:
    """On each short board, the stated count is reached, and a checked proof refutes one more."""
    chance = Random(len(rules.rules.name))
    undecided = 0
    for number in range((300 if len(rules.tableau) == 2 else 100) // part):
        suits, ranks = chance.choice([("SHDC", 3), ("SHD", 4), ("HC", 5), ("SHDC", 2)])
        board = walked(short_board(rules, chance, suits, ranks), chance, chance.choice((0, 4, 8)))
        stacks = settled(stacks_of(board))
        most = most_by_choices(stacks)
        assert solved(board).home == sum(map(len, board.piles)) - stacks.left + most
        if not stacks.stock:
            continue
        encoding = encode(stacks)
        undecided += any(len(clause) > 1 for clause in encoding.clauses)
        for target in {most, most + 1} - {0}:
            if target > len(encoding.at_least):
                continue
            clauses = [*encoding.clauses, [encoding.at_least[target - 1]]]
            answer = sat.solve(encoding.variables, clauses, 10**6, prove=True)
            assert answer.satisfiable == (target <= most)
            if target > most and number % 8 == 0:
                assert refutes(clauses, answer.proof)
    assert undecided > 60 // part


@pytest.mark.parametrize(
    "waiting",
    [
        ["AS 2H", "AH 2D", "AD 2S"],
        ["AS 2D", "AD 2H", "AH 2S"],
        ["AS 2H", "AH 2D", "AD 2C", "AC 2S"],
        ["AS 2C", "AC 2D", "AD 2H", "AH 2S"],
    ],
)
def test_circular_dependencies_between_piles_are_stuck(waiting: list[str]) -> None:
    """Removing any of these piles would free the others one by one."""
    rules = short_rules(len(waiting))
    piles = {f"t{nth}": cards for nth, cards in enumerate(waiting)} | {"s": "3S"}
    cards = tuple(parse_pile(piles.get(name, "").split()) for name in rules.pile_names)
    solution = solved(Board(rules, cards))
    assert (solution.home, solution.most, solution.line) == (0, True, ())


def test_whole_deals_are_decided() -> None:
    for number in (9, LOST):
        solution = solved(deal(number))
        assert solution.most
        assert (solution.verdict is Verdict.IMPOSSIBLE) == (number == LOST)
        assert solution.home == (49 if number == LOST else 52)


def test_verdicts_are_consistent_along_a_line() -> None:
    """The most cards that can come home never increase; a best line keeps their number."""
    chance = Random(4)
    board, most = deal(20), 52
    while legal_moves(board):
        board = walked(board, chance, 18)
        solution = solved(board)
        assert solution.most
        assert solution.home <= most
        most = solution.home
        for move in solution.line[:1]:
            assert solved(apply(board, move)).home == most


def test_a_loss_has_a_checked_proof() -> None:
    encoding = encode(settled(stacks_of(deal(LOST))))
    clauses = [*encoding.clauses, [encoding.at_least[51]]]
    answer = sat.solve(encoding.variables, clauses, 10**6, prove=True)
    assert answer.satisfiable is False
    assert refutes(clauses, answer.proof)
    assert not refutes(encoding.clauses, answer.proof)


def test_an_insufficient_budget_leaves_the_verdict_open() -> None:
    """The line is the best trial's. A loss may then be proved, but not the most cards home."""
    for budget in (0, 10 * piles.STEPS_PER_CONFLICT):
        solution = solved(deal(LOST), budget=budget)
        assert solution.verdict is Verdict.UNKNOWN
        assert not solution.most
        assert solution.home == trials(stacks_of(deal(LOST))).home
    lost = solved(deal(LOST), 1_000 * piles.STEPS_PER_CONFLICT)
    assert lost.verdict is Verdict.IMPOSSIBLE
    assert not lost.most


def test_the_same_board_has_the_same_solution() -> None:
    board = walked(deal(LOST), Random(1), 20)
    assert piles.solve(board, BUDGET) == piles.solve(board, BUDGET)


def test_a_won_board_needs_no_moves() -> None:
    start = easy_board(ruleset("lady-betty"))
    solution = solved(start)
    won = after_line(start, solution)
    assert won.won
    assert solved(won).line == ()
    assert solution.effort == 0


def test_effort_grows_as_choices_are_lost() -> None:
    """After random moves, sensible play brings fewer cards home."""
    chance = Random(2)
    for number in (9, 11):
        spoilt = walked(deal(number), chance, 20)
        assert solved(spoilt).effort > solved(deal(number)).effort
