"""The OpenAPI document of the HTTP interface, from its routes and the types of their answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from http import HTTPStatus
from inspect import cleandoc
from typing import Any

import msgspec

from server.base.core.refusal import RefusalCode
from server.base.net.listener import MAX_HEAD, MAX_HEADERS
from server.base.web.api.problems import OF_ANY, status_of
from server.base.web.api.route import Route
from server.base.web.api.schemas import made_readable, readable
from server.base.web.api.shared import Problem

# The interface's version, changed when existing clients could no longer read the answers.
VERSION = "1"

ABOUT = """\
Public data: dailies and their commitments, leaderboards, players, challenges, closed deals and \
their runs. `server/HTTP.md` explains it. Times are Unix milliseconds; days are UTC days, counted \
from 1970-01-01. Fields may be added to answers.\
"""

HEADERS = {
    "ETag": "A strong tag of the content.",
    "Cache-Control": "How long clients and proxies may cache the answer.",
    "Retry-After": "Seconds to wait before a retry.",
}

_REF = "#/components/schemas/{name}"

_TOO_LARGE = str(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE.value)

Object = dict[str, Any]


def document(routes: Iterable[Route[Any]], structs: Sequence[type[msgspec.Struct]]) -> Object:
    """Return the OpenAPI document of routes and the structs of their answers."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Samedeal", "version": VERSION, "description": ABOUT},
        # Relative to this document.
        "servers": [{"url": "../api"}],
        "paths": {route.path: {"get": _operation(route)} for route in routes},
        "components": {
            "schemas": _schemas(structs),
            "headers": {
                name: {"description": text, "schema": {"type": "string"}}
                for name, text in HEADERS.items()
            },
            "responses": {
                str(int(status)): _refusal(status, codes)
                for status, codes in _by_status(OF_ANY).items()
            }
            | {_TOO_LARGE: _too_large()},
        },
    }


def _operation(route: Route[Any]) -> Object:
    return {
        "operationId": route.name,
        "description": cleandoc(route.handler.__doc__ or ""),
        "parameters": _parameters(route),
        "responses": _answers(route) | _refusals(route),
    }


def _parameters(route: Route[Any]) -> list[Object]:
    _, components = msgspec.json.schema_components([route.asked], ref_template=_REF)
    shape = components[route.asked.__name__]
    about: dict[str, str] = {}
    for base in route.asked.__mro__[:-2]:
        about |= documented(base)[1]
    names = {field.encode_name: field.name for field in msgspec.structs.fields(route.asked)}
    return [
        {
            "name": name,
            "in": "path" if name in route.in_path else "query",
            "required": name in shape.get("required", []),
            "description": about[names[name]],
            "schema": _given(schema),
        }
        for name, schema in shape.get("properties", {}).items()
    ]


def _given(schema: Object) -> Object:
    """Return the schema of a parameter, which is left out rather than null."""
    found = readable(schema)
    options = [each for each in found.pop("anyOf", []) if each != {"type": "null"}]
    if options:
        (only,) = options
        del found["default"]
        found |= only
    return found


def _answers(route: Route[Any]) -> Object:
    kept = {name: {"$ref": f"#/components/headers/{name}"} for name in ("ETag", "Cache-Control")}
    if route.answer is None:
        content: Object = {"application/gzip": {"schema": {"type": "string", "format": "binary"}}}
    elif route.answer is msgspec.Raw:
        content = {"application/json": {"schema": {"type": "object", "additionalProperties": True}}}
    else:
        (schema,), _ = msgspec.json.schema_components([route.answer], ref_template=_REF)
        content = {"application/json": {"schema": schema}}
    return {
        "200": {"description": "The requested data.", "headers": kept, "content": content},
        "304": {"description": "The content matches If-None-Match.", "headers": kept},
    }


def _refusals(route: Route[Any]) -> Object:
    common = _by_status(OF_ANY)
    return {
        str(int(status)): {"$ref": f"#/components/responses/{int(status)}"}
        if codes == common.get(status)
        else _refusal(status, codes)
        for status, codes in sorted(_by_status((*route.codes, *OF_ANY)).items())
    } | {_TOO_LARGE: {"$ref": f"#/components/responses/{_TOO_LARGE}"}}


def _too_large() -> Object:
    """Return the answer to a request that is refused before its path is known."""
    return {
        "description": f"The request has more than {MAX_HEAD} bytes or {MAX_HEADERS} headers.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }


def _by_status(codes: Iterable[RefusalCode]) -> dict[HTTPStatus, list[RefusalCode]]:
    found: dict[HTTPStatus, list[RefusalCode]] = defaultdict(list)
    for code in codes:
        found[status_of(code)].append(code)
    return found


def _refusal(status: HTTPStatus, codes: list[RefusalCode]) -> Object:
    answer: Object = {
        "description": " ".join(f"`{code.name}`: {code.value}" for code in codes),
        "content": {"application/json": {"schema": {"$ref": _REF.format(name=Problem.__name__)}}},
    }
    if status in {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE}:
        answer["headers"] = {"Retry-After": {"$ref": "#/components/headers/Retry-After"}}
    return answer


def _schemas(structs: Sequence[type[msgspec.Struct]]) -> Object:
    """Return the schemas of all structs, and of the engine's dataclasses in them.

    The descriptions of structs' fields are from their docstrings.
    """
    omitting = {each.__name__: each.__struct_config__.omit_defaults for each in structs}
    _, found = msgspec.json.schema_components(structs, ref_template=_REF)
    schemas = {name: made_readable(name, schema, omitting) for name, schema in found.items()}
    for struct in structs:
        text, about = documented(struct)
        schema = schemas[struct.__name__]
        schema["description"] = text
        for name, words in about.items():
            # Since OpenAPI 3.1, a description is allowed next to a reference.
            field = schema["properties"][name]
            field["description"] = " ".join(filter(None, (words, field.get("description"))))
    return dict(sorted(schemas.items()))


def documented(struct: type[msgspec.Struct]) -> tuple[str, dict[str, str]]:
    """Return a struct's docstring without its `Attributes`, and their descriptions by field."""
    text, _, attributes = cleandoc(struct.__doc__ or "").partition("\n\nAttributes:\n")
    about: dict[str, str] = {}
    for line in cleandoc(attributes).splitlines():
        name, colon, rest = line.partition(": ")
        if colon and not line.startswith(" "):
            about[name] = rest
        else:
            about[[*about][-1]] += f" {line.strip()}"
    return text, {name: f"{rest[0].upper()}{rest[1:]}" for name, rest in about.items()}
