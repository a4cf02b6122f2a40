"""Reading a game's document: types, variants and consistency checks.

A variant overrides some keys of the game's rules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from engine.errors import RulesetError
from engine.schema.contradictions import contradictions
from engine.schema.listing import STANDARD, Listing, out_of_range
from engine.schema.rules import Rules

T = TypeVar("T")
_GROUP = re.compile(r"foundations\.(\d+)")
MAX_NUMBER = 1_000_000  # of a number in a ruleset, in absolute value


@dataclass(frozen=True, slots=True)
class Game:
    """A game's file, parsed."""

    id: str  # the file's name without `.toml`
    name: str
    variants: Mapping[str, Rules]  # the rules by variant id, `STANDARD` first
    variant_names: Mapping[str, str]  # the variants' names for people, by variant id
    listing: Listing


def read_game(game: str, document: Mapping[str, Any]) -> Game:
    """Validate a game's TOML document, as `tomllib` returns it.

    Raises:
        RulesetError: a key is unknown or missing, or a value is invalid.
    """
    base = {key: value for key, value in document.items() if key not in {"variants", "listing"}}
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
        names[variant] = read_value(changes.pop("name", None), str, f"{path}.name")
        variants[variant] = read_rules(path, _merged(base, changes))
    listing = _read_listing(f"{game}.listing", document.get("listing", {}))
    if listing.race not in variants:
        raise RulesetError(f"{game}.listing.race: must be the id of a variant.")
    if listing.headway == "in-order" and not all(map(_is_open, variants.values())):
        raise RulesetError(
            f"{game}.listing.headway: in-order needs a game that deals all cards face up."
        )
    if listing.daily is not None:
        # Results of all days are shown out of the same number of cards.
        played = variants.get(listing.daily)
        if played is None or played.packs != standard.packs:
            raise RulesetError(
                f"{game}.listing.daily: must be the id of a variant with as many packs as the game."
            )
    return Game(game, standard.name, variants, names, listing)


def _is_open(rules: Rules) -> bool:
    """Return whether all cards are dealt face up."""
    parts = [part for part in (rules.tableau, rules.reserve) if part is not None]
    return not rules.stock.plays and all(part.face_up == "all" for part in parts)


def _read_listing(path: str, document: Any) -> Listing:
    listing = _read_table(document, Listing, path)
    for fails, key, message in out_of_range(listing):
        if fails:
            raise RulesetError(f"{path}.{key}: {message}")
    return listing


def read_rules(path: str, document: Mapping[str, Any]) -> Rules:
    """Validate one variant's rules, with its overrides merged in.

    Args:
        path: the prefix of keys in error messages, such as `deuces.variants.fill`.

    Raises:
        RulesetError: a key is unknown or missing, or a value is invalid.
    """
    rules = typed_rules(path, document)
    for fails, key, _, message in contradictions(rules):
        if fails:
            written = _GROUP.sub(r"foundations[\1]", key)
            raise RulesetError(f"{path}.{written}: {message}")
    return rules


def typed_rules(path: str, document: Mapping[str, Any]) -> Rules:
    """Return rules whose values have the right types, but which may contradict themselves.

    Raises:
        RulesetError: a key is unknown or missing, or a value has another type.
    """
    return _read_table(document, Rules, path)


def _merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return `base` updated with `changes`, recursively for tables within tables."""
    merged = dict(base)
    for key, value in changes.items():
        under = base.get(key)
        both = isinstance(under, Mapping) and isinstance(value, Mapping)
        merged[key] = _merged(under, value) if both else value  # type: ignore[arg-type]
    return merged


@cache
def _hints_of(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _read_table(document: Any, kind: type[T], path: str) -> T:
    """Return a TOML table as the dataclass `kind`."""
    if not isinstance(document, Mapping):
        raise RulesetError(f"{path}: must be a table.")
    hints = _hints_of(kind)  # type: ignore[arg-type]  # classes are hashable
    known = fields(kind)  # type: ignore[arg-type]
    for key in document:
        if key not in hints:
            raise RulesetError(f"{path}.{key}: is not a key; the keys are {', '.join(hints)}.")
    for field in known:
        if field.name not in document and field.default is MISSING:
            raise RulesetError(f"{path}.{field.name}: is missing.")
    return kind(
        **{key: read_value(value, hints[key], f"{path}.{key}") for key, value in document.items()}
    )


def read_value(value: Any, kind: Any, path: str) -> Any:
    """Return a TOML value as `kind`, the type of a dataclass field."""
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
        items = tuple(read_value(v, args[0], f"{path}[{i}]") for i, v in enumerate(value))
        if get_origin(args[0]) is Literal and len(set(items)) != len(items):
            raise RulesetError(f"{path}: must not contain duplicates.")
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
            return read_value(value, kind, path)
        except RulesetError:
            continue
    return read_value(value, kinds[-1], path)
