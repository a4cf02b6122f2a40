"""Client addresses as keys for counting: an IPv4 address, or an IPv6 network.

The address is the connection's peer, or is taken from `X-Forwarded-For` if the peer is a proxy
trusted by the operator. Untrusted clients cannot choose it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.requests import Request

_CACHED = 4_096
"""Cached parsed addresses; parsing one takes 5 µs."""

_LONGEST = 100
"""Maximum characters of an address: 45, a zone, and surrounding spaces."""

WIDE_PREFIX = 48
"""Prefix length of the largest networks usually assigned to one customer."""


class Proxies:
    """The proxies whose `X-Forwarded-For` is trusted.

    Args:
        trusted: their addresses and networks.

    Raises:
        ValueError: an entry is neither an address nor a network.
    """

    def __init__(self, trusted: Iterable[str] = ()) -> None:
        self._networks = [ip_network(each) for each in trusted]

    def client(self, peer: str, forwarded: Iterable[str] = ()) -> str:
        """Return the key of a request's client; see `key_of`.

        Args:
            peer: the address of the connection.
            forwarded: the values of the X-Forwarded-For headers, in order.
        """
        if not self._networks:
            return _key_of_peer(peer)
        # Each proxy appends the address of its peer, so the last address that does not belong to a
        # trusted proxy is the client's. The client may have forged the ones before it.
        found = _read(peer)
        hops = [hop for value in forwarded for hop in value.split(",")]
        while hops and self._trusts(found):
            found = _read(hops.pop())
        return key_of(found)

    def client_of(self, request: Request) -> str:
        """Return the key of an HTTP request's client."""
        peer = request.client.host if request.client is not None else ""
        return self.client(peer, request.headers.getlist("X-Forwarded-For"))

    def trusts(self, peer: str) -> bool:
        """Return whether an address belongs to a trusted proxy."""
        return bool(self._networks) and self._trusts(_read(peer))

    def looks_forgotten(self, peer: str) -> bool:
        """Return whether the sender of a forwarded request may be an unlisted proxy.

        A proxy is usually on the same machine or in the same private network.
        """
        found = _read(peer)
        return found is not None and found.is_private and not self._trusts(found)

    def _trusts(self, found: IPv4Address | IPv6Address | None) -> bool:
        return found is not None and any(found in each for each in self._networks)


@lru_cache(_CACHED)
def key_of(found: IPv4Address | IPv6Address | None) -> str:
    """Return the key of one client: an IPv4 address, or the /64 of an IPv6 address.

    The owner of an IPv6 address controls all 2^64 addresses of its network. Invalid addresses count
    as one client.
    """
    match found:
        case None:
            return ""
        case IPv4Address():
            return str(found)
        case IPv6Address():
            return f"{IPv6Address(int(found) >> 64 << 64)}/64"


@lru_cache(_CACHED)
def _key_of_peer(peer: str) -> str:
    return key_of(_read(peer))


def wide_of(key: str) -> str | None:
    """Return the /48 that contains or equals the /64 of an IPv6 client; `None` for others."""
    if "/" not in key:
        return None
    found = IPv6Network(key)
    return str(found.supernet(new_prefix=WIDE_PREFIX) if found.prefixlen > WIDE_PREFIX else found)


def _read(text: str) -> IPv4Address | IPv6Address | None:
    """Parse an address, unmapping an IPv4 address from IPv6; return `None` if it is invalid."""
    return _parsed(text.strip()) if len(text) <= _LONGEST else None


@lru_cache(_CACHED)
def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(text)
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found
