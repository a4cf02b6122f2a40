"""Requests for nonexistent things take no memory, however many are requested.

Each field of each route is requested with many values that name nothing: ids of no player, days
before the server existed, rows beyond the last one. A new field of a route must be added here, or
have few values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlencode

import msgspec
import pytest

from server.base.web.api import cache as api_cache
from server.base.web.api.route import Route
from server.results.core.boards import Scope
from server.routes import ROUTES
from tests.builders import ADA, BOB, START
from tests.challenges.test_challenges import TERMS
from tests.clients.site import CLOSED, DATE, GAME, Site, play_daily, site_on
from tests.conftest import ALONE
from tests.nodes import Node, SetClock
from tests.sizes import SAMPLED, cases

pytestmark = ALONE

MANY = 25
"""Values of each field."""

FEW = 100
"""The most values that a bounded field may have."""


def _id(number: int) -> str:
    return f"{number:016}"


def _day(number: int) -> str:
    return str(date(1970, 1, 2) + timedelta(days=number))


def _period(number: int) -> list[str]:
    found = date.fromisoformat(_day(7 * number)).isocalendar()
    return [_day(number), f"{found.year}-W{found.week:02}", str(number)]


UNKNOWN: dict[str, Callable[[int], str | list[str]]] = {
    "date": _day,
    "period": _period,
    "file": lambda number: [f"{_day(number)}.jsonl.gz", f"x{number}"],
    "deal": _id,
    "player": _id,
    "challenge": _id,
    "run": lambda number: [f"{_id(number)}.{ADA}", f"x{number}"],
    "game": lambda number: f"game-{number}",
    "variant": lambda number: f"variant-{number}",
    "scope": lambda number: f"scope-{number}",
    "from": lambda number: str(1_000 + 10**7 * number),
}
"""Values of a field that name nothing, by the field and a number."""


def _is_bounded(schema: dict[str, Any]) -> bool:
    """Return whether a field has few values, by its schema."""
    return "enum" in schema or schema.get("maximum", FEW + 1) <= FEW


def _fields(route: Route[Any]) -> dict[str, dict[str, Any]]:
    _, components = msgspec.json.schema_components([route.asked])
    return dict(components[route.asked.__name__].get("properties", {}))


def test_a_field_has_few_values_or_is_tested_here() -> None:
    fields = {name: each for route in ROUTES for name, each in _fields(route).items()}
    assert {name for name, each in fields.items() if not _is_bounded(each)} == UNKNOWN.keys()


def _requests(route: Route[Any], known: dict[str, list[str]]) -> list[str]:
    """Return paths with one field that names nothing and others that name existing things."""
    found = []
    for field, schema in _fields(route).items():
        if _is_bounded(schema):
            continue
        for number in range(MANY):
            values = UNKNOWN[field](number)
            for value in [values] if isinstance(values, str) else values:
                for scope in known["scope"] if "scope" in route.in_path else [""]:
                    path = {name: known[name][0] for name in route.in_path}
                    path |= {"scope": scope} if scope else {}
                    if "period" in path:
                        path["period"] = {"day": DATE, "week": WEEK}.get(scope, "all")
                    query = {}
                    if field in path:
                        path[field] = value
                    else:
                        query[field] = value
                    found.append(f"{route.path.format(**path)}?{urlencode(query)}")
    return found


_year, _week, _ = date.fromisoformat(DATE).isocalendar()
WEEK = f"{_year}-W{_week:02}"


@SAMPLED
@pytest.mark.parametrize("route", ROUTES[:: cases(4, 1)], ids=lambda route: route.path)
async def test_nonexistent_things_take_at_most_one_entry(
    node: Node, clock: SetClock, tmp_path: Path, route: Route[Any]
) -> None:
    await node.dailies.draw_ahead()
    # Attempts from before are not ranked.
    await node.services.histories.keep(ADA, START)
    run = await play_daily(node, ADA)
    await play_daily(node, BOB, moves=2)
    clock.time = CLOSED
    challenge = await node.services.challenges.create(ADA, TERMS, "key")
    known: dict[str, list[str]] = {
        "date": [DATE],
        "period": [DATE],
        "file": [f"{DATE}.jsonl.gz"],
        "deal": [run.partition(".")[0]],
        "player": [ADA],
        "challenge": [challenge.id],
        "run": [run],
        "game": [GAME],
        "scope": list(get_args(Scope)),
    }
    statuses: defaultdict[int, list[str]] = defaultdict(list)
    async with site_on(node, tmp_path, ("127.0.0.0/8",)) as site:
        # The existing challenge's creator.
        await node.services.profiles.load([ADA])
        profiles = len(node.services.profiles._known)
        for number, path in enumerate(_requests(route, known)):
            # Each from a different address, so that no budget keeps the cache small.
            async for status in _statuses(site, number, path):
                statuses[status].append(path)
    assert statuses.keys() <= {200, 304, 404}, statuses
    assert len(site.api._cache) <= 1
    assert site.api._cache.size <= 3 * api_cache.OVERHEAD
    assert len(node.services.profiles._known) == profiles


async def _statuses(site: Site, number: int, path: str) -> AsyncIterator[int]:
    """Yield the statuses of a request from one of many addresses, and of one with its tag."""
    address = {"X-Forwarded-For": f"10.0.{number // 250}.{number % 250}"}
    reply = await site.get(path, **address)
    yield reply.status
    if reply.status == 200:
        tag = {"If-None-Match": reply.headers["ETag"]}
        yield (await site.get(path, **address, **tag)).status


async def test_an_existing_thing_has_an_entry(site: Site, node: Node, clock: SetClock) -> None:
    # Attempts from before are not ranked.
    await node.services.histories.keep(ADA, START)
    run = await play_daily(node, ADA)
    clock.time = CLOSED
    paths = [
        f"/boards/day/{GAME}/{DATE}",
        f"/boards/wins/{GAME}/all",
        f"/deals/{run.partition('.')[0]}/runs",
        f"/players/{ADA}",
        f"/dailies/{DATE}/{GAME}/curves",
    ]
    for path in paths:
        await site.get(path)
        await site.get(f"{path}?{'from=01&count=50' if 'runs' in path or 'boards' in path else ''}")
    assert len(site.api._cache) == len(paths) - 1, "no player has won"
