"""Peaks and pairs against a referee written from the rules, by rows and places, in random play."""

from __future__ import annotations

from random import Random

import pytest

from engine.board import Board
from engine.cards import DOWN, rank_of
from engine.catalog import ruleset
from engine.deal import deal_seed
from engine.moves import legal_moves
from engine.notation import move_text
from engine.play import apply
from tests.sizes import cases

ROWS = {"pyramid": [1, 2, 3, 4, 5, 6, 7], "tripeaks": [3, 6, 9, 10]}
"""The places of each row."""

DOWN_ROWS = {"pyramid": 0, "tripeaks": 3}
"""Rows dealt face down."""

Place = tuple[int, int]


def places(game: str) -> list[Place]:
    return [(row, at) for row, size in enumerate(ROWS[game]) for at in range(size)]


def centre(game: str, place: Place) -> int:
    """Return where a place's centre is, in half cards: peaks stand three cards apart."""
    row, at = place
    if row == len(ROWS[game]) - 1:
        return 2 * at - row
    peak, nth = divmod(at, row + 1)
    return 6 * peak + 2 * nth - row


def covering(game: str, place: Place) -> list[Place]:
    """Return the places of the next row that overlap a place, by the picture of the layout."""
    here = centre(game, place)
    others = [other for other in places(game) if other[0] == place[0] + 1]
    return [other for other in others if abs(centre(game, other) - here) == 1]


def referee(board: Board) -> tuple[set[str], set[str]]:
    """Return the legal moves, and the piles whose card lies face down."""
    game, wraps = board.ruleset.game, board.ruleset.variant != "strict"
    cards = dict(zip(places(game), (board.piles[p] for p in board.ruleset.tableau), strict=True))
    names = {place: f"t{nth}" for nth, place in enumerate(places(game))}
    free = {
        place
        for place in cards
        if cards[place] and not any(cards[c] for c in covering(game, place))
    }
    down = {
        names[place]
        for place in cards
        if cards[place] and place not in free and place[0] < DOWN_ROWS[game]
    }
    moves: set[str] = set()
    ranks = {names[place]: rank_of(cards[place][0]) + 1 for place in free}
    if board.won:
        return set(), down
    stock = board.piles[board.ruleset.stock]
    if game == "tripeaks":
        top = rank_of(board.piles[0][-1]) + 1
        near = {1, 12} if wraps else {1}
        moves |= {f"{name}>f0" for name, rank in ranks.items() if abs(rank - top) in near}
        return moves | ({"s>f0"} if stock else set()), down
    waste = board.piles[board.ruleset.stock + 1]
    if waste:
        ranks["w"] = rank_of(waste[-1]) + 1
    moves |= {f"{name}>f0" for name, rank in ranks.items() if rank == 13}
    moves |= {f"{a}>{b}" for a in ranks for b in ranks if a != b and ranks[a] + ranks[b] == 13}
    passes = 1 if board.ruleset.variant == "one-pass" else 3
    if stock:
        moves.add("s>w")
    elif waste and board.redeals + 1 < passes:
        moves.add("w>s")
    return moves, down


@pytest.mark.parametrize(
    ("game", "variant"),
    [
        *(("pyramid", variant) for variant in ("standard", "one-pass", "all-cards")),
        *(("tripeaks", variant) for variant in ("standard", "strict")),
    ],
)
def test_random_play_agrees_with_a_referee(game: str, variant: str) -> None:
    rules = ruleset(game, variant)
    for number in range(cases(20, 200)):
        chance = Random(number)
        board = deal_seed(rules, chance.randbytes(32))
        while True:
            moves = legal_moves(board)
            texts, down = referee(board)
            assert {move_text(rules, move) for move in moves} == texts
            assert {
                rules.pile_names[p]
                for p in rules.tableau
                if board.piles[p] and board.piles[p][0] & DOWN
            } == down
            if not moves:
                break
            played = [move for move in moves if move.source != rules.stock]
            board = apply(board, chance.choice(played or moves))
