"""What is answered over HTTP, and which requests may become sockets."""

from __future__ import annotations

from collections.abc import Callable, Collection
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.gateway.pages import Pages, plain
from server.metrics import Metrics

SOCKET_PATH = "/socket"
HEALTH_PATH = "/health"
METRICS_PATH = "/metrics"


def site(pages: Pages, is_healthy: Callable[[], bool]) -> Starlette:
    """Return the application on the players' port: the page, and whether the node is healthy."""

    async def health(_: Request) -> Response:
        if is_healthy():
            return plain(HTTPStatus.OK, "ok")
        return plain(HTTPStatus.SERVICE_UNAVAILABLE, "The store does not answer.")

    return _application(
        Route(HEALTH_PATH, health),
        Route(SOCKET_PATH, _upgrade_required),
        Route("/{path:path}", pages.answer),
    )


def numbers(metrics: Metrics) -> Starlette:
    """Return the application on the port for Prometheus."""

    async def scrape(request: Request) -> Response:
        body, content_type = metrics.exposition(request.headers.get("Accept", ""))
        return Response(body, headers={"Content-Type": content_type})

    return _application(Route(METRICS_PATH, scrape))


def upgrade_refusal(
    path: str, origin: str | None, host: str, origins: Collection[str]
) -> tuple[HTTPStatus, str] | None:
    """Return why a request to become a socket is refused, or `None` if it is not.

    Args:
        path: the request's target, with or without a query.
        origin: the origin of the page that asks, `None` where no page does.
        host: the request's Host.
        origins: origins that may open sockets beside those on the host itself.
    """
    if path.partition("?")[0] != SOCKET_PATH:
        return HTTPStatus.NOT_FOUND, "There is no socket here."
    if origin is not None and not origin_allowed(origin, host, origins):
        return HTTPStatus.FORBIDDEN, "This page may not open a socket here."
    return None


def origin_allowed(origin: str, host: str, origins: Collection[str]) -> bool:
    """Return whether a page of this origin may open a socket.

    Programs that are no browser send no origin; they cannot be made to act for a player.
    """
    return origin in origins or urlsplit(origin).netloc == host


def _application(*routes: Route) -> Starlette:
    return Starlette(routes=routes, exception_handlers={HTTPException: _refuse})


async def _upgrade_required(_: Request) -> Response:
    text = "Sockets are opened here."
    return plain(HTTPStatus.UPGRADE_REQUIRED, text, {"Upgrade": "websocket"})


async def _refuse(_: Request, error: Exception) -> Response:
    """Answer what no route takes as everything else is answered."""
    assert isinstance(error, HTTPException), "it is registered for this one alone"
    return plain(HTTPStatus(error.status_code), error.detail, dict(error.headers or {}))
