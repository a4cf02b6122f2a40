"""Serving a site below a root path of its host, such as `https://example.org/games/samedeal`.

A proxy may or may not strip the root from the paths of requests. Both are supported, so no path of
the site may start like the root.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Collection, Mapping
from hashlib import sha256
from http import HTTPStatus

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from server.base.net.origins import Origins

WORKER = "/sw.js"  # the service worker, which contains the digests of the files that it caches

# The start of an absolute path in HTML; scripts and styles use relative ones.
_ADDRESS = re.compile(rb'\b(href|src)="/')


def at_root(app: ASGIApp, origins: Origins, taken: Collection[str]) -> ASGIApp:
    """Wrap an application in `Rooted`, with its exceptions, if the public URL has a root."""
    return Rooted(app, origins, taken) if origins.root else app


class Rooted:
    """ASGI middleware that strips the root from the paths of requests.

    Args:
        taken: the first segments of the other application's paths.

    Raises:
        ValueError: one of these is the root's first segment.
    """

    def __init__(self, app: ASGIApp, origins: Origins, taken: Collection[str]) -> None:
        first = origins.root.strip("/").partition("/")[0]
        if first in taken:
            raise ValueError(
                f"the path of the public URL cannot begin with /{first}, since paths of the page "
                f"do: choose another one, such as /samedeal{origins.root}"
            )
        self._app = app
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        path: str = scope["path"]
        if path == self._origins.root:
            # Without the slash, the URL is not in the scope of the service worker.
            await _with_slash(scope)(scope, receive, send)
            return
        scope["path"] = self._origins.below_root(path)
        await self._app(scope, receive, send)


def _with_slash(scope: Scope) -> Response:
    query = scope["query_string"].decode("latin-1")
    location = f"{scope['path']}/{query and f'?{query}'}"
    headers = {"Location": location, "Cache-Control": "no-store"}
    return Response(status_code=HTTPStatus.PERMANENT_REDIRECT, headers=headers)


def rooted(root: str, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the page's built files that differ below a root as in `Origins`, by path."""
    if not root:
        return {}
    address = rb'\1="' + root.encode() + b"/"
    found = {
        path: _ADDRESS.sub(address, body) for path, body in files.items() if path.endswith(".html")
    }
    # The service worker verifies the files that it caches by their digests.
    if (worker := files.get(WORKER)) is not None:
        for path, body in found.items():
            worker = worker.replace(_integrity(files[path]), _integrity(body))
        found[WORKER] = worker
    return found


def _integrity(body: bytes) -> bytes:
    """Return the subresource integrity of a file."""
    return b"sha256-" + b64encode(sha256(body).digest())
