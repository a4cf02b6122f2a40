"""Handlers of the commands in `server.moderation.messages`."""

from __future__ import annotations

from server.base.core.ids import AttemptId, PlayerId, split_attempt_id
from server.base.wire.session_messages import Done
from server.moderation.core import charges
from server.moderation.messages import Report
from server.moderation.services import Request


async def report(request: Request[Report]) -> Done:
    """Report a player or a run; the player's and the address's rates are limited."""
    command, add = request.command, request.services.reports.add
    parts = split_attempt_id(AttemptId(command.about))
    with request.session.payer.report():
        async with request.paying("any", charges.REPORT):
            if parts is None:
                await add(request.player, command.reason, PlayerId(command.about))
            else:
                attempt = AttemptId(command.about)
                await add(request.player, command.reason, parts[1], attempt)
    return Done()
