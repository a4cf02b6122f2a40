"""The schema of rulesets, which `engine/RULES.md` documents: a game is a TOML document."""

from engine.schema.listing import Listing
from engine.schema.reading import MAX_NUMBER, STANDARD, Game, read_game, read_rules
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
    "MAX_NUMBER",
    "STANDARD",
    "Cells",
    "Foundation",
    "Game",
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
    "read_game",
    "read_rules",
]
