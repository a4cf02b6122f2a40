"""Handlers of the commands in `server.runs.deal_messages`."""

from __future__ import annotations

from server.base.core.ids import DealId
from server.runs.deal_messages import Deal, ShowDeal
from server.runs.services import Request


async def show_deal(request: Request[ShowDeal]) -> Deal:
    """Return a deal, with its seed only if the deal is closed."""
    deal, seed = await request.services.closed_deals.load(
        DealId(request.command.deal), request.player
    )
    return Deal(
        deal=deal.id,
        game=deal.game,
        variant=deal.variant,
        commitment=deal.commitment,
        seed=seed.hex() if seed is not None else None,
        rules=deal.rules,
    )
