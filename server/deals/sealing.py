"""Resealing the seed and line of every stored deal with the current secret key."""

from __future__ import annotations

from server.base.core import keys
from server.base.core.ids import DealId
from server.base.redis.scans import ScanStore
from server.deals.pool_store import PoolStore
from server.deals.store import DealStore


async def seal_all(deals: DealStore, pools: PoolStore, scans: ScanStore) -> tuple[int, int]:
    """Reseal every seed and line, of deals and pools, with the current secret key.

    This takes a scan of all keys, and one or two round trips per deal. Return the number of deals,
    including pooled ones, and how many of them were plain or sealed with another key.

    Raises:
        UnreadableError: a seed cannot be opened, or a newer release drew the deal.
        UnavailableError: the store does not answer; the remaining deals are not sealed.
    """
    count = changed = 0
    async for batch in scans.all_keys():
        for key in batch:
            kind, name = keys.kind_of(key)
            if kind == "deal":
                count += 1
                changed += await deals.seal(DealId(name))
            elif kind == "pool":
                pooled, resealed = await pools.seal(name)
                count, changed = count + pooled, changed + resealed
    return count, changed
