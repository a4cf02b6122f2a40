"""Small games of piles with part of a pack, and their exhaustive searches."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from engine.board import Board, Piles
from engine.cards import RANKS, card_of, turned_down
from engine.catalog import load_game
from engine.moves import legal_moves
from engine.play import apply
from engine.ruleset import Ruleset
from engine.schema import STANDARD
from engine.solver.stacks import Stacks, Table

RULES = """
name = "Short"
packs = 1
[[foundations]]
piles = 4
first = "{first}"
order = "{order}"
wrap = true
[tableau]
deal = {deal}
order = "any"
match = "any"
plays = ["foundation"]
[stock]
top = "up"
plays = {plays}
{how}
"""


def short_rules(piles: int, first: str = "A", order: str = "up", stock: str = "first") -> Ruleset:
    """Return the rules of a game with foundations in suit.

    Args:
        stock: which of its cards go to foundations directly: `first`, `fitting` or `none`.
    """
    plays = ["tableau"] if stock == "none" else ["tableau", "foundation"]
    how = "" if stock == "none" else f'to_foundation = "{stock}"'
    text = RULES.format(first=first, order=order, deal=[0] * piles, plays=plays, how=how)
    return Ruleset("short", STANDARD, load_game("short", text).variants[STANDARD])


SOME_RULES = [
    short_rules(2),
    short_rules(2, "9", "down", "fitting"),
    short_rules(2, "Q", stock="none"),
    short_rules(3, "5"),
    short_rules(3, "J", stock="fitting"),
]


def short_board(rules: Ruleset, chance: Random, suits: str, ranks: int) -> Board:
    """Return a board whose stock has the first `ranks` cards of each suit's foundation, shuffled.

    Sometimes a card is missing, or one is added that no foundation can take.
    """
    (group,) = rules.rules.foundations
    step = 1 if group.order == "up" else -1
    first = RANKS.index(group.first)
    cards = [
        card_of(RANKS[(first + step * nth) % 13], suit) for suit in suits for nth in range(ranks)
    ]
    if chance.random() < 0.1:
        cards.remove(chance.choice(cards))
    if chance.random() < 0.1:
        cards.append(card_of(RANKS[(first - step) % 13], suits[0]))
    chance.shuffle(cards)
    piles = [b""] * len(rules.pile_names)
    piles[rules.stock] = turned_down(bytes(cards[:-1])) + bytes(cards[-1:])
    return Board(rules, tuple(piles))


def walked(board: Board, chance: Random, moves: int) -> Board:
    for _ in range(moves):
        legal = sorted(legal_moves(board), key=board.ruleset.written)
        if not legal:
            break
        board = apply(board, chance.choice(legal))
    return board


def most_by_moves(board: Board, known: dict[Piles, int]) -> int:
    """Return the most cards home after any line of moves, including those already home.

    Args:
        known: earlier results by sorted piles, which are interchangeable.
    """
    rules = board.ruleset
    key = (*sorted(board.piles[rules.tableau.start : rules.stock]), board.piles[rules.stock])
    if key not in known:
        lines = (most_by_moves(apply(board, move), known) for move in legal_moves(board))
        known[key] = max(lines, default=board.home)
    return known[key]


def most_by_choices(stacks: Stacks) -> int:
    """Return the most cards home for any choice of piles, with cards sent home immediately."""
    known: dict[tuple[Sequence[bytes], int], int] = {}
    chains = {card: chain for chain in stacks.chains for card in chain}

    def most(piles: tuple[bytes, ...], dealt: int) -> int:
        home = set(chains).difference(stacks.stock[dealt:], *piles)
        ahead = tuple(bytes(c for c in chain if c not in home) for chain in stacks.chains)
        table = Table(Stacks(ahead, piles, b""))
        sent = sum(1 for _ in table.settle())
        now = tuple(sorted(map(bytes, table.piles)))
        if dealt == len(stacks.stock):
            return sent
        if (now, dealt) not in known:
            card = stacks.stock[dealt : dealt + 1]
            known[now, dealt] = max(
                most((*now[:pile], now[pile] + card, *now[pile + 1 :]), dealt + 1)
                for pile in range(len(now))
            )
        return sent + known[now, dealt]

    return most(stacks.piles, 0)
