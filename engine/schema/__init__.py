"""The schema of rulesets, which `engine/RULES.md` documents: a game is a TOML document."""

from engine.schema.changes import MAX_CHANGES, changed_rules, changes_between, is_changes
from engine.schema.cost import longest_run
from engine.schema.listing import STANDARD, Crown, Headway, Listing
from engine.schema.peaks import covering_places, dealt_down
from engine.schema.reading import MAX_NUMBER, Game, read_game, read_rules
from engine.schema.rules import (
    Cells,
    Foundation,
    Match,
    Order,
    Place,
    Rank,
    Reserve,
    Rules,
    Stock,
    Tableau,
    Waste,
)

__all__ = [
    "MAX_CHANGES",
    "MAX_NUMBER",
    "STANDARD",
    "Cells",
    "Crown",
    "Foundation",
    "Game",
    "Headway",
    "Listing",
    "Match",
    "Order",
    "Place",
    "Rank",
    "Reserve",
    "Rules",
    "Stock",
    "Tableau",
    "Waste",
    "changed_rules",
    "changes_between",
    "covering_places",
    "dealt_down",
    "is_changes",
    "longest_run",
    "read_game",
    "read_rules",
]
