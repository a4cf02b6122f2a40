"""The form of a ruleset, and the one reader that checks a mapping against it.

The keys are documented in `RULES.md`. A variant is the game's ruleset with some keys overridden.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from engine.cards import PACK_SIZE, SUITS
from engine.errors import RulesetError

Rank = Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K"]
Order = Literal["up", "down", "either", "any"]
Match = Literal["suit", "colour", "alternate", "any"]

T = TypeVar("T")

LARGEST = 1_000_000
"""No number of a ruleset is larger."""


@dataclass(frozen=True, slots=True)
class Foundation:
    """A group of like foundations."""

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
    """The tableau's piles, and how they build."""

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
    """The stock, and where its top card goes."""

    plays: tuple[Literal["waste", "row", "tableau", "foundation"], ...]
    top: Literal["up", "down"] = "down"
    to_foundation: Literal["fitting", "first", "any"] = "fitting"


@dataclass(frozen=True, slots=True)
class Waste:
    """The waste, and how often it is turned over to be the stock again."""

    plays: tuple[Literal["tableau", "foundation"], ...]
    redeals: int = 0


@dataclass(frozen=True, slots=True)
class Rules:
    """One game's rules in one variant, as its file states them."""

    name: str
    packs: int
    foundations: tuple[Foundation, ...]
    stock: Stock
    tableau: Tableau | None = None
    waste: Waste | None = None


STANDARD = "standard"
"""The id of the variant that overrides nothing."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game's file: its rules by variant id, the standard one first, and the variants' names."""

    id: str
    name: str
    variants: Mapping[str, Rules]
    variant_names: Mapping[str, str]


def read_game(game: str, document: Mapping[str, Any]) -> Game:
    """Read a game's parsed TOML document.

    Args:
        game: the game's id, as in `rouge-et-noir`.
        document: the parsed file.

    Raises:
        RulesetError: a key is unknown or missing, or a value is impossible.
    """
    base = {key: value for key, value in document.items() if key != "variants"}
    overrides = document.get("variants", {})
    if not isinstance(overrides, Mapping):
        raise RulesetError(f"{game}.variants: must be a table.")
    standard = read_rules(game, base)
    variants = {STANDARD: standard}
    names = {STANDARD: "Standard"}
    for variant, override in overrides.items():
        path = f"{game}.variants.{variant}"
        if variant == STANDARD or not isinstance(override, Mapping):
            raise RulesetError(f"{path}: must be a table that overrides the standard rules.")
        changes = dict(override)
        names[variant] = _read_value(changes.pop("name", None), str, f"{path}.name")
        variants[variant] = read_rules(path, _merged(base, changes))
    return Game(game, standard.name, variants, names)


def read_rules(path: str, document: Mapping[str, Any]) -> Rules:
    """Read one variant's rules; `path` is what error messages begin with.

    Raises:
        RulesetError: a key is unknown or missing, or a value is impossible.
    """
    rules = _read_table(document, Rules, path)
    for found, key, sentence in _contradictions(rules):
        if found:
            raise RulesetError(f"{path}.{key}: {sentence}")
    return rules


def _contradictions(rules: Rules) -> list[tuple[bool, str, str]]:
    """Return what the types alone cannot say: (is it so, at which key, what is wrong)."""
    tableau, stock, waste = rules.tableau, rules.stock, rules.waste
    cards = rules.packs * PACK_SIZE
    set_up = sum(group.piles for group in rules.foundations if group.setup != "empty")
    dealt = set_up + (sum(tableau.deal) if tableau else 0)
    checks = [
        (not 1 <= rules.packs <= 2, "packs", "must be 1 or 2."),  # noqa: PLR2004
        (dealt > cards, "packs", f"{cards} cards are too few to deal {dealt}."),
        (not rules.foundations, "foundations", "at least one is needed."),
        (
            ("waste" in stock.plays) != (waste is not None),
            "waste",
            "goes with a stock that plays to the waste, and only with it.",
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
            "a card that lies face down is not played to a place that depends on it.",
        ),
        (
            "foundation" not in stock.plays and stock.to_foundation != "fitting",
            "stock.to_foundation",
            "the stock does not play to the foundations.",
        ),
        (
            stock.to_foundation == "any" and any(g.takes == "run" for g in rules.foundations),
            "stock.to_foundation",
            "a foundation of runs does not take just any card.",
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
            (min(tableau.deal, default=0) < 0, "tableau.deal", "must not be negative."),
            (
                tableau.face_up != "all" and tableau.face_up < 1,
                "tableau.face_up",
                "at least the last card of a pile is face up.",
            ),
            (
                tableau.order == "any" and tableau.match != "any",
                "tableau.match",
                "any order goes with any match.",
            ),
            ("waste" in tableau.fill and waste is None, "tableau.fill", "there is no waste."),
            (
                bool(tableau.fill) and tableau.moves == "run",
                "tableau.fill",
                "goes with moves of cards, or of runs by spaces.",
            ),
            (
                bool(tableau.fill) and 0 in tableau.deal,
                "tableau.fill",
                "goes with piles that are all dealt a card.",
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
                "names something twice.",
            ),
            (
                group.setup == "laid-out"
                and (group.first == "any" or group.piles != rules.packs * len(group.suits)),
                f"{key}.setup",
                "laid-out cards are all of one rank, one for each pile.",
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
                "these cards are laid out already.",
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
                "a run comes whole from a tableau that builds down, headed by one rank.",
            ),
            (
                group.setup == "dealt" and (group.first != "any" or len(group.suits) != len(SUITS)),
                f"{key}.setup",
                "a card that is dealt may be any: of any rank first, and of all suits.",
            ),
            (group.order == "any", f"{key}.order", "a foundation has an order."),
        ]
    return checks


def _merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` with `changes` laid over it, table by table."""
    merged = dict(base)
    for key, value in changes.items():
        under = base.get(key)
        both = isinstance(under, Mapping) and isinstance(value, Mapping)
        merged[key] = _merged(under, value) if both else value  # type: ignore[arg-type]
    return merged


def _read_table(document: Any, kind: type[T], path: str) -> T:
    """Read a table as the dataclass `kind`."""
    if not isinstance(document, Mapping):
        raise RulesetError(f"{path}: must be a table.")
    hints = get_type_hints(kind)
    known = fields(kind)  # type: ignore[arg-type]
    for key in document:
        if key not in hints:
            raise RulesetError(f"{path}.{key}: is not a key; known are {', '.join(hints)}.")
    for field in known:
        if field.name not in document and field.default is MISSING:
            raise RulesetError(f"{path}.{field.name}: is missing.")
    return kind(
        **{key: _read_value(value, hints[key], f"{path}.{key}") for key, value in document.items()}
    )


def _read_value(value: Any, kind: Any, path: str) -> Any:
    """Read a value as the type `kind`, which is one that the dataclasses above use."""
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _read_union(value, [arg for arg in args if arg is not type(None)], path)
    if origin is Literal:
        if isinstance(value, str) and value in args:
            return value
        raise RulesetError(f"{path}: {_shown(value)} is not one of {', '.join(args)}.")
    if origin is tuple:
        if not isinstance(value, list):
            raise RulesetError(f"{path}: must be a list.")
        items = tuple(_read_value(v, args[0], f"{path}[{i}]") for i, v in enumerate(value))
        if get_origin(args[0]) is Literal and len(set(items)) != len(items):
            raise RulesetError(f"{path}: names something twice.")
        return items
    if is_dataclass(kind) and isinstance(kind, type):
        return _read_table(value, kind, path)
    if type(value) is not kind:
        raise RulesetError(f"{path}: {_shown(value)} is not of the type {kind.__name__}.")
    if kind is int and abs(value) > LARGEST:
        raise RulesetError(f"{path}: must be from -{LARGEST} to {LARGEST}.")
    return value


def _shown(value: Any) -> str:
    """Return a value for a message; of one that may be too long or too deep to write, its type."""
    short = isinstance(value, str | float | bool)
    return repr(value) if short else f"the {type(value).__name__}"


def _read_union(value: Any, kinds: list[Any], path: str) -> Any:
    """Read a value as the first of `kinds` that takes it; the last one says what is wrong."""
    for kind in kinds[:-1]:
        try:
            return _read_value(value, kind, path)
        except RulesetError:
            continue
    return _read_value(value, kinds[-1], path)
