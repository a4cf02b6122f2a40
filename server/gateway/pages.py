"""The page, read into memory at start: a request picks from a table, never from the disk."""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

SCREENS = {"", "r", "daily", "leaderboard"}
"""First parts of the addresses at which the page shows a screen of its own."""

_SECURITY = (
    (
        "Content-Security-Policy",
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    # The address of a room is a way into it.
    ("Referrer-Policy", "no-referrer"),
)
_NEVER_CHANGES = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"


@dataclass(frozen=True, slots=True)
class Page:
    """A file as it is served."""

    body: bytes
    content_type: str
    caching: str
    tag: str


class Pages:
    """The files of the built page, by path."""

    def __init__(self, folder: Path) -> None:
        self._pages = {
            "/" + path.relative_to(folder).as_posix(): _read(path, folder)
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }

    @property
    def built(self) -> bool:
        """Whether there is a page."""
        return "/index.html" in self._pages

    def answer(self, request: Request) -> Response:
        """Return the answer to a request for a page."""
        path = request.path.partition("?")[0]
        if path.strip("/").partition("/")[0] in SCREENS:
            path = "/index.html"
        page = self._pages.get(path)
        if page is None:
            text = "There is no such page." if self.built else "The page has not been built."
            return plain(HTTPStatus.NOT_FOUND, text)
        headers = Headers(_SECURITY)
        headers["Content-Type"] = page.content_type
        headers["Cache-Control"] = page.caching
        headers["ETag"] = page.tag
        if request.headers.get("If-None-Match") == page.tag:
            return _response(HTTPStatus.NOT_MODIFIED, headers, b"")
        return _response(HTTPStatus.OK, headers, page.body)


def plain(status: HTTPStatus, text: str) -> Response:
    """Return an answer of one line of text."""
    headers = Headers(_SECURITY)
    headers["Content-Type"] = "text/plain; charset=utf-8"
    headers["Cache-Control"] = "no-store"
    return _response(status, headers, f"{text}\n".encode())


def _response(status: HTTPStatus, headers: Headers, body: bytes) -> Response:
    headers["Content-Length"] = str(len(body))
    headers["Connection"] = "close"
    return Response(status.value, status.phrase, headers, body)


def _read(path: Path, folder: Path) -> Page:
    body = path.read_bytes()
    content_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if content_type.startswith("text/") or content_type == "application/javascript":
        content_type += "; charset=utf-8"
    # The build puts a digest of their content into the names of the files under assets.
    hashed = path.relative_to(folder).parts[0] == "assets"
    tag = f'"{sha256(body).hexdigest()[:32]}"'
    return Page(body, content_type, _NEVER_CHANGES if hashed else _ASK_AGAIN, tag)
