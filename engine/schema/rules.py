"""One game's rules as dataclasses. `RULES.md` documents the keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.cards import SUITS

Rank = Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"]
Order = Literal["up", "down", "either", "any"]
Match = Literal["suit", "colour", "alternate", "any"]
Place = Literal["tableau", "foundation", "cell"]  # a kind of pile that an available card may go to


@dataclass(frozen=True, slots=True)
class Foundation:
    """A group of foundations with the same rules."""

    piles: int
    first: Literal[Rank, "any", "same"]
    takes: Literal["card", "run", "pair"] = "card"
    setup: Literal["empty", "dealt", "laid-out"] = "empty"
    suits: str = SUITS
    order: Order = "up"
    match: Match = "suit"
    wrap: bool = False
    last: Rank | None = None
    automatic: bool = False
    plays: tuple[Literal["tableau"], ...] = ()


@dataclass(frozen=True, slots=True)
class Tableau:
    """The tableau: its piles, how they are dealt and how they build."""

    deal: tuple[int, ...]
    order: Order
    match: Match
    plays: tuple[Place, ...]
    face_up: int | Literal["all"] = "all"
    wrap: bool = False
    moves: Literal["card", "run", "run-by-spaces", "run-by-places", "whole-run", "any"] = "card"
    run_match: Match | None = None
    empty: Literal[Rank, "any", "none"] = "any"
    fill: tuple[Literal["reserve", "waste", "stock"], ...] = ()
    peaks: int | None = None
    cleared: Literal["goes-on", "wins"] = "goes-on"


@dataclass(frozen=True, slots=True)
class Stock:
    """The stock, and where its top card may go."""

    plays: tuple[Literal["waste", "row", "tableau", "foundation"], ...] = ()
    turns: int = 1
    row_on_empty: bool = True
    top: Literal["up", "down"] = "down"
    to_foundation: Literal["fitting", "first", "any"] = "fitting"


@dataclass(frozen=True, slots=True)
class Waste:
    """The waste, and how many times it may be turned over into a new stock."""

    plays: tuple[Place, ...]
    redeals: int | Literal["any"] = 0


@dataclass(frozen=True, slots=True)
class Cells:
    """Cells that hold one card each, of any rank and suit."""

    piles: int
    plays: tuple[Literal["tableau", "foundation"], ...]


@dataclass(frozen=True, slots=True)
class Reserve:
    """Piles whose top cards are available, and which take no cards."""

    deal: tuple[int, ...]
    plays: tuple[Place, ...]
    face_up: int | Literal["all"] = "all"


@dataclass(frozen=True, slots=True)
class Rules:
    """One game's rules in one variant, validated."""

    name: str
    packs: int
    foundations: tuple[Foundation, ...]
    suits: str = SUITS
    tableau: Tableau | None = None
    stock: Stock = Stock()
    waste: Waste | None = None
    reserve: Reserve | None = None
    cells: Cells | None = None
