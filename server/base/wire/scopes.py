"""Scopes of a client's quotas: its address, and the /48 around it in IPv6."""

from __future__ import annotations

from functools import lru_cache

from server.base.net.addresses import wide_of
from server.base.quotas.quotas import Scope


@lru_cache(maxsize=1_000)
def scopes_of(address: str) -> tuple[Scope, ...]:
    """Return where a client is whose address is this, as `Proxies.client` returns it."""
    around = wide_of(address)
    if around is None or around == address:
        return (Scope(address),)
    return Scope(address), Scope(around, wide=True)
