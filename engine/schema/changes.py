"""Changes to a game's rules as text: the id of a custom variant.

A variant in a game's file has a short name. The id of a custom variant lists its differences from
the standard rules, such as `stock.turns=3;waste.redeals=any`. Game and id thus define the rules,
and nothing else is stored or sent. Keys are the paths of `RULES.md`, with `foundations.0` for the
first group; lists are joined by commas; `-` removes a table, a group or an optional value. Changes
are in schema order and omit unchanged values, so that equal rules have equal ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from engine.errors import RulesetError
from engine.schema.cost import too_costly
from engine.schema.reading import read_rules
from engine.schema.rules import Cells, Foundation, Reserve, Rules, Stock, Tableau, Waste

MAX_CHANGES: Final = 500  # in characters
_CHANGES = re.compile(r"[a-z_0-9.]+=[A-Za-z0-9,-]*(;[a-z_0-9.]+=[A-Za-z0-9,-]*)*", re.ASCII)
_GROUP = re.compile(r"foundations\.\d", re.ASCII)
_ANY_GROUP: Final = "foundations.#"
_NONE: Final = "-"
_FLAGS: Final = {"true": True, "false": False}

_TABLES: Final = {
    "tableau": Tableau,
    "stock": Stock,
    "waste": Waste,
    "reserve": Reserve,
    "cells": Cells,
}
# The types of changeable keys, by table and name.
_KINDS: Final[Mapping[str, Mapping[str, Any]]] = {
    "": {name: kind for name, kind in get_type_hints(Rules).items() if name in ("packs", "suits")},
    _ANY_GROUP: get_type_hints(Foundation),
    **{name: get_type_hints(table) for name, table in _TABLES.items()},
}


def is_changes(variant: str) -> bool:
    """Return whether a variant's id lists changes rather than naming a variant of the file."""
    return "=" in variant


def changes_between(base: Rules, rules: Rules) -> str:
    """Return the changes from one ruleset to another; empty if only names differ."""
    return ";".join(f"{path}={value}" for path, value in _changes("", base, rules))


def changed_rules(path: str, base: Rules, changes: str) -> Rules:
    """Apply changes, as `changes_between` writes them, to rules.

    Args:
        path: the prefix of keys in error messages, such as `klondike`.

    Raises:
        RulesetError: the text is malformed, too long or not canonical, a key is unknown, a value is
            invalid, or the rules contradict themselves or are too costly.
    """
    if len(changes) > MAX_CHANGES or not _CHANGES.fullmatch(changes):
        raise RulesetError(f"{path}: changes are up to {MAX_CHANGES} characters of key=value.")
    document = _document(base)
    for change in changes.split(";"):
        key, _, value = change.partition("=")
        _change(document, key, value, path)
    rules = read_rules(path, document)
    for key, message in too_costly(rules):
        raise RulesetError(f"{path}.{key}: {message}")
    written = changes_between(base, rules)
    if written != changes:
        raise RulesetError(f"{path}: these changes must be written {written!r}.")
    return rules


def _change(document: dict[str, Any], key: str, value: str, path: str) -> None:
    table, _, name = key.rpartition(".")
    if not table and name in _TABLES and value == _NONE:
        document.pop(name, None)
        return
    if _GROUP.fullmatch(key) and value == _NONE:
        # The group and all groups after it.
        del document["foundations"][int(key[-1]) :]
        return
    kind = _KINDS.get(_GROUP.sub(_ANY_GROUP, table), {}).get(name)
    if kind is None:
        raise RulesetError(f"{path}.{key}: is not a key that can be changed.")
    place = document
    if _GROUP.fullmatch(table):
        groups, at = document["foundations"], int(table[-1])
        if at > len(groups):
            raise RulesetError(f"{path}.{table}: comes after a group that is not there.")
        groups[at:] = groups[at:] or [{}]
        place = groups[at]
    elif table:
        place = document.setdefault(table, {})
    if value == _NONE:
        place.pop(name, None)
    else:
        place[name] = _value(value, kind)


def _value(text: str, kind: Any) -> Any:
    """Parse a value for a document; text of another type stays text."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is tuple:
        return [_value(each, args[0]) for each in text.split(",")] if text else []
    kinds = args if origin in (Union, UnionType) else (kind,)
    if int in kinds and re.fullmatch(r"-?\d{1,9}", text, re.ASCII):
        return int(text)
    if bool in kinds and text in _FLAGS:
        return _FLAGS[text]
    return text


def _changes(path: str, base: Any, rules: Any) -> Iterator[tuple[str, str]]:
    """Yield the differing paths and values of two tables of rules."""
    for field in fields(rules):
        if field.name == "name":
            continue
        key = f"{path}{field.name}"
        value = getattr(rules, field.name)
        # A missing base table counts as one with defaults.
        before: Any = field.default if base is None else getattr(base, field.name)
        if field.name == "foundations":
            yield from _group_changes(before, value)
        elif is_dataclass(value):
            yield from _changes(f"{key}.", before, value)
        elif value != before:
            yield key, _text(value)


def _group_changes(
    before: tuple[Foundation, ...], after: tuple[Foundation, ...]
) -> Iterator[tuple[str, str]]:
    for at, group in enumerate(after):
        base = before[at] if at < len(before) else None
        yield from _changes(f"foundations.{at}.", base, group)
    if len(after) < len(before):
        yield f"foundations.{len(after)}", _NONE


def _text(value: Any) -> str:
    if value is None:
        return _NONE
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _document(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_document(each) for each in value]
    if not is_dataclass(value):
        return value
    found = {field.name: getattr(value, field.name) for field in fields(value)}
    return {name: _document(each) for name, each in found.items() if each is not None}
