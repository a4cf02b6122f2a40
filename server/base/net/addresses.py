"""Where clients are, as a key by which they are counted: an IPv4 address, or an IPv6 network.

The address is that of the connection, or the one in `X-Forwarded-For` if the connection is that of
a proxy which the operator trusts. Whoever is not trusted cannot choose it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.requests import Request

_CACHED = 4_096
"""Addresses that are not parsed again, which takes 5 µs each."""

_LONGEST = 100
"""Characters of the longest text that may be an address: 45, a zone, and spaces around."""

WIDE_PREFIX = 48
"""The length of the prefix of the largest networks that a customer is given usually."""


class Proxies:
    """The proxies whose `X-Forwarded-For` is believed.

    Args:
        trusted: their addresses and networks.

    Raises:
        ValueError: one of them is neither an address nor a network.
    """

    def __init__(self, trusted: Iterable[str] = ()) -> None:
        self._networks = [ip_network(each) for each in trusted]

    def client(self, peer: str, forwarded: Iterable[str] = ()) -> str:
        """Return the key of the client that a request is from; see `key_of`.

        Each proxy appends the address that it was asked from. So these are read from the end, and
        the first one that is no trusted proxy's is the client's; what is before it, the client may
        have written.

        Args:
            peer: the address of the connection.
            forwarded: the values of the X-Forwarded-For headers, in their order.
        """
        found = _read(peer)
        if self._networks:
            hops = [hop for value in forwarded for hop in value.split(",")]
            while hops and self._trusts(found):
                found = _read(hops.pop())
        return key_of(found)

    def client_of(self, request: Request) -> str:
        """Return the key of the client that sent an HTTP request."""
        peer = request.client.host if request.client is not None else ""
        return self.client(peer, request.headers.getlist("X-Forwarded-For"))

    def trusts(self, peer: str) -> bool:
        """Return whether an address is a trusted proxy's."""
        return bool(self._networks) and self._trusts(_read(peer))

    def looks_forgotten(self, peer: str) -> bool:
        """Return whether the sender of a forwarded request may be a proxy that should be trusted.

        A proxy is mostly on the same machine or in the same private network.
        """
        found = _read(peer)
        return found is not None and found.is_private and not self._trusts(found)

    def _trusts(self, found: IPv4Address | IPv6Address | None) -> bool:
        return found is not None and any(found in each for each in self._networks)


@lru_cache(_CACHED)
def key_of(found: IPv4Address | IPv6Address | None) -> str:
    """Return what counts as one client: an IPv4 address, or the /64 of an IPv6 one.

    Whoever has an IPv6 address has the 2^64 of its network. What is no address counts as one
    client, whatever it is.
    """
    match found:
        case None:
            return ""
        case IPv4Address():
            return str(found)
        case IPv6Address():
            return f"{IPv6Address(int(found) >> 64 << 64)}/64"


def wide_of(key: str) -> str | None:
    """Return the key of the /48 that the /64 of an IPv6 client is in, or is; `None` for others."""
    if "/" not in key:
        return None
    found = IPv6Network(key)
    return str(found.supernet(new_prefix=WIDE_PREFIX) if found.prefixlen > WIDE_PREFIX else found)


def _read(text: str) -> IPv4Address | IPv6Address | None:
    """Return an address, with an IPv4 one that is mapped into IPv6 as itself; `None` if invalid."""
    return _parsed(text.strip()) if len(text) <= _LONGEST else None


@lru_cache(_CACHED)
def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(text)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found
