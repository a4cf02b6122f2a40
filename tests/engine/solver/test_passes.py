"""The exact solver of games without a tableau, compared with exhaustive search."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import Board
from engine.cards import card_of, pack, parse_pile, turned_down
from engine.deal import deal_seed, lay_out
from engine.moves import legal_moves
from engine.notation import parse_move
from engine.play import apply, play
from engine.ruleset import Ruleset
from engine.schema import read_rules
from engine.solver.passes import PROOF, applies, solve
from engine.solver.solution import Solution, Verdict
from tests.engine.positions import VARIANTS
from tests.engine.solver.passes_boards import RULES, most_home, rules_of, short_board
from tests.relatives import find_ruleset
from tests.sizes import SAMPLED, cases
from tests.vectors.generate import FOLDER

BOARDS = [100, pytest.param(200, marks=pytest.mark.deep)]
"""Number of boards of short packs to search for each of the rules."""

LARGER = [10, pytest.param(16, marks=pytest.mark.deep)]
"""Number of cards in larger packs; the exhaustive search takes up to 1.2 GB for some of 20."""


def left(board: Board) -> int:
    return sum(map(len, board.piles)) - board.home


def checked(board: Board) -> Solution:
    solution = solve(board)
    after = board
    for move in solution.line:
        after, _ = play(after, move)
    assert after.home == solution.home
    assert solution.most
    assert solution.effort == left(after)
    won = left(after) == 0
    assert solution.verdict is (Verdict.WINNABLE if won else Verdict.IMPOSSIBLE)
    assert solution.proof == ("" if won else PROOF)
    if solution.line:
        assert solution.line[-1].target == 0, "the line's last card comes home"
    return solution


@pytest.mark.parametrize("boards", BOARDS)
@pytest.mark.parametrize("rules", RULES, ids=range(len(RULES)))
def test_it_agrees_with_an_exhaustive_search(rules: Ruleset, boards: int) -> None:
    chance = Random(RULES.index(rules))
    won = 0
    for _ in range(boards):
        board = short_board(rules, chance, 10)
        solution = checked(board)
        assert solution.home == most_home(board), board
        won += solution.verdict is Verdict.WINNABLE
    assert 0 < won < boards


@pytest.mark.parametrize("cards", LARGER)
@given(rules=st.sampled_from(RULES), number=st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_it_agrees_with_an_exhaustive_search_on_larger_packs(
    cards: int, rules: Ruleset, number: int
) -> None:
    board = short_board(rules, Random(number), cards)
    assert checked(board).home == most_home(board)


@given(st.sampled_from(RULES), st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_no_move_increases_the_reachable_count_and_some_move_keeps_it(
    rules: Ruleset, number: int
) -> None:
    board = short_board(rules, Random(number), 20)
    moves = legal_moves(board)
    most = [solve(apply(board, move)).home for move in moves]
    assert max([board.home, *most]) == solve(board).home


def planted(rules: Ruleset, chance: Random, size: int) -> Board:
    """Return a winnable board, built from a play.

    The foundation's cards are cut into one part per pass. Each part is dealt so that the waste
    returns it in order, mixed with cards of later parts so that no later card covers a needed one.
    """
    cards = walk(chance, size)
    count = rules.redeals + 1
    cuts = sorted(chance.choices(range(1, size), k=count - 1))
    parts = [cards[a:b] for a, b in zip([1, *cuts], [*cuts, size], strict=True)]
    deck: list[int] = []
    for part in reversed(parts):
        deck = mixed(deck, nested(part, chance), chance)
    return Board(rules, (bytes(cards[:1]), turned_down(bytes(deck))[::-1], b""))


def walk(chance: Random, size: int) -> list[int]:
    while True:
        spare = {rank: list("SHDC") for rank in range(13)}
        ranks = [chance.randrange(13)]
        while len(ranks) < size:
            near = [rank for rank in ((ranks[-1] + 1) % 13, (ranks[-1] - 1) % 13) if spare[rank]]
            if not near:
                break
            ranks.append(chance.choice(near))
            spare[ranks[-1]].pop()
        if max(map(ranks.count, ranks)) <= 4 and len(ranks) == size:
            return [
                card_of("A23456789TJQK"[rank], "SHDC"[ranks[:at].count(rank)])
                for at, rank in enumerate(ranks)
            ]


def nested(cards: list[int], chance: Random) -> list[list[int]]:
    """Return blocks in deal order, whose cards the waste returns in the given order."""
    blocks: list[list[int]] = []
    while cards:
        size = chance.randint(1, min(8, len(cards)))
        *inner, last = cards[:size]
        blocks.append([last, *(card for block in nested(inner, chance) for card in block)])
        cards = cards[size:]
    return blocks


def mixed(later: list[int], blocks: list[list[int]], chance: Random) -> list[int]:
    """Return the cards of later passes with this pass's blocks inserted in order."""
    places = sorted(chance.choices(range(len(later) + 1), k=len(blocks)))
    deck: list[int] = []
    for at in range(len(later) + 1):
        deck += [
            card
            for place, block in zip(places, blocks, strict=True)
            if place == at
            for card in block
        ]
        deck += later[at : at + 1]
    return deck


@pytest.mark.parametrize("redeals", [0, 1, 2])
@SAMPLED
def test_every_planted_win_is_found(redeals: int) -> None:
    chance = Random(redeals)
    for _ in range(cases(2, 8)):
        assert checked(planted(rules_of(redeals), chance, 24)).verdict is Verdict.WINNABLE


@pytest.mark.deep
def test_a_planted_win_of_the_whole_pack_is_found() -> None:
    board = planted(rules_of(2), Random(5), 52)
    assert board.ruleset.total == 52
    assert checked(board).home == 52


# Computed by an independent C++ program for decks shuffled by Python's `Random(number)`.
PARS = {0: 34, 1: 41, 2: 36, 3: 32, 24: 22}


@pytest.mark.parametrize("number", PARS)
def test_pars_match_those_of_another_program(number: int) -> None:
    deck = list(range(52))
    Random(number).shuffle(deck)
    assert checked(lay_out(rules_of(2), bytes(deck))).home == PARS[number]


def test_a_line_is_as_good_from_each_of_its_positions() -> None:
    board = deal_seed(rules_of(1), bytes(32))
    solution = checked(board)
    for number, move in enumerate(solution.line):
        board = apply(board, move)
        if number % 12 == 0:
            assert solve(board).home == solution.home


def test_a_won_board_needs_no_move() -> None:
    board = Board(rules_of(2), (pack(1), b"", b""), 1)
    assert checked(board) == Solution(Verdict.WINNABLE, (), 52, most=True)


def test_two_packs_are_solved() -> None:
    document = {"name": "Two packs", "packs": 2, "stock": {"plays": ["waste"]}}
    foundation = {"piles": 1, "setup": "dealt", "first": "any", "order": "up", "match": "any"}
    waste = {"plays": ["foundation"], "redeals": 1}
    document |= {"foundations": [foundation | {"wrap": True}], "waste": waste}
    rules = Ruleset("passes", "test", read_rules("passes", document))
    assert applies(rules)
    assert 20 < checked(deal_seed(rules, bytes(32))).home < 104


def test_it_applies_to_games_without_a_tableau() -> None:
    assert [name for name in VARIANTS if applies(find_ruleset(*name))] == [("robert", "standard")]
    assert all(map(applies, RULES))


@pytest.mark.parametrize(
    "changes",
    [
        {"foundations": [{"piles": 2, "first": "any", "match": "any"}]},
        {"foundations": [{"piles": 1, "first": "A", "match": "suit"}]},
        {"foundations": [{"piles": 1, "first": "any", "match": "alternate"}]},
        {"stock": {"plays": ["waste", "foundation"], "top": "up"}},
        {"waste": {"plays": []}},
        {"waste": {"plays": ["foundation"], "redeals": 3}},
        {"tableau": {"deal": [1], "order": "up", "match": "any", "plays": []}},
    ],
)
def test_it_applies_to_no_other_games(changes: dict[str, Any]) -> None:
    document = {
        "name": "Other",
        "packs": 1,
        "foundations": [{"piles": 1, "first": "any", "match": "any"}],
        "stock": {"plays": ["waste"]},
        "waste": {"plays": ["foundation"]},
    }
    assert applies(Ruleset("other", "test", read_rules("other", document)))
    assert not applies(Ruleset("other", "test", read_rules("other", document | changes)))


def test_the_vectors_lines_bring_home_their_stated_counts() -> None:
    entries = json.loads((FOLDER / "solver" / "passes.json").read_text(encoding="utf-8"))
    for entry in entries:
        rules = Ruleset("passes", "test", read_rules("passes", without_null(entry["rules"])))
        board = Board(rules, tuple(map(parse_pile, entry["piles"])), entry["redeals"])
        for text in entry["line"]:
            board, _ = play(board, parse_move(rules, text))
        assert board.home == entry["home"]


def without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_null(each) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        return [without_null(each) for each in value]
    return value
