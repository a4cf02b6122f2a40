"""Rate limits of clients without a session, by their addresses."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
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
            address: as `Proxies.client` returns it.
            cost: at most `BURST`.
        """
        bucket = self._buckets.get(address)
        if bucket is None:
            bucket = self._buckets[address] = Bucket(RATE, BURST, self._clock)
            if len(self._buckets) > MAX_KNOWN:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(address)
        return 0.0 if bucket.take(cost) else bucket.wait(cost)
