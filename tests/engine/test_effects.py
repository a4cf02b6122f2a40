"""Changes to rules are accepted exactly if they change how the rules play."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from random import Random
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from engine.board import Board
from engine.cards import DOWN, turned_up
from engine.catalog import games
from engine.deal import deal_seed
from engine.errors import RulesetError
from engine.moves import legal_moves
from engine.notation import move_text
from engine.play import apply
from engine.ruleset import Ruleset
from engine.schema import Foundation, Rules, changed_rules, changes_between
from engine.schema.changes import effective
from tests.engine.positions import VARIANTS
from tests.engine.starts import STARTS, built_start
from tests.sizes import SAMPLED, cases
from tests.vectors.changes import TABLES, words_of

LISTS: dict[str, list[Any]] = {
    "deal": [(1,), (1,) * 7, (4,) * 6, (0, 3, 5, 7)],
    "fill": [("stock",), ("waste",), ("reserve",), ("waste", "stock"), ("stock", "waste")],
}
NUMBERS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 20, 24, 30, 1_000_000]
NO_EFFECT = "without changes that have no effect"
SUITS = ["S", "SH", "SC", "HD", "SHD", "SHDC", "CDHS"]


def values_of(table: Any, name: str) -> list[Any]:
    """Return values of a key to try, valid or not."""
    hint = get_type_hints(type(table))[name]
    words: list[Any] = words_of(hint)
    if name in LISTS:
        return [*LISTS[name], ()]
    if get_origin(hint) is tuple:
        value = getattr(table, name)
        less = [tuple(place for place in value if place != gone) for gone in value]
        more = [(*value, place) for place in words if place not in value]
        return less + more + [value[::-1]]
    if hint is bool:
        return [True, False]
    if int in (hint, *get_args(hint)):
        return [*NUMBERS, *words]
    return [*words, *(SUITS if hint is str else ())]


def single_changes(base: Rules) -> Iterator[Rules]:
    for name, usual in TABLES.items():
        table = getattr(base, name)
        if table is None:
            yield replace(base, **{name: usual})
            continue
        if name != "stock":
            gone: dict[str, Any] = {name: None}
            yield replace(base, **gone)
        for field in fields(table):
            for value in values_of(table, field.name):
                yield replace(base, **{name: replace(table, **{field.name: value})})
    for at, group in enumerate(base.foundations):
        for field in fields(Foundation):
            for value in values_of(group, field.name):
                groups = list(base.foundations)
                groups[at] = replace(group, **{field.name: value})
                yield replace(base, foundations=tuple(groups))
    for value in SUITS:
        yield replace(base, suits=value)
    yield replace(base, packs=3 - base.packs)


def moves_of(board: Board) -> set[str]:
    return {move_text(board.ruleset, move) for move in legal_moves(board)}


def starts(rules: Ruleset, other: Ruleset, number: int) -> Board:
    """Return a board: built by chance, of a game's end, or with few cards on the tableau."""
    chance = Random(number)
    late = number % 3 == 0 and any(group.takes == "run" for group in rules.groups)
    board = (STARTS[2] if late else built_start)(rules, chance)
    piles = [*board.piles, *[b""] * (len(rules.pile_names) - len(board.piles))]
    if late:
        piles = in_other_suits(rules, piles, chance)
    elif number % 3 == 1 and rules.tableau and not rules.peaks:
        thin_out(rules, piles, chance, fills=bool(rules.fill or other.fill))
    if rules.waste is not None and rules.groups[0].takes != "run":
        # No more cards than the stock has at the start are in stock and waste.
        size = rules.in_stock - len(piles[rules.stock])
        piles[0] = piles[rules.waste][size:] + piles[0]
        piles[rules.waste] = piles[rules.waste][:size]
    redeals = min(rules.redeals, other.redeals)
    return Board(rules, tuple(piles), redeals if number % 2 else chance.randint(0, min(redeals, 3)))


def in_other_suits(rules: Ruleset, piles: list[bytes], chance: Random) -> list[bytes]:
    """Return piles with the suits in play exchanged."""
    suits = sorted({card // 13 for card in rules.pack})
    swapped = dict(zip(suits, chance.sample(suits, len(suits)), strict=True))
    return [
        bytes(
            card & DOWN | swapped[(card & ~DOWN) // 13] * 13 + (card & ~DOWN) % 13 for card in pile
        )
        for pile in piles
    ]


def thin_out(rules: Ruleset, piles: list[bytes], chance: Random, *, fills: bool) -> None:
    """Empty some tableau piles, and perhaps stock and waste, and leave few cards on the others."""
    columns = chance.sample(rules.tableau, len(rules.tableau))
    onto = rules.foundations[0] if rules.groups[0].first == "any" else columns.pop()
    emptied = columns[: chance.randrange(len(columns) + 1)]
    if chance.random() < 0.5:
        emptied += [rules.stock, *([] if rules.waste is None else [rules.waste])]
    elif fills:
        emptied = []
    spare = b""
    for pile in {*emptied, *columns}:
        cut = max(0, len(piles[pile]) - (0 if pile in emptied else chance.randint(1, 2)))
        spare, piles[pile] = spare + piles[pile][:cut], turned_up(piles[pile][cut:])
    piles[onto] = turned_up(spare) + turned_up(piles[onto])


def play_alike(one: Ruleset, other: Ruleset, boards: int) -> bool:
    """Return whether two rulesets deal and play alike, on deals and on boards of random play."""
    if one.pile_names != other.pile_names or one.pack != other.pack:
        return False
    for number in range(boards):
        chance = Random(number)
        seed = chance.randbytes(32)
        if deal_seed(one, seed).piles != deal_seed(other, seed).piles:
            return False
        ours = starts(one, other, number)
        theirs = Board(other, ours.piles, ours.redeals, ours.moves)
        for _ in range(5):
            if ours.piles != theirs.piles or moves_of(ours) != moves_of(theirs):
                return False
            moves = legal_moves(ours)
            if not moves:
                break
            home = [move for move in moves if move.target in one.foundations]
            move = chance.choice(home or moves)
            ours, theirs = apply(ours, move), apply(theirs, move)
    return True


@SAMPLED
@pytest.mark.parametrize(("game", "variant"), VARIANTS)
def test_changes_are_accepted_if_and_only_if_they_change_how_rules_play(
    game: str, variant: str
) -> None:
    base = games()[game].variants[variant]
    own = Ruleset(game, variant, base)
    alike: list[str] = []
    different: list[str] = []
    stride = cases(6, 1)
    for rules in list(single_changes(base))[sum(map(ord, variant)) % stride :: stride]:
        changes = changes_between(base, rules)
        try:
            changed_rules(game, base, changes) if changes else None
        except RulesetError as error:
            if NO_EFFECT in error.message:
                written = Ruleset(game, variant, effective(base, rules))
                if not play_alike(written, Ruleset(game, variant, rules), 12):
                    different.append(changes)
        else:
            if changes and play_alike(own, Ruleset(game, variant, rules), 1_000):
                alike.append(changes)
    assert not alike, "accepted, but no different from the unchanged rules"
    assert not different, "refused, but different from the rules that they are said to be"
