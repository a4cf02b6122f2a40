"""A node's HTTP interface on its own port; each response is checked against its schema."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPMessage
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from server.base.core import days
from server.base.core.ids import AttemptId, PlayerId
from server.base.net import bound_sockets
from server.base.net.addresses import Proxies
from server.base.net.budgets import Budgets
from server.base.net.listener import Listener
from server.base.net.load import Load
from server.base.net.origins import Origins
from server.base.web.api.app import Api
from server.base.web.http import Health, PlayersApp
from server.base.web.pages import Pages
from server.base.web.previews import Previews
from server.dailies.archive import Archive
from server.routes import ROUTES, document
from tests.builders import START
from tests.nodes import Node
from tests.processes import PATIENCE

OPENAPI: dict[str, Any] = json.loads(document())

DAY = days.day_at(START)
DATE = days.date_text(DAY)
CLOSED = days.closes(DAY)
SETTLED = CLOSED + days.SETTLED_MS

GAME = "robert"
UNKNOWN = "dea1000000000000"
"""The id of a deal that does not exist."""


@dataclass(frozen=True)
class Reply:
    """A response: its status, headers by name, and content."""

    status: int
    headers: HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        """The content, parsed as JSON."""
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of a refusal."""
        return str(self.json["code"])


def archive_in(folder: Path, node: Node) -> Archive:
    return Archive(
        node.attempts,
        node.dailies,
        node.services.daily_list,
        folder,
        leaderboards=node.services.leaderboard_store,
        trimmed=node.services.trimmed_store,
        clock=node.services.clock,
    )


class Site:
    """A node's HTTP interface.

    Attributes:
        lag: the event loop's lag in seconds, as the node knows it.
        api: the interface.
        budgets: its clients' budgets.
        port: its port.
    """

    def __init__(self, node: Node, folder: Path, proxies: Sequence[str]) -> None:
        self.lag = 0.0
        self.node = node
        self.port = 0
        load = Load(lambda: self.lag)
        services = node.services
        self.budgets = Budgets(clock=lambda: services.clock.now() / 1000)
        services.archive = archive_in(folder, node)
        self.api = Api(
            ROUTES,
            services,
            load,
            services.metrics.requests,
            proxies=Proxies(proxies),
            budgets=self.budgets,
            clock=lambda: services.clock.now() / 1000,
        )
        origins = Origins()
        previews = Previews(services.screens, load, self.budgets)
        self.app = PlayersApp(
            Pages(folder, previews, Proxies(proxies), origins),
            self.api,
            origins,
            Health(lambda: True, lambda: True, str),
        )

    async def get(self, path: str, method: str = "GET", **headers: str) -> Reply:
        """Request a path below `/api`, and return the response, checked against its schema."""
        reply = await self.ask(f"/api{path}", method, **headers)
        if method == "GET":
            assert_described(path.partition("?")[0], reply)
        return reply

    async def ask(self, path: str, method: str = "GET", **headers: str) -> Reply:
        """Send a request from a thread, and return the response."""

        def asked() -> Reply:
            connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            connection.request(method, path, headers=headers)
            response = connection.getresponse()
            body = response.read()
            connection.close()
            return Reply(response.status, response.headers, body)

        return await asyncio.to_thread(asked)


def assert_described(path: str, reply: Reply) -> None:
    """Fail unless the OpenAPI document allows this response to the path."""
    for template in OPENAPI["paths"]:
        if re.fullmatch(re.sub(r"{\w+}", "[^/]+", template), path):
            break
    else:
        assert reply.status in {404, 405}
        _validator({"$ref": "#/components/schemas/Problem"}).validate(reply.json)
        return
    content = _response(template, str(reply.status)).get("content", {})
    if not content:
        assert reply.body == b""
        return
    assert reply.headers["Content-Type"] in content
    if "application/json" in content:
        schema_of(template, str(reply.status)).validate(reply.json)


def schema_of(template: str, status: str) -> Draft202012Validator:
    """Return a validator for a route's responses with a status."""
    return _validator(_response(template, status)["content"]["application/json"]["schema"])


def _response(template: str, status: str) -> dict[str, Any]:
    found: dict[str, Any] = OPENAPI["paths"][template]["get"]["responses"][status]
    if "$ref" in found:
        found = OPENAPI["components"]["responses"][found["$ref"].rpartition("/")[2]]
    return found


def _validator(schema: dict[str, Any]) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": OPENAPI["components"]})


@asynccontextmanager
async def site_on(node: Node, folder: Path, proxies: Sequence[str] = ()) -> AsyncIterator[Site]:
    """Serve the HTTP interface of a node, until the block is left."""
    site = Site(node, folder, proxies)
    listener = Listener(site.app)
    bound = bound_sockets.bind("127.0.0.1", 0, 1)[0]
    site.port = bound_sockets.port_of(bound)
    await listener.open(bound)
    try:
        yield site
    finally:
        # Also after a failure: uvloop waits for listening sockets before it closes.
        await listener.close()
        await site.api.close()
        await node.services.archive.close()


async def play_daily(node: Node, player: PlayerId, game: str = GAME, moves: int = 0) -> AttemptId:
    """Play `moves` moves of a player's daily and resign, or play it out; return the attempt."""
    attempt = (await node.dailies.open(player, game)).attempt
    if moves:
        for _ in range(moves):
            await node.play(attempt, player)
        await node.attempts.give_up(attempt)
    else:
        await node.play_out(attempt, player)
    await node.apply_effects()
    return attempt
