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
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass, replace
from itertools import chain
from types import UnionType
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from engine.errors import RulesetError
from engine.schema.contradictions import contradictions
from engine.schema.cost import too_costly
from engine.schema.effects import normal
from engine.schema.reading import read_value, typed_rules
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
            invalid, or the rules contradict themselves or are too costly. The message starts with
            the key of the change at fault.
    """
    if len(changes) > MAX_CHANGES or not _CHANGES.fullmatch(changes):
        raise RulesetError(f"{path}: changes are up to {MAX_CHANGES} characters of key=value.")
    pairs = [(key, value) for key, _, value in (each.partition("=") for each in changes.split(";"))]
    document = _document(base)
    for key, value in pairs:
        _change(document, key, value, path)
    _check_complete(document, [key for key, _ in pairs], path)
    rules = typed_rules(path, document)
    fault = _fault_of(rules)
    if fault is not None:
        key, _, message = fault
        at = _blamed(base, pairs, fault)
        raise RulesetError(f"{path}.{at}: {message if at == key else f'then {key}: {message}'}")
    written = changes_between(base, effective(base, rules))
    if written != changes:
        # The first change that is written otherwise, or not at all.
        others = written.split(";")
        wrong = next(
            (n for n, each in enumerate(changes.split(";")) if others[n : n + 1] != [each]), 0
        )
        raise RulesetError(
            f"{path}.{pairs[wrong][0]}: without changes that have no effect, and in order, these "
            f"changes must be written {written!r}."
        )
    return rules


def effective(base: Rules, rules: Rules) -> Rules:
    """Return rules that play alike and differ from the base by no key that could be left.

    Their values are normal (`engine.schema.effects`), so rules that play alike become equal.
    """
    aim = normal(rules)
    # Leaving one key can make others needless.
    while (found := _with_effects(base, rules, aim)) != rules:
        rules = found
    return rules


def _with_effects(base: Rules, rules: Rules, aim: Rules) -> Rules:
    for name in _TABLES:
        before, after = getattr(base, name), getattr(rules, name)
        if (before is None) != (after is None):
            rules = _if_alike(aim, rules, replace(rules, **{name: before}))
        if getattr(rules, name) is not None:
            for key in _KINDS[name]:
                rules = _with_effect(base, rules, aim, (name, key))
    for index in range(len(rules.foundations)):
        for key in _KINDS[_ANY_GROUP]:
            rules = _with_effect(base, rules, aim, (index, key))
    return rules


def _with_effect(base: Rules, rules: Rules, aim: Rules, at: tuple[str | int, str]) -> Rules:
    """Return rules with a key's value of the base, or its normal one, if they play alike."""
    value, before = _at(rules, at), _at(base, at)
    if value == before:
        return rules
    found = rules if before is MISSING else _if_alike(aim, rules, _set_at(rules, at, before))
    usual = _at(aim, at)
    if found is rules and usual not in (MISSING, value):
        found = _if_alike(aim, rules, _set_at(rules, at, usual))
    return found


def _if_alike(aim: Rules, rules: Rules, other: Rules) -> Rules:
    """Return the other rules if they can be played, and their normal form is `aim`."""
    return other if normal(other) == aim and _fault_of(other) is None else rules


def _at(rules: Rules, at: tuple[str | int, str]) -> Any:
    """Return the value of a key in a table or group, or its default without that; or `MISSING`."""
    table, key = at
    if isinstance(table, str):
        found, kind = getattr(rules, table), _TABLES[table]
    else:
        found = rules.foundations[table] if table < len(rules.foundations) else None
        kind = Foundation
    if found is not None:
        return getattr(found, key)
    return next(field.default for field in fields(kind) if field.name == key)


def _set_at(rules: Rules, at: tuple[str | int, str], value: Any) -> Rules:
    table, key = at
    if isinstance(table, str):
        return replace(rules, **{table: replace(getattr(rules, table), **{key: value})})
    groups = list(rules.foundations)
    groups[table] = replace(groups[table], **{key: value})
    return replace(rules, foundations=tuple(groups))


def _fault_of(rules: Rules) -> tuple[str, str, str] | None:
    """Return the key, reason and message of the first failing check."""
    for fails, key, reason, message in chain(contradictions(rules), too_costly(rules)):
        if fails:
            return key, reason, message
    return None


def _blamed(base: Rules, pairs: list[tuple[str, str]], fault: tuple[str, str, str]) -> str:
    """Return the changed key at fault: the faulty one, or the first one with which it is so."""
    if fault[0] in (key for key, _ in pairs):
        return fault[0]
    document = _document(base)
    for key, value in pairs:
        _change(document, key, value, "")
        with suppress(RulesetError):
            found = _fault_of(typed_rules("", document))
            if found is not None and found[:2] == fault[:2]:
                return key
    return pairs[-1][0]


def _check_complete(document: dict[str, Any], keys: list[str], path: str) -> None:
    """Check that added tables have all the keys that they need, and no needed key is removed.

    Raises:
        RulesetError: one is missing; the message starts with a changed key of its table.
    """
    tables: list[tuple[str, Any, Any]] = [
        (f"{name}.", document.get(name), kind) for name, kind in _TABLES.items()
    ]
    groups = enumerate(document["foundations"])
    tables += [(f"foundations.{at}.", group, Foundation) for at, group in groups]
    for start, table, kind in [("", document, Rules), *tables]:
        for field in fields(kind) if table is not None else ():
            if field.default is MISSING and field.name not in table:
                lacking = f"{start}{field.name}"
                at = next(key for key in keys if key.startswith(start))
                if lacking in keys:
                    at = lacking
                raise RulesetError(f"{path}.{at}: needs {lacking}.")


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
            raise RulesetError(f"{path}.{key}: comes after a group that is not there.")
        groups[at:] = groups[at:] or [{}]
        place = groups[at]
    elif table:
        place = document.setdefault(table, {})
    if value == _NONE:
        place.pop(name, None)
    else:
        place[name] = _typed(_value(value, kind), kind, f"{path}.{key}")


def _typed(value: Any, kind: Any, path: str) -> Any:
    """Return a value for a document after checking its type."""
    if get_origin(kind) is tuple:
        for each in value:
            read_value(each, get_args(kind)[0], path)
    read_value(value, kind, path)
    return value


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
