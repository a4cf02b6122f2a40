"""The HTTP applications of a node."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from http import HTTPStatus

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from server.base.net.origins import Origins
from server.base.web.api.app import Api
from server.base.web.pages import Pages, plain
from server.base.work.metrics import Metrics

SOCKET_PATH = "/socket"
API_PATH = "/api"
LIVE_PATH = "/health/live"
READY_PATH = "/health/ready"
METRICS_PATH = "/metrics"

UNREADY = "The store takes no writes, or is another one than before, or the node is broken."
WRONG_HOST = "This server does not serve this host. Its operator can add it (--hosts)."


@dataclass(frozen=True, slots=True)
class Health:
    """The health checks of a node, which cost nothing, since anybody may ask for them.

    Attributes:
        is_live: returns whether the node works; if not, it should be replaced.
        is_ready: returns whether it can play; if not, players should be sent to other nodes.
        lost: returns what the store has lost since the node started, as a sentence, or nothing.
    """

    is_live: Callable[[], bool]
    is_ready: Callable[[], bool]
    lost: Callable[[], str]


def players_app(pages: Pages, api: Api, origins: Origins, health: Health) -> Starlette:
    """Return the application on the players' port: page, HTTP interface and health checks.

    Args:
        pages: the files of the page.
        api: the HTTP interface.
        origins: the hosts that requests may be for. Health checks may ask by any.
        health: the health checks.
    """
    own_hosts = Middleware(_OwnHosts, serves=origins.serves)
    ready = _health(health.is_ready, UNREADY, health.lost)
    return _application(
        Route(LIVE_PATH, _health(health.is_live, "The node is broken.")),
        Route(READY_PATH, ready),
        # As it was called before there were two.
        Route("/health", ready),
        Mount(
            "",
            routes=[
                Route(SOCKET_PATH, _upgrade_required),
                Mount(API_PATH, api.app),
                Route("/{path:path}", pages.answer),
            ],
            middleware=[own_hosts],
        ),
    )


def metrics_app(metrics: Metrics, origins: Origins) -> ASGIApp:
    """Return the application on the port for Prometheus: the metrics.

    Args:
        metrics: those of the node.
        origins: the hosts that requests may be for.
    """

    async def scrape(request: Request) -> Response:
        body, content_type = metrics.exposition(request.headers.get("Accept", ""))
        return Response(body, headers={"Content-Type": content_type})

    return _OwnHosts(_application(Route(METRICS_PATH, scrape)), origins.serves_operator)


class _OwnHosts:
    """An ASGI application that passes requests for hosts of ours on to another one."""

    def __init__(self, app: ASGIApp, serves: Callable[[str], bool]) -> None:
        self._app = app
        self._serves = serves

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = self._app
        if not self._serves(Headers(scope=scope).get("Host", "")):
            answer = plain(HTTPStatus.MISDIRECTED_REQUEST, WRONG_HOST)
        await answer(scope, receive, send)


def _health(
    check: Callable[[], bool], failure: str, remark: Callable[[], str] = str
) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers a health check; a remark is added if all is well."""

    async def answer(_: Request) -> Response:
        if check():
            return plain(HTTPStatus.OK, f"ok {remark()}".rstrip())
        return plain(HTTPStatus.SERVICE_UNAVAILABLE, failure)

    return answer


def _application(*routes: BaseRoute) -> Starlette:
    return Starlette(routes=routes, exception_handlers={HTTPException: _refuse})


async def _upgrade_required(_: Request) -> Response:
    text = "This path accepts WebSocket connections only."
    return plain(HTTPStatus.UPGRADE_REQUIRED, text, {"Upgrade": "websocket"})


async def _refuse(_: Request, error: Exception) -> Response:
    """Return an error of Starlette's routing as plain text."""
    assert isinstance(error, HTTPException), "registered for HTTPException only"
    return plain(HTTPStatus(error.status_code), error.detail, dict(error.headers or {}))
