"""The files of the built page, read into memory at start and served from there.

Only the start page is rendered, since its head contains the link preview of the requested URL. The
result is cached per preview. A room, a challenge or a result may take a read of the store.
"""

from __future__ import annotations

import gzip
import mimetypes
from collections.abc import Collection, Mapping
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from server.base.net.addresses import Proxies
from server.base.net.origins import Origins
from server.base.web.content import Content, Representation, content_of
from server.base.web.previews import Preview, Previews
from server.base.web.rooted import rooted
from server.base.web.start_page import StartPage

INDEX = "/index.html"

# First path segments of the screens of the page, which is a single-page application.
SCREENS = {
    *("", "new", "r", "watch", "daily", "leaderboard", "practice", "rules", "run", "deal"),
    *("settings", "archive", "player", "account", "c", "circles", "o", "own"),
    "statistics",
}

# The first path segment of the operators' screen, present only on servers with operators.
OPERATORS = "admin"

# Content codings of the build's compressed files, with their suffixes, best first.
CODINGS = {"br": ".br", "gzip": ".gz"}

_RENDERED = 512  # cached rendered start pages: about 5 KB each
_IMMUTABLE = "public, max-age=31536000, immutable"
_REVALIDATE = "no-cache"


class Pages:
    """The files of the built page, by path.

    Args:
        folder: the directory with the files; it may be missing or empty.
        origins: determine the base of absolute URLs, and the page's root path.
        operators: whether there is a screen for operators.
    """

    def __init__(
        self,
        folder: Path,
        previews: Previews,
        proxies: Proxies,
        origins: Origins,
        *,
        operators: bool = False,
    ) -> None:
        self._screens = SCREENS | {OPERATORS} if operators else SCREENS
        self._previews = previews
        self._proxies = proxies
        self._origins = origins
        files = {
            "/" + path.relative_to(folder).as_posix(): path
            for path in sorted(folder.rglob("*"))
            # Compressed variants are read by `_encoded`.
            if path.is_file() and path.suffix not in CODINGS.values()
        }
        bodies = {name: path.read_bytes() for name, path in files.items()}
        changed = rooted(origins.root, bodies)
        self._pages = {
            name: _content(name, changed[name], {"gzip": gzip.compress(changed[name], mtime=0)})
            if name in changed
            else _content(name, body, _encoded(files[name]))
            for name, body in bodies.items()
        }
        index = self._pages.get(INDEX)
        self._missing = index and Content(
            _missing(index.plain), {name: _missing(each) for name, each in index.encoded.items()}
        )
        # A screen's HTML file preloads the screen's scripts and styles.
        by_screen = {
            first: self._pages.get(f"/screens/{first or 'home'}.html", index)
            for first in self._screens
        }
        self._start_pages = {
            first: start
            for first, page in by_screen.items()
            if page is not None and (start := _start_page(page, self._pages.keys()))
        }

    @property
    def built(self) -> bool:
        """Whether the directory contains a built page."""
        return INDEX in self._pages

    @property
    def first_segments(self) -> set[str]:
        """The first segments of the files' paths."""
        return {path.split("/")[1] for path in self._pages}

    async def answer(self, request: Request) -> Response:
        """Return the response to a request for a file or a screen."""
        path: str = request.scope["path"]
        first = "" if path == INDEX else path.strip("/").partition("/")[0]
        if start := self._start_pages.get(first):
            return await self._render(start, request)
        page = self._pages.get(INDEX if first in self._screens else path)
        if page is None and "text/html" in request.headers.get("Accept", ""):
            # Browsers get the page, which shows its own message about an unknown screen.
            page = self._missing
        if page is None:
            text = "There is no such page." if self.built else "The page has not been built."
            return plain(HTTPStatus.NOT_FOUND, text)
        return page.answer(request.headers)

    async def _render(self, start: StartPage, request: Request) -> Response:
        address = self._proxies.client_of(request)
        preview = await self._previews.preview(request.scope["path"], request.query_params, address)
        peer = request.client.host if request.client is not None else ""
        site = self._origins.site(request.headers, peer)
        language = start.language(request.headers.get("Accept-Language", ""))
        return _rendered(start, preview, site, language).answer(request.headers)


@lru_cache(_RENDERED)
def _rendered(start: StartPage, preview: Preview, site: str | None, language: str) -> Content:
    # Not compressed: it fits into one or two packets, and compressing would take longer.
    body = start.page(preview, site, language).encode()
    headers = {
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": _REVALIDATE,
        "Vary": "Accept-Language",
    }
    return content_of(body, headers, {})


def plain(status: HTTPStatus, text: str, headers: dict[str, str] | None = None) -> Response:
    """Return an uncacheable response with one line of plain text."""
    own = {"Cache-Control": "no-store", **(headers or {})}
    return PlainTextResponse(f"{text}\n", status, own)


def _start_page(page: Content, files: Collection[str]) -> StartPage | None:
    """Return the template of a start page, or `None` if it has no markers for a preview."""
    try:
        return StartPage(bytes(page.plain.whole.body).decode(), files)
    except ValueError:
        return None


def _content(name: str, body: bytes, encoded: Mapping[str, bytes]) -> Content:
    """Return the content of a file, by its path on the server."""
    content_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    if content_type.startswith("text/") or content_type == "application/javascript":
        content_type += "; charset=utf-8"
    # The names of files under assets contain a digest of their content.
    hashed = name.startswith("/assets/")
    headers = {"Content-Type": content_type, "Cache-Control": _IMMUTABLE if hashed else _REVALIDATE}
    return content_of(body, headers, encoded)


def _encoded(path: Path) -> dict[str, bytes]:
    """Return the content of the compressed files next to a file, by content coding."""
    return {
        name: beside.read_bytes()
        for name, suffix in CODINGS.items()
        if (beside := path.with_name(path.name + suffix)).is_file()
    }


def _missing(found: Representation) -> Representation:
    """Return the start page as the response (404) for an unknown path."""
    headers = dict(found.whole.headers) | {"cache-control": "no-store"}
    del headers["etag"], headers["content-length"]
    answer = Response(found.whole.body, HTTPStatus.NOT_FOUND, headers)
    return Representation("", answer, answer)
