"""The entry page with what its address previews as in its head."""

from __future__ import annotations

import re
from collections.abc import Collection
from html import escape
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from server.gateway.previews import HOME, Preview

PRODUCT = "Samedeal"
WIDTH, HEIGHT = 1200, 630
"""The size of all pictures, in pixels."""

BEGIN, END = "<!-- preview -->", "<!-- /preview -->"
"""What stands around the part of the built page that is replaced."""

_HOST = re.compile(r"(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?", re.IGNORECASE)
"""A name or an address, with or without a port: nothing that means more than itself in HTML."""


class Entry:
    """The built entry page, in two halves with room for a preview between them.

    Args:
        html: the page as it was built; a preview stands in place of what its marks are around.
        files: the paths of all files of the page, the pictures among them.

    Raises:
        ValueError: the page has no marks.
    """

    def __init__(self, html: str, files: Collection[str]) -> None:
        self._before, begin, rest = html.partition(BEGIN)
        _, end, self._after = rest.partition(END)
        if not (begin and end):
            raise ValueError(f"The page has no {BEGIN} and {END}")
        self._files = files

    def page(self, preview: Preview, origin: str | None) -> str:
        """Return the page with a preview, whose addresses begin with `origin` if that is known."""
        name = PRODUCT if preview is HOME else f"{preview.title} · {PRODUCT}"
        named = {"description": preview.about, "twitter:card": "summary_large_image"}
        if not preview.listed:
            named["robots"] = "noindex"
        properties = {
            "og:site_name": PRODUCT,
            "og:type": "website",
            "og:title": preview.title,
            "og:description": preview.about,
        }
        lines = [f"<title>{escape(name)}</title>"]
        if origin is not None:
            address = origin + preview.path
            lines.append(f'<link rel="canonical" href="{escape(address)}" />')
            properties["og:url"] = address
            properties |= self._image(preview, origin)
        lines += [_meta("name", *pair) for pair in named.items()]
        lines += [_meta("property", *pair) for pair in properties.items()]
        return self._before + "\n    ".join(lines) + self._after

    def _image(self, preview: Preview, origin: str) -> dict[str, str]:
        """Return what is said of a preview's picture: nothing if there is none."""
        path = "/preview.png" if preview.game is None else f"/preview-{preview.game}.png"
        if path not in self._files:
            return {}
        return {
            "og:image": origin + path,
            "og:image:type": "image/png",
            "og:image:width": str(WIDTH),
            "og:image:height": str(HEIGHT),
            "og:image:alt": preview.image,
        }


def _meta(kind: str, name: str, content: str) -> str:
    return f'<meta {kind}="{name}" content="{escape(content)}" />'


def public_origin(url: str) -> str:
    """Return the origin that an operator has given.

    Raises:
        ValueError: it is none.
    """
    scheme, host, path, query, fragment = urlsplit(url)
    if scheme not in {"http", "https"} or not _HOST.fullmatch(host) or path.strip("/"):
        raise ValueError(f"{url!r} is not a public address, as in https://play.example.org")
    if query or fragment:
        raise ValueError(f"{url!r}: a public address ends with its host and port")
    return f"{scheme}://{host}"


def origin_of(headers: Headers) -> str | None:
    """Return the origin that a request came to, or `None` if its Host is no host.

    The scheme is what the proxy in front says that it is. A client that says so itself is told
    it back, and nobody else is: no answer is kept for another request.
    """
    host = headers.get("Host", "")
    if not _HOST.fullmatch(host):
        return None
    secure = headers.get("X-Forwarded-Proto", "").partition(",")[0].strip().lower() == "https"
    return f"{'https' if secure else 'http'}://{host.lower()}"
