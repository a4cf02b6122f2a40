"""The handlers of all wings, and the command handling of a node's sessions."""

from __future__ import annotations

from collections.abc import Awaitable

from server.accounts import handlers as accounts
from server.base.net.load import Load
from server.base.wire.answerer import Handlers
from server.base.wire.messages import Command, Event
from server.base.wire.session import Session
from server.challenges import handlers as challenges
from server.circles import handlers as circles
from server.dailies import handlers as dailies
from server.front import Front
from server.lobby import handlers as lobby
from server.moderation import handlers as moderation
from server.moderation import operator_handlers as operators
from server.notifications import handlers as notifications
from server.play import handlers as attempts
from server.players import handlers as session_handlers
from server.protocol import decode, decode_of_players
from server.request import HandlerTable, Request
from server.results import handlers as leaderboards
from server.rooms import handlers as rooms
from server.runs import deal_handlers as deals
from server.runs import handlers as runs
from server.watching import handlers as watching
from server.wings import Services

HANDLERS: HandlerTable = {
    **session_handlers.HANDLERS,
    **rooms.HANDLERS,
    **lobby.HANDLERS,
    **attempts.HANDLERS,
    **deals.HANDLERS,
    **dailies.HANDLERS,
    **leaderboards.HANDLERS,
    **runs.HANDLERS,
    **watching.HANDLERS,
    **accounts.HANDLERS,
    **notifications.HANDLERS,
    **moderation.HANDLERS,
    **operators.HANDLERS,
    **challenges.HANDLERS,
    **circles.HANDLERS,
}
"""The handler of every command, by command type."""


def handlers_of(services: Services, front: Front, load: Load) -> Handlers:
    """Return the command handling of a node's sessions."""

    def carry_out(command: Command, session: Session) -> Awaitable[Event]:
        return HANDLERS[type(command)](Request(command, session, services, front, load))

    moves = attempts.Moves(services.attempts, services.quotas, services.clock)
    return Handlers(
        carry_out,
        lambda player, command: rooms.is_seated(services.live, player, command),
        decode_of_players if services.operator_list is None else decode,
        moves.play,
        moves.answer,
    )
