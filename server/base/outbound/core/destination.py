"""Destinations: URLs that may be posted to, and where they lead."""

from __future__ import annotations

import re
from typing import Final, NamedTuple
from urllib.parse import urlsplit

MAX_URL: Final = 1_000
"""Most characters of a URL that is posted to."""

HTTPS_PORT: Final = 443

_TEXT: Final = re.compile(r"[\x21-\x7e]+")
"""No space, and no control character: what would end a line of the request."""

_NAME: Final = re.compile(
    r"(?=.{1,253}\Z)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]"
)
"""A name of the form that those of the Internet have: with a dot, and no address."""

_LOCAL: Final = frozenset(
    {
        *("alt", "corp", "home", "home.arpa", "internal", "intranet", "invalid", "lan", "local"),
        *("localdomain", "localhost", "onion", "private", "test"),
    }
)
"""Domains below which there are only names of a machine or a network, or none (RFC 6761)."""


def is_public_name(host: str) -> bool:
    """Return whether a host, in lower case, has a name that the whole Internet can know.

    It is not if it is an address, or a name of one machine or network alone.
    """
    labels = host.split(".")
    ends = (labels[-1], ".".join(labels[-2:]))
    return bool(_NAME.fullmatch(host)) and not _LOCAL.intersection(ends)


class Destination(NamedTuple):
    """A destination of posts.

    Attributes:
        host: a name, in lower case.
        port: a TCP port.
        path: path and query, as in the request.
        tls: whether the connection is encrypted, to a server that has shown to have that name.
    """

    host: str
    port: int
    path: str
    tls: bool

    @property
    def authority(self) -> str:
        """The host, and the port if it is not the usual one, as in the request."""
        return self.host if self.port == HTTPS_PORT else f"{self.host}:{self.port}"


def parse_url(url: str, *, local: bool = False) -> Destination | None:
    """Return where a URL leads, or `None` if nothing may be posted there.

    It has to be one of https with a name, on the usual port, without a user or a password.

    Args:
        url: the URL.
        local: whether it may be of any host and port, and of http as well, for tests.
    """
    if len(url) > MAX_URL or not _TEXT.fullmatch(url):
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    host = parts.hostname or ""
    tls = parts.scheme == "https"
    if (
        "@" in parts.netloc
        or not host
        or "#" in url
        or not (tls or (local and parts.scheme == "http"))
    ):
        return None
    if not local and (not is_public_name(host) or port not in {None, HTTPS_PORT}):
        return None
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Destination(host, port or (HTTPS_PORT if tls else 80), path, tls)
