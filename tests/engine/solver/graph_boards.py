"""Small boards of one-pack games on few columns, about half of which are lost.

    python -m tests.engine.solver.graph_boards --boards 2000

compares the compiled search through positions with an exhaustive one on such boards. It prints how
many boards of each game were checked, and fails at the first difference.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from random import Random

from engine.board import Board
from engine.cards import RANKS, SUITS, card_of, pack, turned_down
from engine.ruleset import Ruleset
from engine.solver import graph, method_of
from engine.solver.graph.suits import is_by_suit
from engine.solver.solution import Verdict
from tests.engine.positions import ALL
from tests.engine.solver.exhaustive import main, most_home
from tests.relatives import find_ruleset

GAMES = [
    each
    for each in ALL
    if method_of(find_ruleset(*each)) in {"graph", "heights"} and graph.applies(find_ruleset(*each))
]
"""(game, variant) of all games that can be searched through their positions.

Browsers search those with the method `heights`, too.
"""

MOST = 3_000
"""Default limit of positions for the exhaustive search."""

BUDGET = 60_000
"""Steps that suffice to see all of these positions."""


def narrow(rules: Ruleset, columns: int) -> Ruleset:
    """Return the same rules with this many columns, and at most one cell."""
    tableau, cells = rules.rules.tableau, rules.rules.cells
    assert tableau is not None
    changed = replace(
        rules.rules,
        tableau=replace(tableau, deal=tableau.deal[:columns]),
        cells=cells and replace(cells, piles=1),
    )
    return Ruleset(rules.game, rules.variant, changed)


def small_board(rules: Ruleset, number: int) -> Board:
    """Return a board by its number, with 8 to 16 cards outside the foundations, none in cells."""
    chance = Random(number)
    rules = narrow(rules, chance.choice([2, 2, 3, 4]))
    piles = [b""] * len(rules.pile_names)
    rest = _send_home(rules, piles, chance.randint(8, 16), chance)
    sign, mixing = chance.choice([-1, 1, 1]), chance.choice([1, 3, 8, 30])
    rest.sort(key=lambda card: sign * rules.turns[card] - chance.random() * mixing)
    columns = list(rules.tableau)
    for column, card in zip(columns, rest, strict=False):
        piles[column] = bytes((card,))
    others = [*columns, *rules.reserve]
    if rules.rules.stock.plays and chance.random() < 0.6:
        others += [rules.stock] * 2
    if rules.waste is not None and chance.random() < 0.6:
        others += [rules.waste] * 2
    for card in rest[len(columns) :]:
        piles[chance.choice(others)] += bytes((card,))
    piles[rules.stock] = turned_down(piles[rules.stock])
    tableau = rules.rules.tableau
    if tableau is not None and tableau.face_up != "all":
        for column in columns:
            most = len(piles[column]) - 1
            down = chance.choice([most, chance.randint(0, most)])
            piles[column] = turned_down(piles[column][:down]) + piles[column][down:]
    return Board(rules, tuple(piles), chance.randint(0, min(rules.redeals, 2)))


def _send_home(rules: Ruleset, piles: list[bytes], left: int, chance: Random) -> list[int]:
    """Put all but this many cards on foundations, and return the rest."""
    if not is_by_suit(rules):
        cards = list(pack(1))
        chance.shuffle(cards)
        piles[0] = bytes(cards[left:])
        return cards[:left]
    first = rules.groups[0].first
    base = chance.randrange(13) if rules.same_rank else RANKS.index(first)
    heights = [13] * 4
    while sum(heights) > 52 - left:
        suit = chance.randrange(4)
        heights[suit] = max(heights[suit] - chance.choice([1, 1, 2]), 1)
    rest = []
    for foundation, (name, height) in enumerate(zip(SUITS, heights, strict=True)):
        cards = [card_of(RANKS[(base + step) % 13], name) for step in range(13)]
        piles[foundation] = bytes(cards[:height])
        rest += cards[height:]
    return rest


def check(board: Board, positions: int = MOST, budget: int = BUDGET) -> Verdict | None:
    """Compare the search's verdict on a board with an exhaustive search.

    Returns:
        The verdict; `None` if there are too many positions, or the budget is exhausted.
    """
    home = most_home(board, positions)
    verdict = graph.solve(board, budget).verdict
    if home is None or verdict is Verdict.UNKNOWN:
        return None
    won = home == board.ruleset.total
    assert verdict is (Verdict.WINNABLE if won else Verdict.IMPOSSIBLE), board
    return verdict


if __name__ == "__main__":
    sys.exit(main("graph_boards", GAMES, small_board, check))
