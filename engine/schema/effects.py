"""Which keys of rules have an effect: rules that play alike have the same normal form.

Like `contradictions`, this module is translated to TypeScript. Changes to rules must not name a key
whose change has no effect (`changes`), so that a game has one name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

from engine.cards import SUITS
from engine.schema.contradictions import left_in_stock, takes_runs
from engine.schema.peaks import rows_of
from engine.schema.rules import (
    Cells,
    Foundation,
    Match,
    Order,
    Place,
    Reserve,
    Rules,
    Stock,
    Tableau,
    Waste,
)

Dealt = Literal["waste", "row", "tableau", "foundation"]
Kept = Literal["tableau", "foundation"]

PLACES: Final[tuple[Place, ...]] = ("tableau", "foundation", "cell")
DEALT: Final[tuple[Dealt, ...]] = ("waste", "row", "tableau", "foundation")
KEPT: Final[tuple[Kept, ...]] = ("tableau", "foundation")
ENDS: Final = 2  # of a move
MANY: Final = 1_000_000  # as many redeals as `any`


def normal(rules: Rules) -> Rules:
    """Return rules that play alike, with a fixed value for each key without effect.

    The result is for comparisons only: it may contradict itself.
    """
    return replace(
        rules,
        foundations=tuple(_foundation(rules, group) for group in rules.foundations),
        tableau=None if rules.tableau is None else _tableau(rules, rules.tableau),
        stock=_stock(rules, rules.stock),
        waste=None if rules.waste is None else _waste(rules, rules.waste),
        reserve=None if rules.reserve is None else _reserve(rules, rules.reserve),
        cells=None if rules.cells is None else _cells(rules, rules.cells),
    )


def _tableau(rules: Rules, tableau: Tableau) -> Tableau:
    left = left_in_stock(rules)
    spreads = _spreads(rules)
    builds = spreads or takes_runs(rules)
    match = _match(tableau.match, rules.suits)
    none = match == "alternate" and _is_one_colour(rules.suits)  # no card fits on another
    leaves = _leaves(rules)
    ends = _is_laid_out(rules, "A") or _is_laid_out(rules, "K")  # King or Ace is out of play
    run_match = None if tableau.run_match is None else _match(tableau.run_match, rules.suits)
    together = None if run_match == match else run_match
    moves = _moves(rules, tableau, none, together)
    opens = spreads and (leaves or 0 in tableau.deal)  # cards may come to an empty pile
    rows = None if tableau.peaks is None else rows_of(tableau.peaks, len(tableau.deal))
    highest = all(
        tableau.face_up == "all"
        or (size <= tableau.face_up if rows is None else len(rows) <= tableau.face_up)
        for size in tableau.deal
    )
    rest = left > 0 or rules.reserve is not None or rules.cells is not None
    return replace(
        tableau,
        order="any" if not builds else "up" if none else tableau.order,
        match="any" if not builds else match,
        plays=tuple(
            place
            for place in PLACES
            if place in tableau.plays
            and (place != "tableau" or len(tableau.deal) > 1)
            and (place != "foundation" or _takes_singles(rules) or _takes_runs_by_hand(rules))
        ),
        face_up="all" if highest else tableau.face_up,
        wrap=builds and tableau.order != "any" and not none and not ends and tableau.wrap,
        moves=moves,
        run_match=together if takes_runs(rules) or moves not in ("card", "any") else None,
        empty="none"
        if not opens or (tableau.empty != "any" and _is_laid_out(rules, tableau.empty))
        else tableau.empty,
        fill=tuple(
            source for source in tableau.fill if leaves and (source == "reserve" or left > 0)
        ),
        cleared="wins" if tableau.cleared == "wins" and leaves and rest else "goes-on",
    )


def _moves(
    rules: Rules, tableau: Tableau, none: bool, together: Match | None
) -> Literal["card", "run", "run-by-spaces", "run-by-places", "whole-run", "any"]:
    """Return the normal value of `tableau.moves`."""
    moves = tableau.moves
    piles = len(tableau.deal)
    if piles == 1 or "tableau" not in tableau.plays:
        return "card"
    if moves == "any":
        return "run" if tableau.order == "any" and together is None else "any"
    # One empty pile besides source and target is needed.
    carries = piles > ENDS and tableau.empty == "any"
    stores = rules.cells is not None and "cell" in tableau.plays and "tableau" in rules.cells.plays
    if none or (moves == "run-by-spaces" and not carries):
        return "card"
    return "card" if moves == "run-by-places" and not carries and not stores else moves


def _stock(rules: Rules, stock: Stock) -> Stock:
    left = left_in_stock(rules)
    tableau = rules.tableau
    home = _takes_singles(rules) and "foundation" in stock.plays and left > 0
    stays = tableau is not None and (
        "stock" in tableau.fill
        or len(tableau.deal) == 1
        or (not _leaves(rules) and 0 not in tableau.deal)
    )  # no pile is empty when a row could be dealt
    return replace(
        stock,
        plays=tuple(
            place
            for place in DEALT
            if place in stock.plays
            and (left > 0 or place == "waste")
            and (place != "foundation" or home)
        ),
        turns=1 if left <= 0 else left if stock.turns > left else stock.turns,
        row_on_empty=stock.row_on_empty or stays or left == 0,
        top="down" if left == 0 else stock.top,
        to_foundation=stock.to_foundation if home else "fitting",
    )


def _waste(rules: Rules, waste: Waste) -> Waste:
    dealt = left_in_stock(rules) > 0  # otherwise the waste stays empty
    home = _takes_singles(rules)
    redeals = "any" if waste.redeals == MANY else waste.redeals
    return replace(
        waste,
        plays=tuple(
            place
            for place in PLACES
            if dealt and place in waste.plays and (place != "foundation" or home)
        ),
        redeals=redeals if dealt else 0,
    )


def _reserve(rules: Rules, reserve: Reserve) -> Reserve:
    home = _takes_singles(rules)
    highest = all(reserve.face_up == "all" or size <= reserve.face_up for size in reserve.deal)
    return replace(
        reserve,
        plays=tuple(
            place for place in PLACES if place in reserve.plays and (place != "foundation" or home)
        ),
        face_up="all" if highest else reserve.face_up,
    )


def _cells(rules: Rules, cells: Cells) -> Cells:
    home = _takes_singles(rules)
    return replace(
        cells,
        plays=tuple(
            place for place in KEPT if place in cells.plays and (place != "foundation" or home)
        ),
    )


def _foundation(rules: Rules, group: Foundation) -> Foundation:
    taken = "".join(suit for suit in SUITS if suit in group.suits and suit in rules.suits)
    every = SUITS if len(taken) == len(rules.suits) else taken
    suits = group.suits if group.setup == "laid-out" else every
    if group.takes == "pair":
        return group
    if group.takes == "run":
        # Without wrapping, only a King can head thirteen cards.
        heads = group.first == "K" or (rules.tableau is not None and rules.tableau.wrap)
        first = group.first if heads else "A"
        return replace(group, first=first, suits=suits, order="up", match="suit", wrap=False)
    if not _sends_singles(rules):
        return replace(group, suits=suits, order="up", match="suit", wrap=False, last=None)
    match = _match(group.match, taken)
    if match == "alternate" and _is_one_colour(taken):
        return replace(group, suits=suits, order="up", match=match, wrap=False, last=None)
    order = _order(rules, group, match)
    up = order == "up"
    begins = (up and group.first == "A") or (order == "down" and group.first == "K")
    ends = (up and group.first == "K") or (order == "down" and group.first == "A")
    last = (up and group.last == "K") or (order == "down" and group.last == "A")
    return replace(
        group,
        suits=suits,
        order=order,
        match="suit" if ends and not group.wrap else match,
        # Where an end of the ranks starts it, thirteen cards complete it at the other.
        wrap=group.wrap and not begins,
        last=None if last and not group.wrap else group.last,
    )


def _order(rules: Rules, group: Foundation, match: Match) -> Order:
    """Return the normal value of a foundation's order."""
    # From an end of the ranks, there is no card to go back to: each is in the pile already.
    single = rules.packs * len(SUITS) == len(rules.suits)
    unseen = "foundation" in rules.stock.plays and rules.stock.to_foundation == "any"
    if group.order != "either" or match != "suit" or group.wrap or unseen or not single:
        return group.order
    return "up" if group.first == "A" else "down" if group.first == "K" else "either"


def _match(match: Match, suits: str) -> Match:
    """Return the first of the matches that are the same among these suits."""
    if match == "any" and _is_one_colour(suits):
        return "suit" if len(suits) == 1 else "colour"
    black = sum(1 for suit in suits if suit in "SC")
    single = black <= 1 and len(suits) - black <= 1
    return "suit" if match == "colour" and single else match


def _is_one_colour(suits: str) -> bool:
    return all(suit in "SC" for suit in suits) or all(suit in "HD" for suit in suits)


def _is_laid_out(rules: Rules, rank: str) -> bool:
    """Return whether all cards of a rank are laid out on foundations before the deal."""
    return all(
        any(
            group.setup == "laid-out" and group.first == rank and suit in group.suits
            for group in rules.foundations
        )
        for suit in rules.suits
    )


def _takes_singles(rules: Rules) -> bool:
    """Return whether a foundation takes single cards or pairs."""
    return any(group.takes != "run" for group in rules.foundations)


def _takes_runs_by_hand(rules: Rules) -> bool:
    return any(group.takes == "run" and not group.automatic for group in rules.foundations)


def _sends_singles(rules: Rules) -> bool:
    """Return whether fitting cards of any pile may go to foundations."""
    return (
        (rules.tableau is not None and "foundation" in rules.tableau.plays)
        or (rules.waste is not None and "foundation" in rules.waste.plays)
        or (rules.reserve is not None and "foundation" in rules.reserve.plays)
        or (rules.cells is not None and "foundation" in rules.cells.plays)
        or ("foundation" in rules.stock.plays and rules.stock.to_foundation == "fitting")
    )


def _leaves(rules: Rules) -> bool:
    """Return whether cards may leave tableau piles."""
    tableau = rules.tableau
    return tableau is not None and (
        len(tableau.plays) > 0 or any(group.automatic for group in rules.foundations)
    )


def _spreads(rules: Rules) -> bool:
    """Return whether single cards or runs may go to tableau piles."""
    return (
        (
            rules.tableau is not None
            and "tableau" in rules.tableau.plays
            and len(rules.tableau.deal) > 1
        )
        or ("tableau" in rules.stock.plays and left_in_stock(rules) > 0)
        or (rules.waste is not None and "tableau" in rules.waste.plays)
        or (rules.reserve is not None and "tableau" in rules.reserve.plays)
        or (rules.cells is not None and "tableau" in rules.cells.plays)
        or any("tableau" in group.plays for group in rules.foundations)
    )
