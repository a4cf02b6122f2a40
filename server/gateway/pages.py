"""The page, read into memory at start: a request picks from a table, never from the disk."""

from __future__ import annotations

import gzip
import mimetypes
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

SCREENS = {"", "new", "r", "daily", "leaderboard", "settings"}
"""First parts of the addresses at which the page shows a screen of its own."""

WORTH_COMPRESSING = 0.9
"""What a compressed file must shrink to, as a part of its size, to be served so."""

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
    """A file as it is served: as it is, and compressed if that is worth while."""

    plain: Representation
    gzip: Representation | None


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

    async def answer(self, request: Request) -> Response:
        """Return the answer to a request for a page."""
        path: str = request.scope["path"]
        if path.strip("/").partition("/")[0] in SCREENS:
            path = "/index.html"
        page = self._pages.get(path)
        if page is None:
            text = "There is no such page." if self.built else "The page has not been built."
            return plain(HTTPStatus.NOT_FOUND, text)
        found = page.plain
        if page.gzip is not None and _takes_gzip(request.headers.get("Accept-Encoding", "")):
            found = page.gzip
        if _has(request.headers.get("If-None-Match", ""), found.tag):
            return found.unchanged
        return found.whole


def plain(status: HTTPStatus, text: str, headers: dict[str, str] | None = None) -> Response:
    """Return an answer of one line of text."""
    own = {**_SECURITY, "Cache-Control": "no-store", **(headers or {})}
    return PlainTextResponse(f"{text}\n", status, own)


def _takes_gzip(accepted: str) -> bool:
    """Return whether an Accept-Encoding allows gzip."""
    for coding in accepted.lower().split(","):
        name, _, quality = coding.partition(";")
        if name.strip() == "gzip":
            return quality.replace(" ", "").rstrip("0") not in {"q=", "q=0."}
    return False


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
    digest = sha256(body).hexdigest()[:32]
    # Without a time in it, the same file is compressed to the same bytes by every node.
    packed = gzip.compress(body, mtime=0)
    if len(packed) > len(body) * WORTH_COMPRESSING:
        return Page(_represent(body, f'"{digest}"', headers), None)
    headers["Vary"] = "Accept-Encoding"
    return Page(
        _represent(body, f'"{digest}"', headers),
        _represent(packed, f'"{digest}-gzip"', {**headers, "Content-Encoding": "gzip"}),
    )


def _represent(body: bytes, tag: str, headers: dict[str, str]) -> Representation:
    headers = {**headers, "ETag": tag}
    unchanged = Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Representation(tag, Response(body, headers=headers), unchanged)
