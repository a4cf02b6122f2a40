"""The OpenAPI document agrees with the code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest
from starlette.routing import Route as StarletteRoute

from engine.schema import Rules
from server.base.core.refusal import HttpRefusals
from server.base.web.api.problems import OF_ANY
from server.base.web.api.route import Route
from server.protocol import REFUSALS
from server.routes import ROUTES, STRUCTS
from tests.clients.site import OPENAPI, Site


def test_the_document_is_valid() -> None:
    # The import takes longer than all other tests here, in each process that collects them.
    from openapi_spec_validator import validate  # noqa: PLC0415

    validate(OPENAPI)


async def test_every_route_is_described_and_every_path_routed(site: Site) -> None:
    served = {route.path for route in site.api.app.routes if isinstance(route, StarletteRoute)}
    assert served == OPENAPI["paths"].keys() == {route.path for route in ROUTES}
    reply = await site.get("/openapi.json")
    assert (reply.status, reply.json) == (200, OPENAPI)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_the_fields_of_a_path_are_parameters(route: Route[Any]) -> None:
    operation = OPENAPI["paths"][route.path]["get"]
    described = {(p["name"], p["in"]) for p in operation["parameters"]}
    assert {name for name, where in described if where == "path"} == set(route.in_path)
    assert all(p["description"] for p in operation["parameters"])


def test_operations_and_structs_have_distinct_names() -> None:
    names = [route.name for route in ROUTES]
    assert len(set(names)) == len(names)
    structs = [struct.__name__ for struct in STRUCTS]
    assert len(set(structs)) == len(structs)


def test_every_code_is_declared_and_used() -> None:
    used = {code for route in ROUTES for code in route.codes} | {*OF_ANY, HttpRefusals.bad_method}
    assert used <= {*REFUSALS, *HttpRefusals}
    assert used >= {*HttpRefusals}


def references(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*map(references, value.values()))
    return set().union(*map(references, value)) if isinstance(value, list) else set()


def test_every_described_struct_is_part_of_an_answer() -> None:
    named = {ref.rpartition("/")[2] for ref in references(OPENAPI)}
    assert named >= OPENAPI["components"]["schemas"].keys()


def schemas_in(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all schemas in a part of the document, except references."""
    if isinstance(value, dict):
        if any(name in value for name in ("enum", "anyOf", "oneOf")) or isinstance(
            value.get("type"), str
        ):
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from schemas_in(each)


TUPLES = [each for each in schemas_in(OPENAPI) if "prefixItems" in each]

BOUNDS = {"minimum", "maximum"}


def test_integers_have_bounds_and_formats_that_hold_their_values() -> None:
    """Generators choose 32 bits for integers without a format, and doubles hold 53 bits."""
    elements = [each for each in schemas_in(TUPLES) if each.get("type") == "integer"]
    integers = [each for each in schemas_in(OPENAPI) if each.get("type") == "integer"]
    assert len(integers) > len(elements)
    for schema in integers:
        assert schema["format"] in {"int32", "int64"}
        if schema not in elements:
            bounds = schema.get("enum") or [schema["minimum"], schema["maximum"]]
            assert bounds == sorted(bounds)
            assert 0 <= bounds[0] <= bounds[-1] < 1 << 53
            assert schema["format"] == ("int32" if bounds[-1] < 1 << 31 else "int64")
    assert all(
        each["format"] == "double" for each in schemas_in(OPENAPI) if each.get("type") == "number"
    )


def test_tuples_have_no_bounds_of_elements_and_no_other_elements() -> None:
    """Some generators write wrong code for such bounds, and for `items` beside `prefixItems`."""
    assert TUPLES
    for schema in TUPLES:
        assert "items" not in schema
        assert schema["minItems"] == schema["maxItems"] == len(schema["prefixItems"])
        assert not any(BOUNDS & each.keys() for each in schemas_in(schema["prefixItems"]))


def test_alternatives_have_different_types() -> None:
    """Generated clients in Rust read `anyOf` only for null, and `oneOf` is the same for types."""
    schema = OPENAPI["components"]["schemas"]["Tableau"]["properties"]["face_up"]
    assert [each["type"] for each in schema["oneOf"]] == ["integer", "string"]
    for schema in schemas_in(OPENAPI):
        if "anyOf" in schema:
            (_, null) = schema["anyOf"]
            assert null == {"type": "null"}
        types = [each["type"] for each in schema.get("oneOf", [])]
        assert len(set(types)) == len(types)


def test_every_value_has_a_type() -> None:
    """Otherwise, generators choose one that can be anything."""
    for schema in schemas_in(OPENAPI):
        assert len({"type", "anyOf", "oneOf"} & schema.keys()) == 1, schema
    for operation in OPENAPI["paths"].values():
        for media in operation["get"]["responses"]["200"]["content"].values():
            assert media["schema"], operation["get"]["operationId"]
    file = OPENAPI["paths"]["/archive/{file}"]["get"]["responses"]["200"]["content"]
    assert file == {"application/gzip": {"schema": {"type": "string", "format": "binary"}}}


def test_the_rules_of_a_game_are_described() -> None:
    assert OPENAPI["components"]["schemas"]["RulesOf"]["properties"]["rules"]["$ref"]
    rules = OPENAPI["components"]["schemas"]["Rules"]
    assert rules["required"] == [field.name for field in fields(Rules)] == [*rules["properties"]]


def test_fields_are_optional_only_where_answers_omit_them() -> None:
    """Some generators take a field with a default to be there always."""
    schemas = OPENAPI["components"]["schemas"]
    omitting = {each.__name__ for each in STRUCTS if each.__struct_config__.omit_defaults}
    optional = 0
    for name, schema in schemas.items():
        for field, each in schema["properties"].items():
            assert "default" not in each
            if field not in schema["required"]:
                optional += 1
                assert name in omitting
                assert "Left out if it is " in each["description"]
    assert optional


def test_parameters_are_left_out_rather_than_null() -> None:
    for operation in OPENAPI["paths"].values():
        assert all(isinstance(p["schema"]["type"], str) for p in operation["get"]["parameters"])
