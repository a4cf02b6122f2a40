"""Rules that the schema permits but no game uses, and boards that an unsound pruning loses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.board import Board
from engine.cards import RANKS, parse_pile
from engine.ruleset import Ruleset
from engine.schema import read_rules

FOUNDATIONS: dict[str, Any] = {"piles": 8, "first": "A", "order": "up", "match": "suit"}
TABLEAU: dict[str, Any] = {
    "deal": [1, 1, 1],
    "order": "down",
    "match": "suit",
    "plays": ["tableau", "foundation"],
}
BASE: dict[str, Any] = {
    "name": "Rare",
    "packs": 2,
    "foundations": [FOUNDATIONS],
    "tableau": TABLEAU,
    "stock": {"plays": ["waste"]},
    "waste": {"plays": ["tableau", "foundation"]},
}
"""Rules that define safe moves home."""


def rules_of(**changes: Any) -> Ruleset:
    """Return `BASE` with some keys changed, or removed if `None`."""
    document = {key: value for key, value in (BASE | changes).items() if value is not None}
    return Ruleset("rare", "standard", read_rules("rare", document))


def foundations(*changes: dict[str, Any]) -> list[dict[str, Any]]:
    return [FOUNDATIONS | change for change in changes]


def suit_up(first: str, last: str, suit: str) -> str:
    """Return the cards of a suit from one rank up to another, with wrap-around."""
    start = RANKS.index(first)
    length = (RANKS.index(last) - start) % 13 + 1
    return " ".join(RANKS[(start + nth) % 13] + suit for nth in range(length))


def board_of(rules: Ruleset, **piles: str) -> Board:
    """Return a board with these piles. All other cards are on the first foundation."""
    found = [parse_pile(piles.get(name, "").split()) for name in rules.pile_names]
    spare = [*range(52)] * rules.rules.packs
    for card in b"".join(found):
        spare.remove(card)
    return Board(rules, (bytes(spare) + found[0], *found[1:]))


def where_a_king_may_start_either_kind() -> Board:
    """Only a group with wrap-around takes the Ace after the King: the second one."""
    rules = rules_of(
        packs=1,
        foundations=foundations(
            {"piles": 4, "first": "K"}, {"piles": 4, "first": "K", "wrap": True}
        ),
        tableau=TABLEAU | {"deal": [1, 1], "order": "up", "empty": "none"},
        waste={"plays": ["foundation"]},
    )
    spades = " ".join(reversed(suit_up("A", "Q", "S").split()))
    return board_of(
        rules,
        f4=suit_up("K", "J", "H"),
        f6=suit_up("K", "Q", "D"),
        f7=suit_up("K", "Q", "C"),
        t0=f"{spades} KS QH",
    )


def where_foundations_are_too_few() -> Board:
    """The Ace dealt first should not go to the only foundation, as no other card follows it."""
    rules = rules_of(packs=1, foundations=foundations({"piles": 1}))
    others = " ".join(rank + suit for suit in "DCSH" for rank in RANKS[2:])
    return board_of(rules, t0="2H", t1=f"AD 2D AC 2C 2S {others}", s="AH AS")


def where_the_stock_only_starts_foundations() -> Board:
    """The tableau's Queen must go on the King and leave the empty foundation to the stock's."""
    rules = rules_of(
        packs=1,
        foundations=foundations({"piles": 3, "first": "Q", "order": "either", "match": "any"}),
        tableau=TABLEAU | {"deal": [1], "empty": "2"},
        stock={"plays": ["tableau", "foundation"], "top": "up", "to_foundation": "first"},
        waste=None,
    )
    return board_of(rules, f0="3S", f2="QS KS", t0="QH", s="QD 2C")


def where_the_other_foundation_has_not_begun() -> Board:
    """The Two freed first must stay; otherwise no pile takes the Two on the other Ace."""
    rules = rules_of(tableau=TABLEAU | {"match": "alternate"})
    spades = " ".join(f"{rank}S {rank}S" for rank in reversed(RANKS[2:-1]))
    homes = {f"f{nth}": suit_up("A", "K", suit) for nth, suit in enumerate("HDDCC", 3)}
    return board_of(
        rules,
        f0="AS",
        f2=suit_up("A", "J", "H"),
        t0="AS 2S KH",
        t1="KS 2S QH",
        t2=f"KS {spades}",
        **homes,
    )


BOARDS: list[Callable[[], Board]] = [
    where_a_king_may_start_either_kind,
    where_foundations_are_too_few,
    where_the_stock_only_starts_foundations,
    where_the_other_foundation_has_not_begun,
]

WIDE = TABLEAU | {"deal": [1, 1, 1, 1]}

RULES = [
    rules_of(  # redeals, runs, and columns for some ranks only
        packs=1,
        tableau=WIDE | {"match": "alternate", "moves": "run", "empty": "K", "face_up": 1},
        waste={"plays": ["tableau", "foundation"], "redeals": 2},
    ),
    rules_of(tableau=WIDE | {"fill": ["waste"]}, waste={"plays": ["foundation"]}),
    rules_of(tableau=WIDE | {"fill": ["stock"]}),
    rules_of(  # the stock's cards may be dealt in rows or one by one
        tableau=WIDE, stock={"plays": ["row", "tableau", "foundation"], "top": "up"}, waste=None
    ),
    rules_of(tableau=WIDE, stock={"plays": ["waste", "row"]}),
    rules_of(  # rows from a stock that was the waste
        packs=1,
        tableau=WIDE,
        stock={"plays": ["waste", "row"]},
        waste={"plays": ["tableau", "foundation"], "redeals": 1},
    ),
    rules_of(  # foundations that differ only in the card on a King
        packs=1,
        foundations=foundations(
            {"piles": 2, "first": "Q", "wrap": True}, {"piles": 3, "first": "Q"}
        ),
        tableau=WIDE,
    ),
    rules_of(  # a card may go on foundations with different tops
        packs=1,
        foundations=foundations({"piles": 4, "first": "7", "order": "either"}),
        tableau=WIDE | {"order": "up"},
    ),
    rules_of(  # rows that wait for cards in all piles, with other stock moves
        tableau=WIDE,
        stock={"plays": ["row", "tableau"], "top": "up", "row_on_empty": False},
        waste=None,
    ),
    rules_of(tableau=WIDE, stock={"plays": ["waste", "row"], "row_on_empty": False}),
    rules_of(  # sequences of some suits only, which move through empty piles
        suits="HD", tableau=WIDE | {"match": "any", "run_match": "suit", "moves": "run-by-places"}
    ),
]
"""Rules for randomly dealt boards."""

RUNS: dict[str, Any] = {"takes": "run", "first": "K", "automatic": True}

RULES_OF_RUNS = [
    rules_of(  # piles filled when a run leaves them, and cards that go home one by one
        packs=1,
        foundations=foundations(
            {"piles": 2, "order": "down", "suits": "S", **RUNS}, {"piles": 3, "suits": "HDC"}
        ),
        tableau=WIDE | {"match": "any", "run_match": "suit", "moves": "run", "fill": ["waste"]},
    ),
    rules_of(  # rows that wait for cards
        packs=1,
        suits="SH",
        foundations=[{"piles": 4, "order": "down", "match": "suit", **RUNS}],
        tableau=WIDE | {"match": "any", "run_match": "suit", "moves": "run-by-spaces"},
        stock={"plays": ["waste", "row"], "row_on_empty": False},
    ),
]
"""Such rules with runs that go home automatically."""
