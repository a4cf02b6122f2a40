"""The OpenAPI document agrees with the code."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.routing import Route as StarletteRoute

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
