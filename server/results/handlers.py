"""Handlers of the commands in `server.results.messages`."""

from __future__ import annotations

import asyncio

from server.base.core.days import DailyId
from server.base.wire.session_messages import Done
from server.results import present as results_present
from server.results.core import boards
from server.results.messages import Leaderboard, UnwatchLeaderboard, WatchLeaderboard
from server.results.services import Request


async def watch(request: Request[WatchLeaderboard]) -> Leaderboard:
    """Return a leaderboard, and subscribe the session to it in place of any other."""
    command, leaderboards = request.command, request.services.leaderboards
    group = command.group or "ranked"
    board = leaderboards.resolve(
        command.scope, command.game, command.day, group, variant=command.variant
    )
    circle = leaderboards.circle(request.player)
    if command.group is None and command.scope in boards.PERIODIC:
        board, met = await asyncio.gather(leaderboards.own(board, request.player), circle)
    else:
        met = await circle
    # Look it up before subscribing: an await after that could let an update precede the reply.
    of_deal = board.scope == "day" and board.game != boards.ALL_GAMES
    daily_id = DailyId(board.game, board.period)
    deal = await request.services.closed_deals.closed_of(daily_id) if of_deal else None
    page = await request.services.leaderboard_feeds.watch(request.session, board, met)
    return results_present.leaderboard(page, deal)


async def unwatch(request: Request[UnwatchLeaderboard]) -> Done:
    """End the session's subscription to a leaderboard."""
    request.services.leaderboard_feeds.unsubscribe(request.session)
    return Done()
