"""The HTTP applications of a node, and the check of WebSocket handshakes."""

from __future__ import annotations

from collections.abc import Callable, Collection
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route

from server.gateway.api.app import Api
from server.gateway.pages import Pages, plain
from server.metrics import Metrics

SOCKET_PATH = "/socket"
API_PATH = "/api"
HEALTH_PATH = "/health"
METRICS_PATH = "/metrics"


def players_app(pages: Pages, api: Api, is_healthy: Callable[[], bool]) -> Starlette:
    """Return the application on the players' port: page, HTTP interface and health check."""

    async def health(_: Request) -> Response:
        if is_healthy():
            return plain(HTTPStatus.OK, "ok")
        return plain(HTTPStatus.SERVICE_UNAVAILABLE, "The store does not answer.")

    return _application(
        Route(HEALTH_PATH, health),
        Route(SOCKET_PATH, _upgrade_required),
        Mount(API_PATH, api.app),
        Route("/{path:path}", pages.answer),
    )


def metrics_app(metrics: Metrics) -> Starlette:
    """Return the application on the port for Prometheus: the metrics."""

    async def scrape(request: Request) -> Response:
        body, content_type = metrics.exposition(request.headers.get("Accept", ""))
        return Response(body, headers={"Content-Type": content_type})

    return _application(Route(METRICS_PATH, scrape))


def upgrade_refusal(
    path: str, origin: str | None, host: str, origins: Collection[str]
) -> tuple[HTTPStatus, str] | None:
    """Return the status and text with which a WebSocket handshake is rejected, or `None`.

    Args:
        path: the request target, with or without a query.
        origin: the Origin header, or `None` if there is none.
        host: the Host header.
        origins: origins that may open WebSockets, in addition to those on the same host.
    """
    if path.partition("?")[0] != SOCKET_PATH:
        return HTTPStatus.NOT_FOUND, "There is no WebSocket at this path."
    if origin is not None and not origin_allowed(origin, host, origins):
        return HTTPStatus.FORBIDDEN, "Pages of this origin may not open a WebSocket here."
    return None


def origin_allowed(origin: str, host: str, origins: Collection[str]) -> bool:
    """Return whether a page of this origin may open a WebSocket.

    Handshakes without an origin are not checked: they do not come from a browser, so no page can
    have made a player send them.
    """
    return origin in origins or urlsplit(origin).netloc == host


def _application(*routes: BaseRoute) -> Starlette:
    return Starlette(routes=routes, exception_handlers={HTTPException: _refuse})


async def _upgrade_required(_: Request) -> Response:
    text = "This path accepts WebSocket connections only."
    return plain(HTTPStatus.UPGRADE_REQUIRED, text, {"Upgrade": "websocket"})


async def _refuse(_: Request, error: Exception) -> Response:
    """Return an error of Starlette's routing as plain text."""
    assert isinstance(error, HTTPException), "registered for HTTPException only"
    return plain(HTTPStatus(error.status_code), error.detail, dict(error.headers or {}))
