"""Consistency checks of rules, beyond the types of their keys.

The client's checks are this module and its neighbours `cost` and `effects`, translated to
TypeScript by `server.base.generate.checks`, which names the part of Python that they may use.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

from engine.cards import PACK_SIZE, SUITS
from engine.schema.peaks import MAX_PEAKS, MAX_PLACES, rows_of
from engine.schema.rules import Cells, Foundation, Reserve, Rules, Stock, Tableau, Waste

MAX_PACKS: Final = 2
MAX_PILES: Final = 20  # the most piles of a tableau or reserve, and the most cells
MAX_FOUNDATIONS: Final = 12  # of a group

# Whether the check fails; the offending key, as in changes; the reason's code; and the message,
# which starts where the key ends.
Check: TypeAlias = tuple[bool, str, str, str]


def contradictions(rules: Rules) -> Iterator[Check]:
    """Yield the checks of rules whose values have the right types."""
    yield from _of_cards(rules)
    yield from _of_stock(rules, rules.stock)
    if rules.waste is not None:
        yield from _of_waste(rules, rules.waste)
    if rules.tableau is not None:
        yield from _of_tableau(rules, rules.tableau)
    if rules.reserve is not None:
        yield from _of_reserve(rules, rules.reserve)
    if rules.cells is not None:
        yield from _of_cells(rules, rules.cells)
    for index, group in enumerate(rules.foundations):
        yield from _of_foundation(rules, group, index, f"foundations.{index}")


def left_in_stock(rules: Rules) -> int:
    """Return the number of cards of the stock at the start; negative if too many are dealt."""
    set_up = sum(group.piles for group in rules.foundations if group.setup != "empty")
    tableau = 0 if rules.tableau is None else sum(rules.tableau.deal)
    reserve = 0 if rules.reserve is None else sum(rules.reserve.deal)
    return rules.packs * PACK_SIZE - set_up - tableau - reserve


def takes_runs(rules: Rules) -> bool:
    """Return whether a foundation takes runs."""
    return any(group.takes == "run" for group in rules.foundations)


def _of_cards(rules: Rules) -> Iterator[Check]:
    left = left_in_stock(rules)
    yield not 1 <= rules.packs <= MAX_PACKS, "packs", "packs", "must be 1 or 2."
    yield (
        left < 0,
        "packs",
        "too-few-cards",
        f"{rules.packs * PACK_SIZE} cards are too few to deal {rules.packs * PACK_SIZE - left}.",
    )
    yield from _of_suits("suits", rules.suits)
    number = len(rules.suits)
    yield (
        number > 0 and len(SUITS) % number != 0,
        "suits",
        "suits-number",
        "must name one, two or four suits.",
    )
    yield (
        len(rules.foundations) == 0,
        "foundations",
        "no-foundations",
        "needs at least one group.",
    )
    yield (
        left > 0 and len(rules.stock.plays) == 0,
        "stock.plays",
        "stock-goes-nowhere",
        f"must name where the stock's {left} cards go.",
    )


def _of_suits(key: str, suits: str) -> Iterator[Check]:
    known = all(suit in SUITS for suit in suits)
    yield len(suits) == 0 or not known, key, "suits", f"must be letters of {SUITS}."
    yield len(set(suits)) != len(suits), key, "suits", "must not contain duplicates."


def _of_stock(rules: Rules, stock: Stock) -> Iterator[Check]:
    tableau = rules.tableau
    home = "foundation" in stock.plays
    yield (
        ("waste" in stock.plays) != (rules.waste is not None),
        "waste",
        "waste-and-stock",
        "is needed if stock.plays names it, and only then.",
    )
    yield (
        "row" in stock.plays and tableau is None,
        "stock.plays",
        "row-needs-tableau",
        "a row needs a tableau.",
    )
    yield (
        tableau is None and "tableau" in stock.plays,
        "stock.plays",
        "no-tableau",
        "there is no tableau.",
    )
    yield (
        not 1 <= stock.turns <= PACK_SIZE,
        "stock.turns",
        "range",
        f"must be 1 to {PACK_SIZE}.",
    )
    yield (
        stock.turns != 1 and not (len(stock.plays) == 1 and "waste" in stock.plays),
        "stock.turns",
        "turns-need-waste",
        "needs a stock that plays to the waste alone.",
    )
    yield (
        not stock.row_on_empty and "row" not in stock.plays,
        "stock.row_on_empty",
        "row-on-empty-needs-row",
        "needs 'row' in stock.plays.",
    )
    yield (
        stock.top == "down"
        and ("tableau" in stock.plays or (home and stock.to_foundation != "any")),
        "stock.top",
        "top-must-be-up",
        "must be 'up' if a move depends on the stock's top card.",
    )
    yield (
        not home and stock.to_foundation != "fitting",
        "stock.to_foundation",
        "needs-foundation",
        "needs 'foundation' in stock.plays.",
    )
    yield (
        stock.to_foundation == "any" and takes_runs(rules),
        "stock.to_foundation",
        "any-and-runs",
        "cannot be 'any' with a foundation that takes runs.",
    )


def _of_waste(rules: Rules, waste: Waste) -> Iterator[Check]:
    negative = waste.redeals != "any" and waste.redeals < 0
    yield negative, "waste.redeals", "range", "must not be negative."
    yield from _of_places(rules, "waste.plays", waste.plays)


def _of_tableau(rules: Rules, tableau: Tableau) -> Iterator[Check]:
    yield from _of_deal("tableau", tableau.deal, tableau.face_up, tableau.peaks is not None)
    yield from _of_places(rules, "tableau.plays", tableau.plays)
    together = tableau.run_match is not None
    yield (
        tableau.order == "any" and tableau.match != "any",
        "tableau.match",
        "any-order-any-match",
        "must be 'any', as tableau.order is.",
    )
    yield (
        together and tableau.moves in ("card", "any") and not takes_runs(rules),
        "tableau.run_match",
        "run-match-needs-runs",
        "needs tableau.moves that moves runs, or a foundation that takes them.",
    )
    yield (
        together and tableau.match != "any",
        "tableau.run_match",
        "run-match-needs-any",
        "needs tableau.match = 'any'.",
    )
    yield (
        tableau.moves == "run-by-places" and "tableau" not in tableau.plays,
        "tableau.moves",
        "moves-need-tableau",
        "needs 'tableau' in tableau.plays.",
    )
    yield (
        "waste" in tableau.fill and rules.waste is None,
        "tableau.fill",
        "no-waste",
        "there is no waste.",
    )
    yield (
        "reserve" in tableau.fill and rules.reserve is None,
        "tableau.fill",
        "no-reserve",
        "there is no reserve.",
    )
    yield (
        len(tableau.fill) > 0 and 0 in tableau.deal,
        "tableau.fill",
        "fill-needs-cards",
        "needs at least one card dealt to each pile.",
    )
    if tableau.peaks is not None:
        yield from _of_peaks(rules, tableau, tableau.peaks)
    if tableau.cleared == "wins":
        yield from _of_cleared(rules, tableau)


def _of_peaks(rules: Rules, tableau: Tableau, peaks: int) -> Iterator[Check]:
    possible = 1 <= peaks <= MAX_PEAKS
    yield not possible, "tableau.peaks", "range", f"must be 1 to {MAX_PEAKS}."
    whole = rows_of(peaks, len(tableau.deal)) is not None
    yield (
        not whole or not all(size == 1 for size in tableau.deal),
        "tableau.deal",
        "peaks-rows",
        "must deal a card to each place of two or more whole rows of the peaks.",
    )
    yield (
        tableau.empty != "none",
        "tableau.empty",
        "not-with-peaks",
        "must be 'none' with tableau.peaks.",
    )
    yield (
        not (len(tableau.plays) == 1 and "foundation" in tableau.plays),
        "tableau.plays",
        "not-with-peaks",
        "must be 'foundation' alone with tableau.peaks.",
    )
    yield (
        tableau.moves != "card",
        "tableau.moves",
        "not-with-peaks",
        "must be 'card' with tableau.peaks.",
    )
    yield (
        len(tableau.fill) > 0,
        "tableau.fill",
        "not-with-peaks",
        "must be empty with tableau.peaks.",
    )
    yield (
        _plays_to_tableau(rules),
        "tableau.peaks",
        "peaks-take-none",
        "needs a tableau that no pile plays to.",
    )


def _plays_to_tableau(rules: Rules) -> bool:
    """Return whether cards of any pile may go to the tableau."""
    return (
        "row" in rules.stock.plays
        or "tableau" in rules.stock.plays
        or (rules.tableau is not None and "tableau" in rules.tableau.plays)
        or (rules.waste is not None and "tableau" in rules.waste.plays)
        or (rules.reserve is not None and "tableau" in rules.reserve.plays)
        or (rules.cells is not None and "tableau" in rules.cells.plays)
        or any("tableau" in group.plays for group in rules.foundations)
    )


def _of_cleared(rules: Rules, tableau: Tableau) -> Iterator[Check]:
    alone = len(rules.foundations) == 1 and all(
        group.piles == 1
        and group.first == "any"
        and group.takes != "run"
        and len(group.suits) == len(SUITS)
        for group in rules.foundations
    )
    yield (
        not alone,
        "tableau.cleared",
        "cleared-home",
        "'wins' needs a single foundation of cards or pairs, with first = 'any' and all suits.",
    )
    yield (
        all(size == 0 for size in tableau.deal),
        "tableau.cleared",
        "cleared-deal",
        "'wins' needs cards dealt to the tableau.",
    )


def _of_reserve(rules: Rules, reserve: Reserve) -> Iterator[Check]:
    yield from _of_deal("reserve", reserve.deal, reserve.face_up, False)
    yield 0 in reserve.deal, "reserve.deal", "deal-empty", "must deal each pile a card."
    yield from _of_places(rules, "reserve.plays", reserve.plays)


def _of_cells(rules: Rules, cells: Cells) -> Iterator[Check]:
    yield not 1 <= cells.piles <= MAX_PILES, "cells.piles", "range", f"must be 1 to {MAX_PILES}."
    yield from _of_places(rules, "cells.plays", cells.plays)
    fed = (
        (rules.tableau is not None and "cell" in rules.tableau.plays)
        or (rules.waste is not None and "cell" in rules.waste.plays)
        or (rules.reserve is not None and "cell" in rules.reserve.plays)
    )
    yield (
        not fed,
        "cells",
        "cells-unused",
        "needs 'cell' in what the tableau, the waste or the reserve plays.",
    )


def _of_deal(table: str, deal: tuple[int, ...], face_up: int | str, peaks: bool) -> Iterator[Check]:
    most = MAX_PLACES if peaks else MAX_PILES
    yield (
        not 1 <= len(deal) <= most,
        f"{table}.deal",
        "peaks-rows" if peaks else "deal-piles",
        f"must name 1 to {most} piles.",
    )
    yield any(size < 0 for size in deal), f"{table}.deal", "range", "must not be negative."
    none = not isinstance(face_up, str) and face_up < 1
    yield none, f"{table}.face_up", "range", "must be at least 1."


def _of_places(rules: Rules, key: str, plays: tuple[str, ...]) -> Iterator[Check]:
    yield rules.tableau is None and "tableau" in plays, key, "no-tableau", "there is no tableau."
    yield rules.cells is None and "cell" in plays, key, "no-cells", "there are no cells."


def _of_foundation(rules: Rules, group: Foundation, index: int, at: str) -> Iterator[Check]:
    """Yield the checks of a group; `at` is the path of its table."""
    tableau = rules.tableau
    before = rules.foundations[:index]
    any_first = group.first in ("any", "same")
    copies = rules.packs * len(SUITS) // len(rules.suits)
    yield (
        not 1 <= group.piles <= MAX_FOUNDATIONS,
        f"{at}.piles",
        "range",
        f"must be 1 to {MAX_FOUNDATIONS}.",
    )
    yield from _of_suits(f"{at}.suits", group.suits)
    yield (
        not any(suit in rules.suits for suit in group.suits),
        f"{at}.suits",
        "suits",
        "must name a suit in play.",
    )
    unknown = not all(suit in rules.suits for suit in group.suits)
    yield (
        group.setup == "laid-out"
        and (any_first or unknown or group.piles != copies * len(group.suits)),
        f"{at}.setup",
        "laid-out",
        "'laid-out' needs a fixed rank, and one pile for each card of it.",
    )
    yield (
        group.setup == "laid-out"
        and any(
            other.setup == "laid-out"
            and other.first == group.first
            and any(suit in other.suits for suit in group.suits)
            for other in before
        ),
        f"{at}.setup",
        "laid-out-twice",
        "another group lays out the same cards.",
    )
    yield (
        group.takes == "run"
        and (tableau is None or any_first or tableau.order != "down" or group.setup != "empty"),
        f"{at}.takes",
        "runs-need-tableau",
        "'run' needs a tableau that builds down, a fixed first rank and the setup 'empty'.",
    )
    yield (
        group.setup == "dealt" and (group.first != "any" or len(group.suits) != len(SUITS)),
        f"{at}.setup",
        "dealt-any",
        "'dealt' needs first = 'any' and all suits.",
    )
    yield (
        group.first == "same" and (index == 0 or rules.foundations[0].setup != "dealt"),
        f"{at}.first",
        "same-needs-dealt",
        "'same' needs a first group with the setup 'dealt'.",
    )
    yield group.order == "any", f"{at}.order", "order-any", "must not be 'any'."
    yield (
        group.last is not None and (group.takes == "run" or group.first != "any"),
        f"{at}.last",
        "last-needs-any",
        "needs takes = 'card' and first = 'any'.",
    )
    yield (
        group.automatic and group.takes != "run",
        f"{at}.automatic",
        "automatic-needs-runs",
        "needs takes = 'run'.",
    )
    yield (
        len(group.plays) > 0
        and (tableau is None or group.takes == "run" or group.setup != "empty"),
        f"{at}.plays",
        "gives-back",
        "needs a tableau, takes = 'card' and the setup 'empty'.",
    )
    if group.takes == "pair":
        yield from _of_pairs(rules, group, f"{at}.takes")


def _of_pairs(rules: Rules, group: Foundation, key: str) -> Iterator[Check]:
    plain = (
        group.piles == 1
        and group.first == "any"
        and group.setup == "empty"
        and group.suits == SUITS
        and group.order == "up"
        and group.match == "suit"
        and not group.wrap
        and group.last is None
        and not group.automatic
        and len(group.plays) == 0
    )
    yield (
        not plain or len(rules.foundations) != 1,
        key,
        "pairs-alone",
        "'pair' needs this foundation alone, with first = 'any' and no other keys.",
    )
    yield (
        _plays_to_tableau(rules),
        key,
        "pairs-take-none",
        "'pair' needs a tableau that no pile plays to.",
    )
    yield rules.cells is not None, key, "pairs-no-cells", "'pair' needs rules without cells."
    yield (
        "foundation" in rules.stock.plays,
        key,
        "pairs-no-stock",
        "'pair' needs a stock that does not play to foundations.",
    )
