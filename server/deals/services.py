"""The services of deals."""

from __future__ import annotations

from server.deals.pool_store import PoolStore
from server.deals.sealing import seal_all
from server.deals.store import DealStore
from server.deals.verification import DealChecks
from server.foundation import Foundation, Setup


class DealServices(Foundation):
    """Deals, and pools of certified ones."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self.deal_store = DealStore(setup.database, setup.secret_keys)
        self.pool_store = PoolStore(setup.database, setup.secret_keys)
        self.deal_checks = DealChecks(self.deal_store, self.pool_store)
        self.checks["deal"] = self.deal_checks.deal
        self.checks["daily"] = self.deal_checks.daily
        self.checks["pool"] = self.deal_checks.pool
        self.lasting |= {"deal": False, "daily": False}

    async def seal_all(self) -> tuple[int, int]:
        """Seal all seeds with the current secret key. See `server.deals.sealing`."""
        return await seal_all(self.deal_store, self.pool_store, self.scan_store)
