"""The HTTP applications of a node."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from server.base.net.origins import SOCKET_PATH, WRONG_HOST, Origins
from server.base.web.api.app import Api
from server.base.web.pages import SCREENS, Pages, plain
from server.base.work.metrics import Metrics

API_PATH = "/api"
LIVE_PATH = "/health/live"
READY_PATH = "/health/ready"
METRICS_PATH = "/metrics"

# First segments of all paths on the players' port, except files.
FIRST_SEGMENTS = {*SCREENS, "socket", "api", "health"}

METHODS = ("GET", "HEAD")  # methods of requests for the page and for health checks
UNREADY = "The store accepts no writes, or is another one than before, or the node is broken."


@dataclass(frozen=True, slots=True)
class Health:
    """A node's health checks. They must be cheap, since anyone can call them."""

    is_live: Callable[[], bool]  # returns whether the node works; if not, it should be replaced
    # Returns whether it can serve players; if not, they should be sent to other nodes.
    is_ready: Callable[[], bool]
    # Returns a sentence about the store's losses since the node started, or an empty text.
    lost: Callable[[], str]


class PlayersApp:
    """The ASGI application on the players' port: page, HTTP interface and health checks.

    It accepts the hosts of `origins`; health checks accept any host.
    """

    def __init__(self, pages: Pages, api: Api, origins: Origins, health: Health) -> None:
        self._pages = pages
        self._api = api
        self._serves = origins.serves
        ready = partial(_health_response, health.is_ready, UNREADY, health.lost)
        self._checks = {
            LIVE_PATH: partial(_health_response, health.is_live, "The node is broken."),
            READY_PATH: ready,
            # The former name, from before there were two checks.
            "/health": ready,
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        # Dispatched by the path alone: three layers of Starlette routing would take as long as the
        # rest of a request.
        try:
            answer = await self._answer(scope)
        except Exception:
            failed = HTTPStatus.INTERNAL_SERVER_ERROR
            await plain(failed, failed.phrase)(scope, receive, send)
            raise
        await answer(scope, receive, send)

    async def _answer(self, scope: Scope) -> ASGIApp:
        """Return the response to a request, or the application that answers it."""
        path: str = scope["path"]
        check = self._checks.get(path)
        if check is None and not self._serves(Headers(scope=scope).get("Host", "")):
            return plain(HTTPStatus.MISDIRECTED_REQUEST, WRONG_HOST)
        if path.startswith(f"{API_PATH}/"):
            scope["root_path"] = API_PATH
            return self._api
        if scope["method"] not in METHODS:
            refused = HTTPStatus.METHOD_NOT_ALLOWED
            return plain(refused, refused.phrase, {"Allow": ", ".join(METHODS)})
        if check is not None:
            return check()
        if path == SOCKET_PATH:
            text = "This path accepts WebSocket connections only."
            return plain(HTTPStatus.UPGRADE_REQUIRED, text, {"Upgrade": "websocket"})
        return await self._pages.answer(Request(scope))


def metrics_app(metrics: Metrics, origins: Origins) -> ASGIApp:
    """Return the application on the port for Prometheus, which serves the metrics."""

    async def scrape(request: Request) -> Response:
        body, content_type = metrics.exposition(request.headers.get("Accept", ""))
        return Response(body, headers={"Content-Type": content_type})

    app = Starlette(
        routes=[Route(METRICS_PATH, scrape)], exception_handlers={HTTPException: _refuse}
    )
    return _HostFilter(app, origins.serves_operator)


class _HostFilter:
    """An ASGI application that passes on requests for accepted hosts."""

    def __init__(self, app: ASGIApp, serves: Callable[[str], bool]) -> None:
        self._app = app
        self._serves = serves

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = self._app
        if not self._serves(Headers(scope=scope).get("Host", "")):
            answer = plain(HTTPStatus.MISDIRECTED_REQUEST, WRONG_HOST)
        await answer(scope, receive, send)


def _health_response(
    check: Callable[[], bool], failure: str, remark: Callable[[], str] = str
) -> Response:
    """Return the answer to a health check, with the remark if it succeeds."""
    if check():
        return plain(HTTPStatus.OK, f"ok {remark()}".rstrip())
    return plain(HTTPStatus.SERVICE_UNAVAILABLE, failure)


async def _refuse(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException), "registered for HTTPException only"
    return plain(HTTPStatus(error.status_code), error.detail, dict(error.headers or {}))
