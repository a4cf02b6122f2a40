"""Handlers of the commands in `server.gateway.messages.leaderboards`."""

from __future__ import annotations

from server.gateway import present
from server.gateway.handlers.request import HandlerTable, Request
from server.gateway.messages.leaderboards import (
    Leaderboard,
    UnwatchLeaderboard,
    WatchLeaderboard,
)
from server.gateway.messages.session import Done


async def watch(request: Request[WatchLeaderboard]) -> Leaderboard:
    """Return a leaderboard, and subscribe the session to it in place of any other."""
    command, leaderboards = request.command, request.services.leaderboards
    today = leaderboards.today(command.game)
    wanted = today if command.day is None else today._replace(day=command.day)
    board = leaderboards.of_daily(wanted, await leaderboards.group_of(request.player))
    # Before the subscription, since nothing may come between that and the answer.
    deal = await request.services.deals.closed_of(wanted)
    return present.leaderboard(await request.hub.watch(request.session, board), deal)


async def unwatch(request: Request[UnwatchLeaderboard]) -> Done:
    """End the session's subscription to a leaderboard."""
    request.hub.leaderboards.unwatch(request.session)
    return Done()


HANDLERS: HandlerTable = {WatchLeaderboard: watch, UnwatchLeaderboard: unwatch}
