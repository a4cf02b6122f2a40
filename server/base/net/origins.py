"""The hosts accepted in requests, and the origins whose pages may open WebSockets.

A browser states the requested name in Host, and pages cannot change it. A page whose own name was
made to resolve to this server (DNS rebinding) is therefore refused by its name. Addresses cannot be
rebound.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable, Mapping
from functools import lru_cache
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from server.base.net.addresses import Proxies

SOCKET_PATH: Final = "/socket"
"""The path of WebSockets, below the site's root."""

WRONG_HOST: Final = "This server does not serve this host. Its operator can add it (--hosts)."

HOST: Final = re.compile(
    r"([a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::([0-9]{1,5}))?", re.IGNORECASE
)
"""A host name or address and an optional port, without characters that are special in HTML."""

_ROOT: Final = re.compile(r"(?:/[a-z0-9_~-][a-z0-9._~-]*)*", re.IGNORECASE)
"""The path of a site's root, without a trailing slash. No segment starts with a dot."""

_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}


class Origins:
    """The hosts and origins of the page, and additional ones set by the operator.

    Requests for other hosts are refused. Without a public URL, requests for IP addresses,
    `localhost` and the names of this machine are accepted, so that a server at home needs no
    settings.

    Args:
        public_url: the URL of the page, optionally with a root path; `None` to use the Host header
            of each request.
        hosts: further names of this server, without ports.
        more: further origins whose pages may open WebSockets.
        proxies: the proxies whose `X-Forwarded-Proto` is trusted.

    Attributes:
        root: the path of the public URL, such as `/games/samedeal`; empty if there is none.

    Raises:
        ValueError: the public URL, a host or an origin is invalid.
    """

    def __init__(
        self,
        public_url: str | None = None,
        hosts: Iterable[str] = (),
        more: Iterable[str] = (),
        proxies: Proxies | None = None,
    ) -> None:
        self._proxies = proxies or Proxies()
        self._more = {_checked_origin(each) for each in more}
        self._names = {_checked_name(each) for each in hosts}
        own = socket.gethostname().lower()
        # `.local` is the machine's name in mDNS.
        self._machine = {"localhost", own, f"{own}.local"}
        self._public = self._public_name = None
        self.root = ""
        if public_url is not None:
            self._public, self.root = parse_public_url(public_url)
            self._public_name = name_of(urlsplit(self._public).netloc)
        else:
            self._names |= self._machine

    def serves(self, host: str) -> bool:
        """Return whether requests with this Host header are accepted; the port is ignored."""
        name = name_of(host)
        if name is None:
            return False
        # A trailing dot marks a name as fully qualified, and makes no other difference.
        name = name.removesuffix(".")
        if name in self._names or name == self._public_name:
            return True
        return self._public is None and _is_address(name)

    def serves_operator(self, host: str) -> bool:
        """Return whether the operator's programs may use this Host header.

        In addition to the hosts of `serves`, they may use an address, the name of this machine, or
        a name without a dot, such as a Compose service: attackers cannot make such a name resolve
        to this server.
        """
        name = name_of(host)
        return name is not None and (
            self.serves(host) or name in self._machine or "." not in name or _is_address(name)
        )

    def origin(self, headers: Mapping[str, str], peer: str) -> str | None:
        """Return the origin of the requested page.

        Args:
            headers: of the request, by name in lower case or ignoring case.
            peer: the address of the connection.

        Returns:
            The public URL's origin if there is one, else the origin according to Host; `None` if
            that is invalid.
        """
        return self._public or self._requested_origin(headers, peer)

    def site(self, headers: Mapping[str, str], peer: str) -> str | None:
        """Return the base of the page's URLs: the origin and the root."""
        origin = self.origin(headers, peer)
        return None if origin is None else origin + self.root

    def below_root(self, path: str) -> str:
        """Return a path without the root, which a proxy may have removed already."""
        return path.removeprefix(self.root) if path.startswith(f"{self.root}/") else path

    def uses_tls(self, headers: Mapping[str, str], peer: str) -> bool:
        """Return whether the origin of the requested page uses https."""
        if self._public is None and not self._proxies.trusts(peer):
            return False
        return (self.origin(headers, peer) or "").startswith("https:")

    def admits(self, headers: Mapping[str, str], peer: str) -> bool:
        """Return whether a WebSocket may be opened, by scheme, host and port of Origin.

        Args:
            headers: of the handshake.
            peer: the address of the connection.
        """
        origin = headers.get("origin")
        # Browsers always send Origin. A request without it comes from a program, not from a page
        # that acts without the player's knowledge, and programs can send any Origin.
        if origin is None or origin in self._more:
            return True
        asked = self._requested_origin(headers, peer)
        # The public URL's scheme and port apply, whatever the proxy forwards.
        if self._public is not None and name_of(headers.get("host", "")) == self._public_name:
            asked = self._public
        return origin == asked

    def _requested_origin(self, headers: Mapping[str, str], peer: str) -> str | None:
        """Return the origin to which a request was sent, or `None` if its Host is invalid."""
        host = HOST.fullmatch(headers.get("host", ""))
        if host is None:
            return None
        forwarded = headers.get("x-forwarded-proto", "") if self._proxies.trusts(peer) else ""
        return _origin("https" if forwarded.lower() == "https" else "http", host)


def parse_public_url(url: str) -> tuple[str, str]:
    """Return the origin and the root path of a public URL set by the operator.

    Raises:
        ValueError: it is not an http or https URL of a host, it has a query or a fragment, or its
            path has characters other than letters, digits and `-_.~`.
    """
    if "?" in url or "#" in url:
        raise ValueError(f"{url!r}: a public URL has no query and no fragment")
    scheme, netloc, path, *_ = urlsplit(url)
    host = HOST.fullmatch(netloc)
    if scheme not in _DEFAULT_PORTS or host is None:
        raise ValueError(f"{url!r} is not a public URL such as https://play.example.org")
    root = path.removesuffix("/")
    if not _ROOT.fullmatch(root):
        raise ValueError(
            f"{url!r}: the path of a public URL is made of letters, digits and -_.~, as in "
            "https://example.org/games/samedeal, and no part of it is empty or starts with a dot"
        )
    return _origin(scheme, host), root


def name_of(host: str) -> str | None:
    """Return the name or address in a Host header, in lower case; `None` if it is invalid."""
    found = HOST.fullmatch(host)
    return None if found is None else found[1].lower()


def _origin(scheme: str, host: re.Match[str]) -> str:
    """Return an origin as browsers write it: in lower case, without the scheme's default port."""
    name, port = host.groups()
    shown = "" if port is None or port == _DEFAULT_PORTS[scheme] else f":{port}"
    return f"{scheme}://{name.lower()}{shown}"


@lru_cache(256)
def _is_address(name: str) -> bool:
    """Return whether the name in a Host header is an IP address."""
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _checked_name(host: str) -> str:
    """Return a name set by the operator, in lower case.

    Raises:
        ValueError: it is not a name or address without a port.
    """
    found = HOST.fullmatch(host)
    if found is None or found[2] is not None:
        raise ValueError(f"{host!r} is not a host such as play.example.org")
    return found[1].lower()


def _checked_origin(origin: str) -> str:
    """Return an origin set by the operator.

    Raises:
        ValueError: it is not a scheme and a host.
    """
    scheme, netloc, *rest = urlsplit(origin)
    if not scheme or not netloc or any(rest):
        raise ValueError(f"{origin!r} is not an origin such as https://example.org")
    return origin
