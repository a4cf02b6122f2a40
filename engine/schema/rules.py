"""One game's rules as dataclasses. `RULES.md` documents the keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.cards import SUITS

Rank = Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"]
Order = Literal["up", "down", "either", "any"]
Match = Literal["suit", "colour", "alternate", "any"]


@dataclass(frozen=True, slots=True)
class Foundation:
    """A group of foundations with the same rules."""

    piles: int
    first: Literal[Rank, "any"]
    takes: Literal["card", "run"] = "card"
    setup: Literal["empty", "dealt", "laid-out"] = "empty"
    suits: str = SUITS
    order: Order = "up"
    match: Match = "suit"
    wrap: bool = False


@dataclass(frozen=True, slots=True)
class Tableau:
    """The tableau: its piles, how they are dealt and how they build."""

    deal: tuple[int, ...]
    order: Order
    match: Match
    plays: tuple[Literal["tableau", "foundation"], ...]
    face_up: int | Literal["all"] = "all"
    wrap: bool = False
    moves: Literal["card", "run", "run-by-spaces"] = "card"
    empty: Literal[Rank, "any", "none"] = "any"
    fill: tuple[Literal["waste", "stock"], ...] = ()


@dataclass(frozen=True, slots=True)
class Stock:
    """The stock, and where its top card may go."""

    plays: tuple[Literal["waste", "row", "tableau", "foundation"], ...]
    top: Literal["up", "down"] = "down"
    to_foundation: Literal["fitting", "first", "any"] = "fitting"


@dataclass(frozen=True, slots=True)
class Waste:
    """The waste, and how often it may be turned over to be the stock again."""

    plays: tuple[Literal["tableau", "foundation"], ...]
    redeals: int = 0


@dataclass(frozen=True, slots=True)
class Rules:
    """One game's rules in one variant, validated."""

    name: str
    packs: int
    foundations: tuple[Foundation, ...]
    stock: Stock
    tableau: Tableau | None = None
    waste: Waste | None = None
