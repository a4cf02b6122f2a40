"""The handlers of all wings, and the command handling of a node's sessions."""

from __future__ import annotations

from collections.abc import Awaitable

from server.base.net.load import Load
from server.base.wire.answerer import Handlers
from server.base.wire.messages import Command, Event
from server.base.wire.session import Session
from server.play.handlers import Moves
from server.protocol import MISSES, decoder
from server.request import Handler, NodeRequest, handlers_in
from server.rooms.handlers import is_seated
from server.wings import WINGS, Services

HANDLERS: dict[type[Command], Handler] = {
    command: handler
    for wing in WINGS
    for module in wing.handlers
    for command, handler in handlers_in(module)
}
"""The handler of every command, by command type."""


def handlers_of(services: Services, load: Load) -> Handlers:
    """Return the command handling of a node's sessions."""

    def carry_out(command: Command, session: Session) -> Awaitable[Event]:
        return HANDLERS[type(command)](NodeRequest(command, session, services, load))

    moves = Moves(services.attempts, services.quotas, services.clock)
    return Handlers(
        carry_out,
        lambda player, command: is_seated(services.live, player, command),
        decoder(services.disabled).decode,
        moves.play,
        moves.answer,
        misses=MISSES,
    )
