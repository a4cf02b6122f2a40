"""Destinations: URLs that may be posted to, in parsed form."""

from __future__ import annotations

import re
from typing import Final, NamedTuple
from urllib.parse import urlsplit

MAX_URL: Final = 1_000  # maximum characters of a URL for posts
HTTPS_PORT: Final = 443

# Neither spaces nor control characters, which could end a line of the request.
_TEXT: Final = re.compile(r"[\x21-\x7e]+")

# A name of the form used on the Internet: with a dot, and not an address.
_NAME: Final = re.compile(
    r"(?=.{1,253}\Z)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]"
)

# Domains reserved for names of a machine or a network, or for no names at all (RFC 6761).
_LOCAL: Final = frozenset(
    {
        *("alt", "corp", "home", "home.arpa", "internal", "intranet", "invalid", "lan", "local"),
        *("localdomain", "localhost", "onion", "private", "test"),
    }
)


def is_public_name(host: str) -> bool:
    """Return whether a host, in lower case, is a name that can be public, not an address."""
    labels = host.split(".")
    ends = (labels[-1], ".".join(labels[-2:]))
    return bool(_NAME.fullmatch(host)) and not _LOCAL.intersection(ends)


class Destination(NamedTuple):
    """A destination of posts."""

    host: str  # a name, in lower case
    port: int
    path: str  # path and query, as in the request
    tls: bool  # whether the connection is encrypted, and the server's name verified

    @property
    def authority(self) -> str:
        """The host, with the port unless it is the default, as in the request."""
        return self.host if self.port == HTTPS_PORT else f"{self.host}:{self.port}"


def parse_url(url: str, *, local: bool = False) -> Destination | None:
    """Parse a URL, or return `None` if posting there is not allowed.

    It must be an https URL with a public name, the default port, and neither user nor password.
    With `local`, for tests, any host and port are allowed, and http too.
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
