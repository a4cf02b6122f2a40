"""Scopes of a client's quotas: its address and, in IPv6, the surrounding /48."""

from __future__ import annotations

from functools import lru_cache

from server.base.net.addresses import wide_of
from server.base.quotas.quotas import Scope


@lru_cache(maxsize=1_000)
def scopes_of(address: str) -> tuple[Scope, ...]:
    """Return the scopes of an address, as returned by `Proxies.client`."""
    around = wide_of(address)
    if around is None or around == address:
        return (Scope(address),)
    return Scope(address), Scope(around, wide=True)
