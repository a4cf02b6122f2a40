"""JSON schemas in the form that generators of clients read.

They are equivalent to those of msgspec, except that numbers also have formats, without which some
generators choose types that are too small.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engine.schema import MAX_NUMBER
from server.base.core.numbers import MAX_INT32

Schema = dict[str, Any]

_BOUNDS = {"minimum", "maximum"}

# Of the integers in the engine's dataclasses, which declare none themselves.
_ENGINE_BOUNDS: Schema = {"minimum": 0, "maximum": MAX_NUMBER}

_TYPES = {str: "string", int: "integer"}


def made_readable(name: str, schema: Schema, omitting: Mapping[str, bool]) -> Schema:
    """Return the schema of an object in answers.

    Args:
        name: the name of its type.
        schema: as msgspec describes it.
        omitting: whether fields with their default values are omitted, by names of structs. Other
            types are the engine's dataclasses, which omit nothing.
    """
    found = dict(schema)
    if name not in omitting:
        found = _with_engine_bounds(found)
    found = readable(found)
    # msgspec describes what may be received, where fields with defaults can be missing. In
    # answers, some generators take a default to mean that the field is there.
    defaults = {
        key: each.pop("default") for key, each in found["properties"].items() if "default" in each
    }
    if omitting.get(name):
        for key, value in defaults.items():
            found["properties"][key]["description"] = f"Left out if it is {json.dumps(value)}."
    else:
        found["required"] = list(found["properties"])
    return found


def readable(schema: Schema) -> Schema:
    """Return a schema with types and formats, and its parts likewise."""
    found = {key: _part(key, value) for key, value in schema.items()}
    if {"type": "null"} not in found.get("anyOf", [{"type": "null"}]):
        # The alternatives have different types; openapi-generator's Rust clients read only this.
        found["oneOf"] = found.pop("anyOf")
    if "enum" in found:
        found = {"type": _type_of(found["enum"]), **found}
    match found.get("type"):
        case "integer":
            found["format"] = _format_of(found)
        case "number":
            found["format"] = "double"
        case "array" if "prefixItems" in found:
            found["prefixItems"] = list(map(_without_bounds, found["prefixItems"]))
            # msgspec's `false` is redundant with `maxItems`, and not all generators accept it.
            found.pop("items", None)
    return found


def _part(key: str, value: Any) -> Any:
    match key, value:
        case ("properties", dict()):
            return {name: readable(each) for name, each in value.items()}
        case (("items" | "additionalProperties"), dict()):
            return readable(value)
        case (("anyOf" | "prefixItems"), list()):
            return [readable(each) for each in value]
    return value


def _type_of(values: list[Any]) -> str:
    (kind,) = {_TYPES[type(value)] for value in values}
    return kind


def _format_of(integer: Schema) -> str:
    """Return the smallest format for an integer's values; `int64` without bounds."""
    bounds = integer.get("enum") or [integer.get(name, MAX_INT32 + 1) for name in _BOUNDS]
    return "int32" if all(-MAX_INT32 <= bound <= MAX_INT32 for bound in bounds) else "int64"


def _without_bounds(schema: Schema) -> Schema:
    """Return the schema of a tuple's element, whose bounds some generators write wrongly."""
    return {key: value for key, value in schema.items() if key not in _BOUNDS}


def _with_engine_bounds(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_with_engine_bounds(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _with_engine_bounds(value) for key, value in schema.items()}
    return found | _ENGINE_BOUNDS if found.get("type") == "integer" else found
