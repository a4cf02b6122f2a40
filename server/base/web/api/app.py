"""The application below `/api`: limits, the cache, and refusals as JSON."""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from http import HTTPStatus
from typing import Any, TypeVar

import msgspec
import structlog
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route as StarletteRoute
from starlette.types import Receive, Scope, Send

from server.base.core.refusal import (
    BaseRefusals,
    HttpRefusals,
    Refusal,
    UnavailableError,
    UnreadableError,
)
from server.base.net.addresses import Proxies
from server.base.net.budgets import Budgets
from server.base.net.load import Load
from server.base.web.api.cache import HEADERS, Cache, caching
from server.base.web.api.problems import status_of
from server.base.web.api.route import FOREVER, Asked, Download, Route
from server.base.web.api.shared import Problem
from server.base.web.content import matches
from server.base.work.metrics import Counts

METHODS = ["GET", "OPTIONS"]  # the methods of a route; Starlette adds HEAD
_TAKEN = {*METHODS, "HEAD"}

_PREFLIGHT = HEADERS | {
    "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
    "Access-Control-Allow-Headers": "If-None-Match",
    "Access-Control-Max-Age": "86400",
    "Allow": "GET, HEAD, OPTIONS",
}

S = TypeVar("S")

log = structlog.get_logger()


class Api:
    """The HTTP interface of a node.

    A request answered from the cache costs about 0.2 ms, any other one its handler's reads.

    Args:
        load: all requests are refused while it is too high.
        requests: counts the answers by route and status.
        clock: returns the time in seconds.
    """

    def __init__(
        self,
        routes: Iterable[Route[S]],
        services: S,
        load: Load,
        requests: Counts,
        *,
        proxies: Proxies,
        budgets: Budgets,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._load = load
        self._requests = requests
        self._proxies = proxies
        self._budgets = budgets
        self._cache = Cache(clock)
        endpoints = {route.path: self._endpoint(route, services) for route in routes}
        self._without_fields = {path: each for path, each in endpoints.items() if "{" not in path}
        # The ASGI application; its paths have no prefix.
        self.app = Starlette(
            routes=[
                StarletteRoute(path, endpoint, methods=METHODS)
                for path, endpoint in endpoints.items()
            ],
            exception_handlers={HTTPException: self._answer_unrouted},
        )
        self.app.router.redirect_slashes = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request like `app`."""
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        # Without Starlette's search for a route.
        endpoint = self._without_fields.get(path)
        if endpoint is None or scope["method"] not in _TAKEN:
            await self.app(scope, receive, send)
            return
        response = await endpoint(Request(scope))
        await response(scope, receive, send)

    async def close(self) -> None:
        """Wait for the answers in progress."""
        await self._cache.close()

    def _endpoint(self, route: Route[S], services: S) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            try:
                response = await self._answer(route, services, request)
            except Exception as error:
                response = refused(_refusal_of(error, route))
            log.debug("request", route=route.path, status=response.status_code)
            self._requests[route.path, str(response.status_code)] += 1
            return response

        return endpoint

    async def _answer(self, route: Route[S], services: S, request: Request) -> Response:
        if request.method == "OPTIONS":
            return Response(status_code=HTTPStatus.NO_CONTENT, headers=_PREFLIGHT)
        self._admit(route, self._proxies.client_of(request))
        asked = asked_of(route, request)
        # The key is the parsed request, so that equivalent URLs share an answer.
        key = f"{route.path} {msgspec.json.encode(asked).decode()}"
        made = await self._cache.get(key, partial(route.handler, services, asked))
        if isinstance(made, Download):
            return _file(made, request)
        return made.answer(request.headers)

    def _admit(self, route: Route[Any], address: str) -> None:
        """Refuse a request under overload, or if its client cannot pay."""
        if self._load.is_too_high:
            raise Refusal(BaseRefusals.overloaded, wait=self._load.wait())
        if wait := self._budgets.request(address, route.cost):
            text = "These are more requests than the server takes. Please slow down."
            raise Refusal(BaseRefusals.too_fast, text, math.ceil(wait * 1000))

    async def _answer_unrouted(self, _: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException), "registered for HTTPException only"
        known = error.status_code == HTTPStatus.METHOD_NOT_ALLOWED
        response = refused(Refusal(HttpRefusals.bad_method if known else HttpRefusals.unknown_path))
        response.headers.update(error.headers or {})
        self._requests["other", str(response.status_code)] += 1
        return response


def asked_of(route: Route[Any], request: Request) -> Asked:
    """Parse a request's path and query.

    Raises:
        Refusal: with the code `bad_request`, if the query does not match the route's type.
    """
    query, in_path = request.query_params, request.path_params
    if len(query.multi_items()) > len(query) or query.keys() & in_path.keys():
        raise Refusal(HttpRefusals.bad_request, "Each query field can be given only once.")
    try:
        return msgspec.convert({**query, **in_path}, type=route.asked, strict=False)
    except msgspec.ValidationError as error:
        raise Refusal(HttpRefusals.bad_request, f"This request is not valid: {error}.") from error


def _refusal_of(error: Exception, route: Route[Any]) -> Refusal:
    """Return the refusal for a request's error, and log an unexpected error."""
    match error:
        case Refusal():
            return error
        case UnreadableError():
            return Refusal(error.code)
        case UnavailableError():
            return Refusal(BaseRefusals.unavailable)
    log.error("request_failed", route=route.path, exc_info=error)
    return Refusal(BaseRefusals.internal)


def refused(refusal: Refusal) -> Response:
    """Return the uncacheable response with a refusal."""
    headers = HEADERS | {"Cache-Control": "no-store"}
    if refusal.wait:
        headers["Retry-After"] = str(math.ceil(refusal.wait / 1000))
    body = msgspec.json.encode(Problem(refusal.code.name, refusal.text))
    return Response(body, status_of(refusal.code), headers)


def _file(found: Download, request: Request) -> Response:
    """Return the response with a file, or 304 if the client has it already."""
    tag = f'"{found.tag}"'
    headers = HEADERS | {
        "Content-Type": "application/gzip",
        "Cache-Control": caching(FOREVER),
        "ETag": tag,
    }
    if matches(request.headers.get("If-None-Match", ""), tag):
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return FileResponse(found.path, headers=headers)
