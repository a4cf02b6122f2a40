"""The hosts that requests may be for, and the origins whose pages may open WebSockets.

A browser says in Host which name it asked for, and no page can change that. So a page whose own
name was made to lead here (DNS rebinding) is refused by that name. Addresses cannot be rebound.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from server.base.net.addresses import Proxies

HOST: Final = re.compile(
    r"([a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::([0-9]{1,5}))?", re.IGNORECASE
)
"""A host name or address and an optional port, without characters that are special in HTML."""

_ROOT: Final = re.compile(r"(?:/[a-z0-9_~-][a-z0-9._~-]*)*", re.IGNORECASE)
"""A path that the site may lie below, without a slash at the end. No segment begins with a dot."""

_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}


class Origins:
    """The hosts and origins of the page, and those that the operator adds.

    Requests for other hosts are refused. Without a public URL, those for IP addresses, `localhost`
    and the names of this machine are answered, so that a server needs no settings at home.

    Args:
        public_url: the URL of the page, maybe with a path that all of it lies below; `None` to use
            the Host header of each request.
        hosts: further names of this server, without ports.
        more: further origins whose pages may open WebSockets.
        proxies: the proxies whose `X-Forwarded-Proto` is believed.

    Attributes:
        root: the path of the public URL, as `/games/samedeal`; empty if there is none.

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
        self._machine = {"localhost", own, f"{own}.local"}
        self._public = self._public_name = None
        self.root = ""
        if public_url is not None:
            self._public, self.root = parse_public_url(public_url)
            self._public_name = name_of(urlsplit(self._public).netloc)
        else:
            self._names |= self._machine

    def serves(self, host: str) -> bool:
        """Return whether requests with this Host header are answered; the port does not matter."""
        name = name_of(host)
        if name is None:
            return False
        # A dot at the end says that a name is whole, and changes nothing else.
        name = name.removesuffix(".")
        if name in self._names or name == self._public_name:
            return True
        return self._public is None and _is_address(name)

    def serves_operator(self, host: str) -> bool:
        """Return whether the operator's programs are answered, which ask by this Host header.

        Beside what `serves` allows, they may ask by an address, by the name of this machine, or by
        a name without a dot, as a service of Compose has: nobody can have such a name lead here.
        """
        name = name_of(host)
        return name is not None and (
            self.serves(host) or name in self._machine or "." not in name or _is_address(name)
        )

    def origin(self, headers: Mapping[str, str], peer: str) -> str | None:
        """Return the origin of the page that a request is for.

        Args:
            headers: of the request.
            peer: the address of the connection.

        Returns:
            That of the public URL if there is one, or else what Host says; `None` if that is
            invalid.
        """
        return self._public or self._asked(headers, peer)

    def site(self, headers: Mapping[str, str], peer: str) -> str | None:
        """Return what the URLs of the page begin with: `origin`, and below it the root."""
        origin = self.origin(headers, peer)
        return None if origin is None else origin + self.root

    def below_root(self, path: str) -> str:
        """Return a path without the root, which a proxy may have taken away already."""
        return path.removeprefix(self.root) if path.startswith(f"{self.root}/") else path

    def is_by_tls(self, headers: Mapping[str, str], peer: str) -> bool:
        """Return whether the origin of the page that a request is for is an https one."""
        if self._public is None and not self._proxies.trusts(peer):
            return False
        return (self.origin(headers, peer) or "").startswith("https:")

    def admits(self, headers: Mapping[str, str], peer: str) -> bool:
        """Return whether a WebSocket may be opened, by scheme, host and port of Origin.

        Without that header it may: browsers always send it, so there is no page whose requests a
        player knows nothing of, but a program, which could send any.

        Args:
            headers: of the handshake.
            peer: the address of the connection.
        """
        origin = headers.get("Origin")
        if origin is None or origin in self._more:
            return True
        asked = self._asked(headers, peer)
        if self._public is not None and name_of(headers.get("Host", "")) == self._public_name:
            asked = self._public
        return origin == asked

    def _asked(self, headers: Mapping[str, str], peer: str) -> str | None:
        """Return the origin that a request was sent to, or `None` if its Host is invalid."""
        host = HOST.fullmatch(headers.get("Host", ""))
        if host is None:
            return None
        forwarded = headers.get("X-Forwarded-Proto", "") if self._proxies.trusts(peer) else ""
        return _origin("https" if forwarded.lower() == "https" else "http", host)


def parse_public_url(url: str) -> tuple[str, str]:
    """Return the origin, and the root below it, of a public URL that the operator has set.

    Raises:
        ValueError: it is not an http or https URL of a host, or has a query or a fragment, or its
            path has other characters than letters, digits and `-_.~`.
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
            "https://example.org/games/samedeal, and no part of it is empty or begins with a dot"
        )
    return _origin(scheme, host), root


def name_of(host: str) -> str | None:
    """Return the name or address in a Host header, in lower case; `None` if it is invalid."""
    found = HOST.fullmatch(host)
    return None if found is None else found[1].lower()


def _origin(scheme: str, host: re.Match[str]) -> str:
    """Return an origin as browsers write it: in lower case, without the scheme's own port."""
    name, port = host.groups()
    shown = "" if port is None or port == _DEFAULT_PORTS[scheme] else f":{port}"
    return f"{scheme}://{name.lower()}{shown}"


def _is_address(name: str) -> bool:
    """Return whether the name in a Host header is an IP address."""
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _checked_name(host: str) -> str:
    """Return a name that the operator has set, in lower case.

    Raises:
        ValueError: it is not a name or address without a port.
    """
    found = HOST.fullmatch(host)
    if found is None or found[2] is not None:
        raise ValueError(f"{host!r} is not a host such as play.example.org")
    return found[1].lower()


def _checked_origin(origin: str) -> str:
    """Return an origin that the operator has set.

    Raises:
        ValueError: it is not a scheme and a host.
    """
    scheme, netloc, *rest = urlsplit(origin)
    if not scheme or not netloc or any(rest):
        raise ValueError(f"{origin!r} is not an origin such as https://example.org")
    return origin
