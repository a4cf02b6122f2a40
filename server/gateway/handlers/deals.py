"""Handlers of the commands in `server.gateway.messages.deals`."""

from __future__ import annotations

from server.core.ids import DealId
from server.gateway.handlers.request import HandlerTable, Request
from server.gateway.messages.deals import Deal, ShowDeal


async def show_deal(request: Request[ShowDeal]) -> Deal:
    """Return a deal, with its seed only once the deal is closed."""
    deal, seed = await request.services.deals.show(DealId(request.command.deal))
    return Deal(
        deal=deal.id,
        game=deal.game,
        variant=deal.variant,
        commitment=deal.commitment,
        seed=seed.hex() if seed is not None else None,
        rules=deal.rules,
    )


HANDLERS: HandlerTable = {ShowDeal: show_deal}
