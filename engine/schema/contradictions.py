"""Consistency checks of rules, beyond the types of their keys."""

from __future__ import annotations

from collections.abc import Iterator

from engine.cards import PACK_SIZE, SUITS
from engine.schema.peaks import MAX_PEAKS, MAX_PLACES, rows_of
from engine.schema.rules import Cells, Foundation, Reserve, Rules, Stock, Tableau, Waste

MAX_PACKS = 2
MAX_PILES = 20  # the most piles of a tableau or reserve, and the most cells
MAX_FOUNDATIONS = 12  # of a group

Check = tuple[bool, str, str]  # whether the check fails, the offending key, and the message


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
        for fails, key, message in _of_foundation(rules, group, rules.foundations[:index]):
            yield fails, f"foundations[{index}].{key}", message


def _of_cards(rules: Rules) -> Iterator[Check]:
    cards = rules.packs * PACK_SIZE
    left = cards - _dealt(rules)
    yield not 1 <= rules.packs <= MAX_PACKS, "packs", "must be 1 or 2."
    yield left < 0, "packs", f"{cards} cards are too few to deal {cards - left}."
    yield from _of_suits(rules.suits)
    yield len(SUITS) % max(1, len(rules.suits)) != 0, "suits", "must name one, two or four suits."
    yield not rules.foundations, "foundations", "needs at least one group."
    yield (
        left > 0 and not rules.stock.plays,
        "stock.plays",
        f"must name where the stock's {left} cards go.",
    )


def _dealt(rules: Rules) -> int:
    """Return the number of cards outside the stock at the start."""
    set_up = sum(group.piles for group in rules.foundations if group.setup != "empty")
    tableau, reserve = rules.tableau, rules.reserve
    return set_up + sum(tableau.deal if tableau else ()) + sum(reserve.deal if reserve else ())


def _of_suits(suits: str) -> Iterator[Check]:
    yield not suits or not set(suits) <= set(SUITS), "suits", f"must be letters of {SUITS}."
    yield len(set(suits)) != len(suits), "suits", "must not contain duplicates."


def _of_stock(rules: Rules, stock: Stock) -> Iterator[Check]:
    tableau = rules.tableau
    yield (
        ("waste" in stock.plays) != (rules.waste is not None),
        "waste",
        "is needed if stock.plays names it, and only then.",
    )
    yield "row" in stock.plays and tableau is None, "stock.plays", "a row needs a tableau."
    yield tableau is None and "tableau" in stock.plays, "stock.plays", "there is no tableau."
    yield not 1 <= stock.turns <= PACK_SIZE, "stock.turns", f"must be 1 to {PACK_SIZE}."
    yield (
        stock.turns != 1 and stock.plays != ("waste",),
        "stock.turns",
        "needs a stock that plays to the waste alone.",
    )
    yield (
        not stock.row_on_empty and "row" not in stock.plays,
        "stock.row_on_empty",
        "needs 'row' in stock.plays.",
    )
    yield (
        stock.top == "down"
        and (
            "tableau" in stock.plays
            or ("foundation" in stock.plays and stock.to_foundation != "any")
        ),
        "stock.top",
        "must be 'up' if a move depends on the stock's top card.",
    )
    yield (
        "foundation" not in stock.plays and stock.to_foundation != "fitting",
        "stock.to_foundation",
        "needs 'foundation' in stock.plays.",
    )
    yield (
        stock.to_foundation == "any" and any(g.takes == "run" for g in rules.foundations),
        "stock.to_foundation",
        "cannot be 'any' with a foundation that takes runs.",
    )


def _of_waste(rules: Rules, waste: Waste) -> Iterator[Check]:
    negative = waste.redeals != "any" and waste.redeals < 0
    yield negative, "waste.redeals", "must not be negative."
    yield from _of_places(rules, "waste", waste.plays)


def _of_tableau(rules: Rules, tableau: Tableau) -> Iterator[Check]:
    most = MAX_PILES if tableau.peaks is None else MAX_PLACES
    yield from _of_deal("tableau", tableau.deal, tableau.face_up, most)
    yield from _of_places(rules, "tableau", tableau.plays)
    yield (
        tableau.order == "any" and tableau.match != "any",
        "tableau.match",
        "must be 'any', as tableau.order is.",
    )
    yield (
        tableau.run_match is not None and tableau.moves in ("card", "any"),
        "tableau.run_match",
        "needs tableau.moves that moves runs.",
    )
    yield (
        tableau.run_match is not None and tableau.match != "any",
        "tableau.run_match",
        "needs tableau.match = 'any'.",
    )
    yield (
        tableau.moves == "run-by-places" and "tableau" not in tableau.plays,
        "tableau.moves",
        "needs 'tableau' in tableau.plays.",
    )
    yield "waste" in tableau.fill and rules.waste is None, "tableau.fill", "there is no waste."
    yield (
        "reserve" in tableau.fill and rules.reserve is None,
        "tableau.fill",
        "there is no reserve.",
    )
    yield (
        bool(tableau.fill) and 0 in tableau.deal,
        "tableau.fill",
        "needs at least one card dealt to each pile.",
    )
    if tableau.peaks is not None:
        yield from _of_peaks(rules, tableau, tableau.peaks)
    if tableau.cleared == "wins":
        yield from _of_cleared(rules, tableau)


def _of_peaks(rules: Rules, tableau: Tableau, peaks: int) -> Iterator[Check]:
    possible = 1 <= peaks <= MAX_PEAKS
    yield not possible, "tableau.peaks", f"must be 1 to {MAX_PEAKS}."
    yield (
        not possible or set(tableau.deal) != {1} or rows_of(peaks, len(tableau.deal)) is None,
        "tableau.deal",
        "must deal a card to each place of two or more whole rows of the peaks.",
    )
    yield tableau.empty != "none", "tableau.empty", "must be 'none' with tableau.peaks."
    yield (
        tableau.plays != ("foundation",),
        "tableau.plays",
        "must be 'foundation' alone with tableau.peaks.",
    )
    yield tableau.moves != "card", "tableau.moves", "must be 'card' with tableau.peaks."
    yield bool(tableau.fill), "tableau.fill", "must be empty with tableau.peaks."
    yield _plays_to_tableau(rules), "tableau.peaks", "needs a tableau that no pile plays to."


def _plays_to_tableau(rules: Rules) -> bool:
    """Return whether cards of any pile may go to the tableau."""
    parts = (rules.tableau, rules.waste, rules.reserve, rules.cells, *rules.foundations)
    return bool({"row", "tableau"} & set(rules.stock.plays)) or any(
        "tableau" in part.plays for part in parts if part is not None
    )


def _of_cleared(rules: Rules, tableau: Tableau) -> Iterator[Check]:
    group = rules.foundations[0]
    takes_all = group.piles == 1 and group.first == "any" and len(group.suits) == len(SUITS)
    yield (
        len(rules.foundations) > 1 or group.takes == "run" or not takes_all,
        "tableau.cleared",
        "'wins' needs a single foundation of cards or pairs, with first = 'any' and all suits.",
    )
    yield not any(tableau.deal), "tableau.cleared", "'wins' needs cards dealt to the tableau."


def _of_reserve(rules: Rules, reserve: Reserve) -> Iterator[Check]:
    yield from _of_deal("reserve", reserve.deal, reserve.face_up, MAX_PILES)
    yield 0 in reserve.deal, "reserve.deal", "must deal each pile a card."
    yield from _of_places(rules, "reserve", reserve.plays)


def _of_cells(rules: Rules, cells: Cells) -> Iterator[Check]:
    yield not 1 <= cells.piles <= MAX_PILES, "cells.piles", f"must be 1 to {MAX_PILES}."
    yield from _of_places(rules, "cells", cells.plays)
    sources = [part.plays for part in (rules.tableau, rules.waste, rules.reserve) if part]
    yield (
        not any("cell" in plays for plays in sources),
        "cells",
        "needs 'cell' in what the tableau, the waste or the reserve plays.",
    )


def _of_deal(key: str, deal: tuple[int, ...], face_up: int | str, most: int) -> Iterator[Check]:
    yield not 1 <= len(deal) <= most, f"{key}.deal", f"must name 1 to {most} piles."
    yield any(size < 0 for size in deal), f"{key}.deal", "must not be negative."
    yield isinstance(face_up, int) and face_up < 1, f"{key}.face_up", "must be at least 1."


def _of_places(rules: Rules, key: str, plays: tuple[str, ...]) -> Iterator[Check]:
    yield rules.tableau is None and "tableau" in plays, f"{key}.plays", "there is no tableau."
    yield rules.cells is None and "cell" in plays, f"{key}.plays", "there are no cells."


def _of_foundation(
    rules: Rules, group: Foundation, before: tuple[Foundation, ...]
) -> Iterator[Check]:
    """Yield the checks of a group, given the preceding ones, with keys relative to the group."""
    tableau = rules.tableau
    copies = rules.packs * len(SUITS) // max(1, len(rules.suits))
    yield (not 1 <= group.piles <= MAX_FOUNDATIONS, "piles", f"must be 1 to {MAX_FOUNDATIONS}.")
    yield from _of_suits(group.suits)
    yield (
        group.setup == "laid-out"
        and (
            group.first in ("any", "same")
            or not set(group.suits) <= set(rules.suits)
            or group.piles != copies * len(group.suits)
        ),
        "setup",
        "'laid-out' needs a fixed rank, and one pile for each card of it.",
    )
    yield (
        group.setup == "laid-out"
        and any(
            other.setup == "laid-out"
            and other.first == group.first
            and bool(set(other.suits) & set(group.suits))
            for other in before
        ),
        "setup",
        "another group lays out the same cards.",
    )
    yield (
        group.takes == "run"
        and (
            tableau is None
            or group.first in ("any", "same")
            or tableau.order != "down"
            or group.setup != "empty"
        ),
        "takes",
        "'run' needs a tableau that builds down, a fixed first rank and the setup 'empty'.",
    )
    yield (
        group.setup == "dealt" and (group.first != "any" or len(group.suits) != len(SUITS)),
        "setup",
        "'dealt' needs first = 'any' and all suits.",
    )
    yield (
        group.first == "same" and (not before or before[0].setup != "dealt"),
        "first",
        "'same' needs a first group with the setup 'dealt'.",
    )
    yield group.order == "any", "order", "must not be 'any'."
    yield (
        group.last is not None and (group.takes == "run" or group.first != "any"),
        "last",
        "needs takes = 'card' and first = 'any'.",
    )
    yield (group.automatic and group.takes != "run", "automatic", "needs takes = 'run'.")
    yield (
        bool(group.plays) and (tableau is None or group.takes == "run" or group.setup != "empty"),
        "plays",
        "needs a tableau, takes = 'card' and the setup 'empty'.",
    )
    if group.takes == "pair":
        alone = Foundation(piles=1, first="any", takes="pair")
        yield (
            rules.foundations != (alone,),
            "takes",
            "'pair' needs this foundation alone, with first = 'any' and no other keys.",
        )
        yield _plays_to_tableau(rules), "takes", "'pair' needs a tableau that no pile plays to."
        yield rules.cells is not None, "takes", "'pair' needs rules without cells."
        yield (
            "foundation" in rules.stock.plays,
            "takes",
            "'pair' needs a stock that does not play to foundations.",
        )
