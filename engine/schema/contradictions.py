"""What rules may not say, beyond the types of their keys."""

from __future__ import annotations

from engine.cards import PACK_SIZE, SUITS
from engine.schema.rules import Rules


def contradictions(rules: Rules) -> list[tuple[bool, str, str]]:
    """Return the checks beyond types, as (whether it fails, the key, the error message)."""
    tableau, stock, waste = rules.tableau, rules.stock, rules.waste
    cards = rules.packs * PACK_SIZE
    set_up = sum(group.piles for group in rules.foundations if group.setup != "empty")
    dealt = set_up + (sum(tableau.deal) if tableau else 0)
    checks = [
        (not 1 <= rules.packs <= 2, "packs", "must be 1 or 2."),  # noqa: PLR2004
        (dealt > cards, "packs", f"{cards} cards are too few to deal {dealt}."),
        (not rules.foundations, "foundations", "needs at least one group."),
        (
            ("waste" in stock.plays) != (waste is not None),
            "waste",
            "is needed if stock.plays names it, and only then.",
        ),
        (not stock.plays, "stock.plays", "must name where the stock's cards go."),
        ("row" in stock.plays and tableau is None, "stock.plays", "a row needs a tableau."),
        (tableau is None and "tableau" in stock.plays, "stock.plays", "there is no tableau."),
        (
            stock.top == "down"
            and (
                "tableau" in stock.plays
                or ("foundation" in stock.plays and stock.to_foundation != "any")
            ),
            "stock.top",
            "must be 'up' if a move depends on the stock's top card.",
        ),
        (
            "foundation" not in stock.plays and stock.to_foundation != "fitting",
            "stock.to_foundation",
            "needs 'foundation' in stock.plays.",
        ),
        (
            stock.to_foundation == "any" and any(g.takes == "run" for g in rules.foundations),
            "stock.to_foundation",
            "cannot be 'any' with a foundation that takes runs.",
        ),
    ]
    if waste is not None:
        checks += [
            (waste.redeals < 0, "waste.redeals", "must not be negative."),
            (tableau is None and "tableau" in waste.plays, "waste.plays", "there is no tableau."),
        ]
    if tableau is not None:
        checks += [
            (not 1 <= len(tableau.deal) <= 20, "tableau.deal", "must name 1 to 20 piles."),  # noqa: PLR2004
            (any(size < 0 for size in tableau.deal), "tableau.deal", "must not be negative."),
            (
                tableau.face_up != "all" and tableau.face_up < 1,
                "tableau.face_up",
                "must be at least 1.",
            ),
            (
                tableau.order == "any" and tableau.match != "any",
                "tableau.match",
                "must be 'any', as tableau.order is.",
            ),
            ("waste" in tableau.fill and waste is None, "tableau.fill", "there is no waste."),
            (
                bool(tableau.fill) and tableau.moves == "run",
                "tableau.fill",
                "cannot be combined with tableau.moves = 'run'.",
            ),
            (
                bool(tableau.fill) and 0 in tableau.deal,
                "tableau.fill",
                "needs at least one card dealt to each pile.",
            ),
        ]
    for index, group in enumerate(rules.foundations):
        key = f"foundations[{index}]"
        checks += [
            (not 1 <= group.piles <= 12, f"{key}.piles", "must be 1 to 12."),  # noqa: PLR2004
            (
                not group.suits or not set(group.suits) <= set(SUITS),
                f"{key}.suits",
                f"must be letters of {SUITS}.",
            ),
            (
                len(set(group.suits)) != len(group.suits),
                f"{key}.suits",
                "must not name anything twice.",
            ),
            (
                group.setup == "laid-out"
                and (group.first == "any" or group.piles != rules.packs * len(group.suits)),
                f"{key}.setup",
                "'laid-out' needs a fixed rank, and one pile for each card of it.",
            ),
            (
                group.setup == "laid-out"
                and any(
                    other.setup == "laid-out"
                    and other.first == group.first
                    and bool(set(other.suits) & set(group.suits))
                    for other in rules.foundations[:index]
                ),
                f"{key}.setup",
                "another group lays out the same cards.",
            ),
            (
                group.takes == "run"
                and (
                    tableau is None
                    or group.first == "any"
                    or tableau.order != "down"
                    or group.setup != "empty"
                ),
                f"{key}.takes",
                "'run' needs a tableau that builds down, a fixed first rank and the setup 'empty'.",
            ),
            (
                group.setup == "dealt" and (group.first != "any" or len(group.suits) != len(SUITS)),
                f"{key}.setup",
                "'dealt' needs first = 'any' and all suits.",
            ),
            (group.order == "any", f"{key}.order", "must not be 'any'."),
        ]
    return checks
