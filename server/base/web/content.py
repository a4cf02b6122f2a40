"""Cacheable content over HTTP: prepared responses, entity tags and content codings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.responses import Response


@dataclass(frozen=True, slots=True)
class Representation:
    """Content in one content coding, with its prepared responses."""

    tag: str
    whole: Response  # the response with the content
    unchanged: Response  # the response (304) to a client that has the content already


@dataclass(frozen=True, slots=True)
class Content:
    """Content with all its representations."""

    plain: Representation  # without content coding
    encoded: Mapping[str, Representation]  # by content coding, best first

    def answer(self, headers: Headers) -> Response:
        """Return the response to a request with these headers."""
        found = self.chosen(headers.get("Accept-Encoding", ""))
        if matches(headers.get("If-None-Match", ""), found.tag):
            return found.unchanged
        return found.whole

    def chosen(self, accepted: str) -> Representation:
        """Return the best representation for the value of an Accept-Encoding header."""
        allowed = _accepted_codings(accepted) if self.encoded else set()
        return next((each for name, each in self.encoded.items() if name in allowed), self.plain)


def content_of(body: bytes, headers: Mapping[str, str], encoded: Mapping[str, bytes]) -> Content:
    """Return content with a digest as its entity tag.

    Each response with it has `headers`. `encoded` has it by content coding, best first.
    """
    if encoded:
        headers = {**headers, "Vary": "Accept-Encoding"}
    digest = sha256(body).hexdigest()[:32]
    return Content(
        _represent(body, f'"{digest}"', headers),
        {
            name: _represent(packed, f'"{digest}-{name}"', {**headers, "Content-Encoding": name})
            for name, packed in encoded.items()
        },
    )


def matches(tags: str, tag: str) -> bool:
    """Return whether an If-None-Match header contains an entity tag, by weak comparison."""
    return any(known.strip().removeprefix("W/") == tag for known in tags.split(","))


def _accepted_codings(accepted: str) -> set[str]:
    """Return the content codings that an Accept-Encoding header allows (`q` is not 0)."""
    found = set()
    for coding in accepted.lower().split(","):
        name, _, quality = coding.partition(";")
        if quality.replace(" ", "").rstrip("0") not in {"q=", "q=0."}:
            found.add(name.strip())
    return found


def _represent(body: bytes, tag: str, headers: Mapping[str, str]) -> Representation:
    headers = {**headers, "ETag": tag}
    unchanged = Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Representation(tag, Response(body, headers=headers), unchanged)
