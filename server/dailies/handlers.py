"""Handlers of the commands in `server.dailies.messages`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from engine.ruleset import Ruleset
from server.base.core import costs
from server.base.core.ids import AttemptId
from server.dailies import present as dailies_present
from server.dailies.messages import Dailies, ListDailies, OpenDaily
from server.dailies.services import Request
from server.play.handlers import pay_for_reading, show
from server.play.messages import Attempt


async def list_dailies(request: Request[ListDailies]) -> Dailies:
    """Return today's deals, with the player's results."""

    async def reading(attempts: Sequence[AttemptId]) -> None:
        request.pay(costs.STARTED * len(attempts))
        await pay_for_reading(request, attempts)

    day, today = await request.services.dailies.today(request.player, reading)
    crowns = request.services.daily_list.crowns(day)
    return dailies_present.dailies(day, today, crowns, request.now())


async def open_daily(request: Request[OpenDaily]) -> Attempt:
    """Start the player's attempt at today's deal if there is room for it, or return to it."""
    game, address = request.command.game, request.session.address

    def starting(rules: Ruleset) -> None:
        # Such a run is replayed for the day's curves when it has ended.
        if rules.automatic:
            request.pay(costs.SEARCH)

    snapshot = await request.services.dailies.open(
        request.player,
        game,
        address,
        anew=request.load.has_room("daily"),
        reading=partial(pay_for_reading, request),
        starting=starting,
    )
    return show(request, snapshot, take=True)
