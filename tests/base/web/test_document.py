"""`server/HTTP.md` agrees with the code: complete tables, and examples of real answers."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest
from starlette.requests import Request

from server.base.core.refusal import HttpRefusals
from server.base.net.limits import ADDRESS_PLAYERS, ADDRESS_REQUESTS
from server.base.web.api.app import asked_of
from server.base.web.api.problems import OF_ANY, status_of
from server.base.web.api.route import MAX_ROWS, Route
from server.base.web.api.shared import Problem
from server.dailies.archive import DAYS
from server.dailies.core.archive_lines import DayLine, RunLine
from server.play.core.run import check, parse_file
from server.routes import ROUTES
from tests.clients.site import schema_of
from tests.processes import ROOT

TEXT = (ROOT / "server" / "HTTP.md").read_text(encoding="utf-8")

EXAMPLES = re.findall(r"```http\nGET /api(\S+)\n```\n```json\n(.*?)```", TEXT, re.DOTALL)


def route_of(path: str) -> tuple[Route[Any], dict[str, str]]:
    """Return the route of a path, and the fields in the path."""
    for route in ROUTES:
        pattern = re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", route.path)
        if (found := re.fullmatch(pattern, path)) is not None:
            return route, found.groupdict()
    raise AssertionError(path)


@pytest.mark.parametrize(("url", "text"), EXAMPLES, ids=lambda each: each[:40])
def test_an_example_is_a_request_and_its_answer(url: str, text: str) -> None:
    _, _, path, query, _ = urlsplit(url)
    route, fields = route_of(path)
    scope = {"type": "http", "headers": [], "query_string": query.encode(), "path_params": fields}
    asked_of(route, Request(scope))
    answer = json.loads(text)
    schema_of(route.path, "200").validate(answer)
    decoded: Any = msgspec.json.decode(text, type=route.answer)
    assert json.loads(msgspec.json.encode(decoded)) == answer


def test_every_answer_has_an_example() -> None:
    shown = {route_of(urlsplit(url).path)[0].path for url, _ in EXAMPLES}
    files = {"/openapi.json", "/archive/{file}"}
    assert shown == {route.path for route in ROUTES} - files


def test_every_path_is_in_the_table_with_its_cost() -> None:
    rows = re.findall(r"^\| `(/\S*)` \|.*\| (\d+) \|$", TEXT, re.MULTILINE)
    assert sorted(rows) == sorted((route.path, f"{route.cost:g}") for route in ROUTES)


def test_every_code_is_in_the_table_with_its_status() -> None:
    rows = re.findall(r"^\| (\d{3}) \| `(\w+)` \|", TEXT, re.MULTILINE)
    codes = {code for route in ROUTES for code in route.codes} | {*OF_ANY, *HttpRefusals}
    assert sorted(rows) == sorted((str(int(status_of(code))), code.name) for code in codes)
    assert [status for status, _ in rows] == sorted(status for status, _ in rows)
    problem = re.search(r'^\{"code".*$', TEXT, re.MULTILINE)
    assert problem is not None
    assert msgspec.json.decode(problem[0], type=Problem).code in {code.name for code in codes}


def test_the_example_of_a_file_is_valid() -> None:
    found = re.search(r"```jsonl\n(.*?)\n(.*?)\n```", TEXT)
    assert found is not None
    day, run = json.loads(found[1]), json.loads(found[2])
    for text, kind in ((found[1], DayLine), (found[2], RunLine)):
        decoded: Any = msgspec.json.decode(text, type=kind)
        assert msgspec.json.encode(decoded).decode() == text
    player = {"id": run["player"], "name": "", "tag": ""}
    file = {**day["deals"][0], **run, "player": player, "samedeal": "run", "format": 1}
    assert check(parse_file(msgspec.json.encode(file))) is None


def test_the_limits_agree_with_the_code() -> None:
    rate = ADDRESS_REQUESTS.times(ADDRESS_PLAYERS)
    assert f"costs {rate.second:g} a second, and {rate.at_once:g} at once" in TEXT
    assert f"up to {MAX_ROWS}." in TEXT
    assert f"made for {DAYS} days" in TEXT
