"""The start page, with the meta tags of a link preview (Open Graph) in its head."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from html import escape

from server.base.web.previews import HOME, Preview

PRODUCT = "Samedeal"
WIDTH, HEIGHT = 1200, 630  # size of all preview images, in pixels

# Markers around the part of the built page that is replaced by a preview.
BEGIN, END = "<!-- preview -->", "<!-- /preview -->"


DEFAULT_LANGUAGE = "en"  # the language for readers without a supported language
_LANG = f'<html lang="{DEFAULT_LANGUAGE}"'

# The preload of a file with the page's words in one language.
_WORDS = re.compile(r'<link [^>]*data-language="(\w+)"[^>]*>')

# A language and its weight in an Accept-Language header.
_RANGE = re.compile(r"([A-Za-z]+)[^,;]*(?:;\s*q=([0-9.]+))?")

_REMEMBERED = 256  # cached Accept-Language headers: most browsers send one of few


class StartPage:
    """A template of the start page: the built page, split where previews are inserted.

    Args:
        html: the built page; a preview replaces the text between `BEGIN` and `END`.
        files: the paths of all files of the page, including preview images.

    Raises:
        ValueError: the page lacks a marker.
    """

    def __init__(self, html: str, files: Collection[str]) -> None:
        self._words: dict[str, str] = {}
        for link in _WORDS.finditer(html):
            self._words[link[1]] = self._words.get(link[1], "") + link[0]
        self._before, begin, rest = _WORDS.sub("", html).partition(BEGIN)
        _, end, self._after = rest.partition(END)
        if not (begin and end):
            raise ValueError(f"The page has no {BEGIN} … {END}")
        self._files = files

    def page(self, preview: Preview, site: str | None, language: str = DEFAULT_LANGUAGE) -> str:
        """Return the HTML of the page with a preview.

        Args:
            site: the base of absolute URLs, an origin with an optional path; without it, tags that
                need absolute URLs are left out.
            language: the reader's language, as returned by `language`.
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
        if site is not None:
            address = site + preview.path
            lines.append(f'<link rel="canonical" href="{escape(address)}" />')
            properties["og:url"] = address
            properties |= self._image(preview, site)
        lines += [_meta("name", *pair) for pair in named.items()]
        lines += [_meta("property", *pair) for pair in properties.items()]
        # Only the words in the reader's language are preloaded.
        if language in self._words:
            lines.append(self._words[language])
        before = self._before.replace(_LANG, f'<html lang="{language}"', 1)
        return before + "\n    ".join(lines) + self._after

    def language(self, accepted: str) -> str:
        """Return the page's language for the value of an Accept-Language header."""
        return _preferred_language(accepted, frozenset(self._words))

    def _image(self, preview: Preview, site: str) -> dict[str, str]:
        """Return the properties of a preview's image, or none if the page has no such file."""
        path = "/preview.png" if preview.game is None else f"/preview-{preview.game}.png"
        if path not in self._files:
            return {}
        return {
            "og:image": site + path,
            "og:image:type": "image/png",
            "og:image:width": str(WIDTH),
            "og:image:height": str(HEIGHT),
            "og:image:alt": preview.image,
        }


@lru_cache(_REMEMBERED)
def _preferred_language(accepted: str, known: frozenset[str]) -> str:
    """Return the known language with the greatest weight, the first of several."""
    weights: dict[str, float] = {}
    for language, weight in _RANGE.findall(accepted):
        try:
            weights.setdefault(language.lower(), float(weight or 1))
        except ValueError:
            continue
    wanted = [each for each in weights if each in known and weights[each] > 0]
    return max(wanted, key=weights.__getitem__, default=DEFAULT_LANGUAGE)


def _meta(kind: str, name: str, content: str) -> str:
    return f'<meta {kind}="{name}" content="{escape(content)}" />'
