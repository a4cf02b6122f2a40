"""The start page, with the meta tags of a link preview (Open Graph) in its head."""

from __future__ import annotations

from collections.abc import Collection
from html import escape

from server.base.web.previews import HOME, Preview

PRODUCT = "Samedeal"
WIDTH, HEIGHT = 1200, 630
"""Size of all preview images, in pixels."""

BEGIN, END = "<!-- preview -->", "<!-- /preview -->"
"""Markers around the part of the built page that is replaced by a preview."""


class StartPage:
    """A template of the start page: the built page, split where previews are inserted.

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
