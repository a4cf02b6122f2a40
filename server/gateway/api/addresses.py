"""Rate limits of clients without a session, by their addresses."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from typing import Final

from server.gateway.limits import Bucket

RATE: Final = 10.0
"""What a client's requests may cost per second on average."""

BURST: Final = 200.0
"""What they may cost at once."""

MAX_KNOWN: Final = 10_000
"""Addresses with a bucket, about 300 bytes each; the one that was used longest ago goes first.

So a client with more addresses than that escapes its own limit, but not that of what a node does
at once (`server.gateway.api.cache.MAX_IN_FLIGHT`).
"""


class Addresses:
    """A token bucket for each address.

    Args:
        clock: returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def wait(self, address: str, cost: float) -> float:
        """Charge a client; return 0, or the seconds to wait if it cannot pay, and is not charged.

        Args:
            address: as the connection or a trusted proxy says.
            cost: at most `BURST`.
        """
        key = network_of(address)
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = Bucket(RATE, BURST, self._clock)
            if len(self._buckets) > MAX_KNOWN:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(key)
        return 0.0 if bucket.take(cost) else bucket.wait(cost)


def network_of(address: str) -> str:
    """Return what counts as one client: an IPv4 address, or the /64 of an IPv6 one.

    Whoever has an IPv6 address has the 2^64 of its network. What is no address counts as one
    client, whatever it is.
    """
    try:
        found = ip_address(address)
    except ValueError:
        return ""
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is None:
            return str(IPv6Address(int(found) >> 64 << 64))
        found = found.ipv4_mapped
    return str(found)
