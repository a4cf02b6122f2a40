"""The schema of rulesets as dataclasses, and the parser that validates a document against it.

`RULES.md` documents the keys. A variant is the game's ruleset with some keys overridden.
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

MAX_NUMBER = 1_000_000
"""The largest absolute value of a number in a ruleset."""


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


STANDARD = "standard"
"""The id of a game's rules without any variant's overrides."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game's file, parsed.

    Attributes:
        id: the file's name without `.toml`.
        name: the name for people.
        variants: the rules by variant id, `STANDARD` first.
        variant_names: the variants' names for people, by variant id.
    """

    id: str
    name: str
    variants: Mapping[str, Rules]
    variant_names: Mapping[str, str]


def read_game(game: str, document: Mapping[str, Any]) -> Game:
    """Validate a game's TOML document.

    Args:
        game: the game's id, such as `rouge-et-noir`.
        document: the document as `tomllib` returns it.

    Raises:
        RulesetError: a key is unknown or missing, or a value is invalid.
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
    """Validate one variant's rules.

    Args:
        path: the prefix of keys in error messages, such as `deuces.variants.fill`.
        document: the rules, with the variant's overrides merged in.

    Raises:
        RulesetError: a key is unknown or missing, or a value is invalid.
    """
    rules = _read_table(document, Rules, path)
    for fails, key, message in _checks(rules):
        if fails:
            raise RulesetError(f"{path}.{key}: {message}")
    return rules


def _checks(rules: Rules) -> list[tuple[bool, str, str]]:
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


def _merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` updated with `changes`, recursively for tables within tables."""
    merged = dict(base)
    for key, value in changes.items():
        under = base.get(key)
        both = isinstance(under, Mapping) and isinstance(value, Mapping)
        merged[key] = _merged(under, value) if both else value  # type: ignore[arg-type]
    return merged


def _read_table(document: Any, kind: type[T], path: str) -> T:
    """Return a TOML table as the dataclass `kind`, or raise `RulesetError`."""
    if not isinstance(document, Mapping):
        raise RulesetError(f"{path}: must be a table.")
    hints = get_type_hints(kind)
    known = fields(kind)  # type: ignore[arg-type]
    for key in document:
        if key not in hints:
            raise RulesetError(f"{path}.{key}: is not a key; the keys are {', '.join(hints)}.")
    for field in known:
        if field.name not in document and field.default is MISSING:
            raise RulesetError(f"{path}.{field.name}: is missing.")
    return kind(
        **{key: _read_value(value, hints[key], f"{path}.{key}") for key, value in document.items()}
    )


def _read_value(value: Any, kind: Any, path: str) -> Any:
    """Return a TOML value as `kind`, the type of a dataclass field, or raise `RulesetError`."""
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
            raise RulesetError(f"{path}: must not name anything twice.")
        return items
    if is_dataclass(kind) and isinstance(kind, type):
        return _read_table(value, kind, path)
    if type(value) is not kind:
        raise RulesetError(f"{path}: {_shown(value)} is not of the type {kind.__name__}.")
    if kind is int and abs(value) > MAX_NUMBER:
        raise RulesetError(f"{path}: must be from -{MAX_NUMBER} to {MAX_NUMBER}.")
    return value


def _shown(value: Any) -> str:
    """Return a value for an error message, or only its type if `repr` could be long or deep."""
    short = isinstance(value, str | float | bool)
    return repr(value) if short else f"the {type(value).__name__}"


def _read_union(value: Any, kinds: list[Any], path: str) -> Any:
    """Return a value as the first of `kinds` that fits, or raise the error of the last."""
    for kind in kinds[:-1]:
        try:
            return _read_value(value, kind, path)
        except RulesetError:
            continue
    return _read_value(value, kinds[-1], path)
