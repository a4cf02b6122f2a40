"""RULES.md names every key of the schema, its values, its default, and games that set it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from importlib.resources import files
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from engine.catalog import games
from engine.schema import Cells, Foundation, Listing, Reserve, Rules, Stock, Tableau, Waste
from tests.engine.markdown import tables

TABLES: Mapping[str, type] = {
    "": Rules,
    "foundations[].": Foundation,
    "tableau.": Tableau,
    "stock.": Stock,
    "waste.": Waste,
    "reserve.": Reserve,
    "cells.": Cells,
    "listing.": Listing,
}
KEYS = {
    f"{start}{field.name}": (kind, field)
    for start, kind in TABLES.items()
    for field in fields(kind)
}
ROWS = {row["key"].strip("`"): row for rows in tables("RULES.md") for row in rows if "key" in row}


def test_the_page_names_the_keys_of_the_schema_and_no_others() -> None:
    assert sorted(ROWS) == sorted(KEYS)


def literals(kind: Any) -> Iterator[str]:
    if get_origin(kind) is Literal:
        yield from get_args(kind)
    elif kind is bool:
        yield from ("true", "false")
    else:
        for argument in get_args(kind):
            yield from literals(argument)


@pytest.mark.parametrize("key", KEYS)
def test_the_page_names_each_value_of_a_key(key: str) -> None:
    kind, field = KEYS[key]
    words = set(ROWS[key]["values"].split("`")[1::2])
    allowed = set(literals(get_type_hints(kind)[field.name]))
    assert words == allowed or not allowed


def default(field: Field[Any]) -> str:
    if field.default is MISSING:
        return "needed"
    if field.default is None or is_dataclass(field.default):
        return "none"
    return f"`{str(field.default).lower() if isinstance(field.default, bool) else field.default}`"


@pytest.mark.parametrize("key", KEYS)
def test_the_page_states_the_default_of_each_key(key: str) -> None:
    _, field = KEYS[key]
    assert ROWS[key]["left out"] == ("empty" if field.default == () else default(field))


def keys_set(document: Any, start: str = "") -> Iterator[str]:
    for key, value in document.items():
        yield f"{start}{key}"
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, dict):
                dots = f"{start}{key}[]." if isinstance(value, list) else f"{start}{key}."
                yield from keys_set(inner, dots)


def set_by(name: str) -> set[str]:
    text = (files("engine") / "games" / f"{name}.toml").read_text(encoding="utf-8")
    document = tomllib.loads(text)
    variants = document.pop("variants", {}).values()
    return {key for part in (document, *variants) for key in keys_set(part)}


@pytest.mark.parametrize("key", KEYS)
def test_the_games_that_the_page_names_set_the_key(key: str) -> None:
    setting = {game.name for game in games().values() if key in set_by(game.id)}
    named = ROWS[key]["used by"]
    everybody = {game.name for game in games().values()}
    assert (everybody if named == "all" else set(named.split(", "))) <= setting
