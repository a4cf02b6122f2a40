"""The entry page, with the meta tags of a link preview (Open Graph) in its head."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from html import escape
from urllib.parse import urlsplit

from server.gateway.previews import HOME, Preview

PRODUCT = "Samedeal"
WIDTH, HEIGHT = 1200, 630
"""Size of all preview images, in pixels."""

BEGIN, END = "<!-- preview -->", "<!-- /preview -->"
"""Markers around the part of the built page that is replaced by a preview."""

_HOST = re.compile(r"(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?", re.IGNORECASE)
"""A host name or address with an optional port, without characters that are special in HTML."""


class Entry:
    """A template of the entry page: the built page, split where previews are inserted.

    Args:
        html: the built page; a preview replaces the text between `BEGIN` and `END`.
        files: the paths of all files of the page, including preview images.

    Raises:
        ValueError: the page lacks a marker.
    """

    def __init__(self, html: str, files: Collection[str]) -> None:
        self._before, begin, rest = html.partition(BEGIN)
        _, end, self._after = rest.partition(END)
        if not (begin and end):
            raise ValueError(f"The page has no {BEGIN} … {END}")
        self._files = files

    def page(self, preview: Preview, origin: str | None) -> str:
        """Return the HTML of the page with a preview.

        Args:
            preview: the preview.
            origin: the origin that absolute URLs begin with; without one, tags that need absolute
                URLs are left out.
        """
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
        """Return the properties of a preview's image, or none if the page has no such file."""
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
    """Return the origin of a public URL that the operator has set.

    Raises:
        ValueError: it is not an http or https URL without path, query and fragment.
    """
    scheme, host, path, query, fragment = urlsplit(url)
    if scheme not in {"http", "https"} or not _HOST.fullmatch(host) or path.strip("/"):
        raise ValueError(f"{url!r} is not a public URL such as https://play.example.org")
    if query or fragment:
        raise ValueError(f"{url!r}: a public URL has no query and no fragment")
    return f"{scheme}://{host}"


def origin_of(headers: Mapping[str, str]) -> str | None:
    """Return the origin that a request was sent to, or `None` if its Host header is invalid.

    The scheme is taken from X-Forwarded-Proto, which the reverse proxy sets. A client that forges
    these headers affects only its own response, since no response is cached for other requests.
    """
    host = headers.get("Host", "")
    if not _HOST.fullmatch(host):
        return None
    secure = headers.get("X-Forwarded-Proto", "").partition(",")[0].strip().lower() == "https"
    return f"{'https' if secure else 'http'}://{host.lower()}"
