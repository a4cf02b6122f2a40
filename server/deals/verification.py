"""Verification of stored deals: seeds are opened, and certificates replayed."""

from __future__ import annotations

from collections import OrderedDict

from engine.catalog import daily_variant
from engine.deal import deal_seed
from engine.ruleset import Ruleset
from server.base.core import days
from server.base.core.ids import DealId
from server.base.core.refusal import UnreadableError
from server.base.journals.findings import Findings
from server.base.journals.reader import rules_of
from server.deals.core.certificate import proves
from server.deals.pool_store import PoolStore
from server.deals.store import Deal, DealStore

MAX_DEALS = 1_000
"""Maximum cached deals; a daily's deal serves all its attempts."""


class DealChecks:
    """Checks of deals, dailies and pools."""

    def __init__(self, deals: DealStore, pools: PoolStore) -> None:
        self._store = deals
        self._pools = pools
        self._deals: OrderedDict[DealId, Deal | None] = OrderedDict()

    async def deal_of(self, deal: DealId, found: Findings) -> Deal | None:
        """Return a deal, or `None` if it is missing or unreadable, which is reported once."""
        if deal in self._deals:
            self._deals.move_to_end(deal)
            return self._deals[deal]
        read = None
        try:
            read = await self._store.read(deal)
        except UnreadableError as error:
            found.note(f"Deals that cannot be opened ({error.code.name})", deal)
        self._deals[deal] = read
        if len(self._deals) > MAX_DEALS:
            self._deals.popitem(last=False)
        return read

    async def deal(self, name: str, found: Findings) -> None:
        """Open a deal, and replay the line of its certificate."""
        deal = await self.deal_of(DealId(name), found)
        if deal is not None and deal.certificate is not None:
            said = deal.certificate
            rules = _known_rules(deal.game, deal.variant, deal.rules)
            if deal.line is None:
                found.note("Certified deals without a line that can be opened", name)
            elif rules is not None:
                board = deal_seed(rules, deal.seed)
                if not proves(board, deal.line, said.par, winnable=said.winnable):
                    found.note("Deals with a line that does not prove what is said of them", name)

    async def daily(self, name: str, found: Findings) -> None:
        """Open a daily's deal."""
        game, _, day = name.rpartition(":")
        ids = await self._store.daily_ids([days.DailyId(game, int(day))])
        for deal in ids.values():
            if await self.deal_of(deal, found) is None:
                found.note("Dailies without a deal that can be opened", name)

    async def pool(self, name: str, found: Findings) -> None:
        """Open the deals of a game's pool, and replay their lines."""
        deals, closed = await self._pools.read(name)
        for deal_id in closed:
            found.note("Deals of pools that cannot be opened", deal_id)
        for deal in deals:
            rules = _known_rules(name, daily_variant(name), deal.rules)
            if rules is not None and not proves(
                deal_seed(rules, deal.seed), deal.line, deal.par, winnable=deal.winnable
            ):
                found.note("Deals with a line that does not prove what is said of them", deal.id)


def _known_rules(game: str, variant: str, digest: str) -> Ruleset | None:
    """Return a deal's rules, if this release knows them."""
    try:
        return rules_of(game, variant, digest)
    except UnreadableError:
        return None
