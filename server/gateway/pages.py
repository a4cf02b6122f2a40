"""The page, read into memory at start: a request picks from a table, never from the disk.

Only the entry page is put together for each request, for it says in its head what its address
shows. That takes some ten microseconds, and a read of the store for a room or a result.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from server.gateway.entry import Entry, origin_of, public_origin
from server.gateway.previews import Previews

INDEX = "/index.html"

SCREENS = {"", "new", "r", "daily", "leaderboard", "practice", "rules", "settings"}
"""First parts of the addresses at which the page shows a screen of its own."""

CODINGS = {"br": ".br", "gzip": ".gz"}
"""Encodings in which the build leaves files beside the plain ones, the best first."""

_SECURITY = {
    "Content-Security-Policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    # The address of a room is a way into it.
    "Referrer-Policy": "no-referrer",
}
_NEVER_CHANGES = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"


@dataclass(frozen=True, slots=True)
class Representation:
    """A file in one encoding, with its answers ready.

    Attributes:
        tag: its entity tag, which no other representation has.
        unchanged: the answer to who has it already.
    """

    tag: str
    whole: Response
    unchanged: Response


@dataclass(frozen=True, slots=True)
class Page:
    """A file as it is served: as it is, and in the encodings that the build has made."""

    plain: Representation
    encoded: Mapping[str, Representation]

    def chosen(self, accepted: str) -> Representation:
        """Return the best representation for an Accept-Encoding."""
        taken = _codings(accepted) if self.encoded else set()
        return next((each for name, each in self.encoded.items() if name in taken), self.plain)


class Pages:
    """The files of the built page, by path.

    Args:
        folder: where they are.
        previews: what its addresses preview as.
        public_url: the origin that the page is reached at; `None` for the Host of each request.

    Raises:
        ValueError: the origin is none.
    """

    def __init__(self, folder: Path, previews: Previews, public_url: str | None = None) -> None:
        self._previews = previews
        self._origin = None if public_url is None else public_origin(public_url)
        self._pages = {
            "/" + path.relative_to(folder).as_posix(): _read(path, folder)
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix not in CODINGS.values()
        }
        index = self._pages.get(INDEX)
        self._missing = index and Page(
            _missing(index.plain),
            {name: _missing(each) for name, each in index.encoded.items()},
        )
        # A screen's own page names its files, so that a browser asks for them early.
        own = {
            first: self._pages.get(f"/screens/{first or 'home'}.html", index) for first in SCREENS
        }
        self._entries = {
            first: entry
            for first, page in own.items()
            if page is not None and (entry := _entry(page, self._pages.keys()))
        }

    @property
    def built(self) -> bool:
        """Whether there is a page."""
        return INDEX in self._pages

    async def answer(self, request: Request) -> Response:
        """Return the answer to a request for a page."""
        path: str = request.scope["path"]
        first = "" if path == INDEX else path.strip("/").partition("/")[0]
        if entry := self._entries.get(first):
            return await self._enter(entry, request)
        page = self._pages.get(INDEX if first in SCREENS else path)
        if page is None and "text/html" in request.headers.get("Accept", ""):
            # People are shown the page, which says in its own words that it has no such screen.
            page = self._missing
        if page is None:
            text = "There is no such page." if self.built else "The page has not been built."
            return plain(HTTPStatus.NOT_FOUND, text)
        return _answer(page.chosen(request.headers.get("Accept-Encoding", "")), request)

    async def _enter(self, entry: Entry, request: Request) -> Response:
        """Return the entry page with what the request's address previews as."""
        preview = await self._previews.of(request.scope["path"], request.query_params)
        origin = origin_of(request.headers) if self._origin is None else self._origin
        # It is as short as a packet or two: to compress it takes longer than to send it.
        body = entry.page(preview, origin).encode()
        headers = {
            **_SECURITY,
            "Content-Type": "text/html; charset=utf-8",
            "Cache-Control": _ASK_AGAIN,
        }
        return _answer(_represent(body, f'"{_digest(body)}"', headers), request)


def plain(status: HTTPStatus, text: str, headers: dict[str, str] | None = None) -> Response:
    """Return an answer of one line of text."""
    own = {**_SECURITY, "Cache-Control": "no-store", **(headers or {})}
    return PlainTextResponse(f"{text}\n", status, own)


def _answer(found: Representation, request: Request) -> Response:
    """Return a representation, unless the client has it already."""
    if _has(request.headers.get("If-None-Match", ""), found.tag):
        return found.unchanged
    return found.whole


def _entry(page: Page, files: Collection[str]) -> Entry | None:
    """Return an entry page with room for previews, or `None` if it was built without."""
    try:
        return Entry(bytes(page.plain.whole.body).decode(), files)
    except ValueError:
        return None


def _digest(body: bytes) -> str:
    return sha256(body).hexdigest()[:32]


def _codings(accepted: str) -> set[str]:
    """Return the codings that an Accept-Encoding allows."""
    found = set()
    for coding in accepted.lower().split(","):
        name, _, quality = coding.partition(";")
        if quality.replace(" ", "").rstrip("0") not in {"q=", "q=0."}:
            found.add(name.strip())
    return found


def _has(tags: str, tag: str) -> bool:
    """Return whether an If-None-Match names a tag; one that a proxy has weakened counts."""
    return any(known.strip().removeprefix("W/") == tag for known in tags.split(","))


def _read(path: Path, folder: Path) -> Page:
    body = path.read_bytes()
    content_type = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if content_type.startswith("text/") or content_type == "application/javascript":
        content_type += "; charset=utf-8"
    # The build puts a digest of their content into the names of the files under assets.
    hashed = path.relative_to(folder).parts[0] == "assets"
    headers = {
        **_SECURITY,
        "Content-Type": content_type,
        "Cache-Control": _NEVER_CHANGES if hashed else _ASK_AGAIN,
    }
    encoded = {
        name: beside.read_bytes()
        for name, suffix in CODINGS.items()
        if (beside := path.with_name(path.name + suffix)).is_file()
    }
    if encoded:
        headers["Vary"] = "Accept-Encoding"
    digest = _digest(body)
    return Page(
        _represent(body, f'"{digest}"', headers),
        {
            name: _represent(packed, f'"{digest}-{name}"', {**headers, "Content-Encoding": name})
            for name, packed in encoded.items()
        },
    )


def _missing(found: Representation) -> Representation:
    """Return a page as it is served at addresses that have none."""
    headers = dict(found.whole.headers) | {"cache-control": "no-store"}
    del headers["etag"], headers["content-length"]
    answer = Response(found.whole.body, HTTPStatus.NOT_FOUND, headers)
    return Representation("", answer, answer)


def _represent(body: bytes, tag: str, headers: dict[str, str]) -> Representation:
    headers = {**headers, "ETag": tag}
    unchanged = Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Representation(tag, Response(body, headers=headers), unchanged)
