"""Compares the beam with an exhaustive search, on short packs and few columns.

    python -m tests.engine.solver.exhaustive --boards 2000

prints how many boards of each game were checked, and fails at the first difference.

With all columns, nearly every board of a few cards can be won, as columns soon become empty. With
fewer columns, about half of the boards are lost, and they have few positions.
"""

from __future__ import annotations

import argparse
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from engine.board import Board
from engine.cards import parse_card, parse_pile, pile_names, turned_down
from engine.moves import legal_moves, top_of
from engine.play import apply
from engine.ruleset import Ruleset
from engine.solver import method_of
from engine.solver.beam import indices as idx
from engine.solver.beam.indices import Ints
from engine.solver.beam.layout import Layout
from engine.solver.beam.plans import first_weights, style_of, whole_plan
from engine.solver.beam.stages import search
from engine.solver.solution import Verdict
from tests.engine.positions import ALL, run_down
from tests.relatives import find_ruleset

Search = Callable[[Ints, Ints, Ints], None]

MOST = 1_500
"""Default limit of positions for the exhaustive search."""

BUDGET = 100_000
"""Steps that suffice to see all of these positions."""

ROWS = 1 << 13
"""Rows that suffice for them."""

COLUMNS = (2, 3, 2, 4)
"""Numbers of columns, used in turn."""

GAMES = [
    (game, variant) for game, variant in ALL if method_of(find_ruleset(game, variant)) == "beam"
]
"""(game, variant) of all games that the beam plays."""


def most_home(board: Board, positions: int = MOST) -> int | None:
    """Return the most cards that any line brings home; `None` if there are too many positions.

    Nothing is pruned: positions are equal only if all piles are equal in the same places. The
    search ends only when it has won or has seen all positions.
    """
    seen = {(board.piles, board.redeals)}
    left = [board]
    home = board.home
    while left and home < board.ruleset.total:
        at = left.pop()
        home = max(home, at.home)
        afters = [apply(at, move) for move in legal_moves(at)]
        for after in sorted(afters, key=lambda after: after.home):
            if (after.piles, after.redeals) not in seen:
                seen.add((after.piles, after.redeals))
                left.append(after)
        if len(seen) > positions:
            return None
    return home


def narrow(rules: Ruleset, columns: int) -> Ruleset:
    tableau = rules.rules.tableau
    assert tableau is not None
    tableau = replace(tableau, deal=tableau.deal[:columns])
    return Ruleset(rules.game, rules.variant, replace(rules.rules, tableau=tableau))


def short_board(rules: Ruleset, cards: int, chance: Random) -> Board:
    """Return a board with all but about this many cards home, which is often lost.

    The cards that go home last tend to lie at the bottom of the columns, with the others over them,
    in the waste and in the stock, in easier or harder orders.
    """
    spare = Counter(rules.pack)
    piles = _begun(rules, chance)
    spare -= Counter(b"".join(piles))
    _send_home(rules, piles, spare, cards, chance)
    columns = rules.tableau[: len(rules.tableau) - (chance.random() < 0.2)]
    mixing = chance.choice([1, 2, 6])
    rest = sorted(spare.elements(), key=lambda card: -rules.turns[card] - chance.random() * mixing)
    for column, card in zip(columns, rest, strict=False):
        piles[column] += bytes((card,))
    others = [rules.stock, *chance.sample(rules.tableau, chance.randint(0, len(rules.tableau)))]
    if rules.waste is not None:
        others.append(rules.waste)
    mixing = chance.choice([1, 4, 20])
    rest = rest[len(columns) :]
    for card in sorted(rest, key=lambda card: rules.turns[card] + chance.random() * mixing):
        piles[chance.choice(others)] += bytes((card,))
    if not rules.stock_up:
        piles[rules.stock] = turned_down(piles[rules.stock])
    if rules.rules.tableau is not None and rules.rules.tableau.face_up != "all":
        for column in columns:
            down = chance.randrange(len(piles[column])) if piles[column] else 0
            piles[column] = turned_down(piles[column][:down]) + piles[column][down:]
    redeals = chance.randint(0, rules.redeals)
    return Board(rules, tuple(piles), redeals)


def _begun(rules: Ruleset, chance: Random) -> list[bytes]:
    """Return piles with the first cards of foundations, and mostly all runs that they accept.

    The runs leave one card of each suit and rank.
    """
    piles = [b""] * len(rules.pile_names)
    for pile, rank, suit in rules.laid_out_suits():
        piles[pile] = bytes((parse_card(rank + suit),))
    runs = [("S", "H"), ("H", "S"), ("D", "C"), ("C", "D")]
    if rules.automatic:
        # One suit per run; one is left out.
        kings = [name[1] for name in pile_names(rules.pack) if name[0] == "K"]
        runs = [(suit, suit) for suit in kings[:-1]]
    for pile, group in enumerate(rules.groups):
        if group.setup == "dealt":
            piles[pile] = bytes((chance.randrange(52),))
        elif group.takes == "run" and runs:
            head, other = runs.pop()
            piles[pile] = parse_pile(run_down(f"K{head}", other).split())
    return piles


def _send_home(
    rules: Ruleset, piles: list[bytes], spare: Counter[int], cards: int, chance: Random
) -> None:
    power = chance.choice([0, 1, 3])
    weights = {pile: chance.random() ** power for pile in rules.foundations}
    while weights and spare.total() > cards:
        (pile,) = chance.choices(list(weights), list(weights.values()))
        fits = rules.homes[pile][top_of(piles[pile])]
        fitting = [card for card in spare if fits[card]]
        if fitting:
            card = chance.choice(fitting)
            piles[pile] += bytes((card,))
            spare -= Counter([card])
        else:
            del weights[pile]


def numbered(rules: Ruleset, number: int) -> Board:
    """Return a short board by its number, which also selects the number of columns."""
    columns = COLUMNS[number % len(COLUMNS)]
    cards = columns + 4 + number // len(COLUMNS) % 12
    return short_board(narrow(rules, columns), cards, Random(number))


def searched_whole(
    board: Board, rows: int, search: Search, *, room: int = 0, budget: int = BUDGET
) -> int | None:
    """Return the most cards home of one whole search; `None` if it was cut short.

    Losses are proved this way. A preceding beam could win boards that the search's prunings lose.

    Args:
        rows: how many positions the memory holds; a power of 2.
        room: a lower limit of positions in use at a time.
        budget: the approximate limit of generated positions.
    """
    layout = Layout(board, rows)
    tables, memory = layout.tables, array("q", [0]) * layout.size
    positions = array("b", [0]) * (rows * tables[idx.WIDTH])
    positions[: len(layout.row)] = layout.row
    weights = first_weights(style_of(board.ruleset))
    settings = whole_plan(weights, rows, regular=layout.regular)
    tables[: len(settings)] = settings
    tables[idx.MOST_ROWS] = room or rows
    memory[idx.BUDGET] = budget
    search(tables, positions, memory)
    won = memory[idx.WON_NODE] != idx.NONE
    return int(memory[idx.BEST]) if won or not memory[idx.CUT] else None


def check(
    board: Board, positions: int = MOST, rows: int = ROWS, search: Search = search
) -> Verdict | None:
    """Compare a whole search of a board with an exhaustive one.

    Args:
        board: the board.
        rows: how many positions the whole search holds; a power of 2.
    """
    home = most_home(board, positions)
    found = None if home is None else searched_whole(board, rows, search)
    if found is None:
        return None
    assert found == home, f"{home} cards can come home, but the search found {found}: {board}"
    return Verdict.WINNABLE if board.ruleset.total == home else Verdict.IMPOSSIBLE


def main(
    name: str,
    variants: Sequence[tuple[str, str]],
    board: Callable[[Ruleset, int], Board],
    check: Callable[[Board], Verdict | None],
) -> int:
    """Check boards of all games, and print the numbers of their verdicts."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.engine.solver.{name}")
    parser.add_argument("--boards", type=int, default=2_000, help="boards of each game and variant")
    parser.add_argument("--game", action="append", help="check only this game")
    options = parser.parse_args()
    for game, variant in variants:
        if options.game and game not in options.game:
            continue
        rules = find_ruleset(game, variant)
        counts = Counter(check(board(rules, n)) for n in range(options.boards))
        won, lost = counts[Verdict.WINNABLE], counts[Verdict.IMPOSSIBLE]
        sys.stdout.write(f"{game}, {variant}: {won} can be won, {lost} cannot, ")
        sys.stdout.write(f"{counts[None]} not checked\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main("exhaustive", GAMES, numbered, check))
