"""Handlers of the commands in `server.dailies.messages`."""

from __future__ import annotations

from server.dailies import present as dailies_present
from server.dailies.messages import Dailies, ListDailies, OpenDaily
from server.play.handlers import show
from server.play.messages import Attempt
from server.request import HandlerTable, Request


async def list_dailies(request: Request[ListDailies]) -> Dailies:
    """Return today's deals, with the player's results."""
    day, today = await request.services.dailies.today(request.player)
    return dailies_present.dailies(day, today, request.now())


async def open_daily(request: Request[OpenDaily]) -> Attempt:
    """Start the player's attempt at today's deal if there is room for it, or return to it."""
    game, address = request.command.game, request.session.address
    snapshot = await request.services.dailies.open(
        request.player, game, address, anew=request.load.has_room("daily")
    )
    return show(request, snapshot, take=True)


HANDLERS: HandlerTable = {ListDailies: list_dailies, OpenDaily: open_daily}
