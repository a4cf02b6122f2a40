"""Handlers of the commands in `server.gateway.messages.attempts`.

A move has none: the session gives it to `server.gateway.handlers.Handlers.play`.
"""

from __future__ import annotations

from server.core.ids import AttemptId
from server.core.refusal import Refusal
from server.gateway import codec, present
from server.gateway.handlers.request import HandlerTable, Request
from server.gateway.messages.attempts import Attempt, Ended, Missed, OpenAttempt, Resign
from server.gateway.messages.shared import Command
from server.service.answers import Over, Snapshot
from server.service.resume import find_missed


async def open_attempt(request: Request[OpenAttempt]) -> Attempt | Missed:
    """Return the snapshot, or what the client has missed if that is known and takes fewer bytes."""
    attempts, have = request.services.attempts, request.command.have
    snapshot = await request.services.rooms.open_attempt(
        AttemptId(request.command.attempt), request.player
    )
    missed = None
    if have is not None:
        missed = await find_missed(attempts, snapshot, have.seq, have.digest)
    whole = show(request, snapshot, take=request.command.take)
    if missed is None:
        return whole
    part = present.missed(missed, whole.number, whole.now)
    return part if len(codec.encode(part)) < len(codec.encode(whole)) else whole


async def resign(request: Request[Resign]) -> Ended | Attempt:
    """End the attempt; return its snapshot instead if `seq` is not its next entry."""
    command = request.command
    attempt = request.session.shown.attempt_of(command.number)
    if attempt is None:
        raise Refusal("unknown_attempt")
    found = await request.services.attempts.resign(attempt, request.player, command.seq)
    if isinstance(found, Over):
        return present.ended(found.after, command.number)
    return present.attempt(found, command.number, request.now())


def show(request: Request[Command], snapshot: Snapshot, *, take: bool) -> Attempt:
    """Return a snapshot under its number in the session, and note that the session shows it.

    Args:
        request: the command that is answered by it.
        snapshot: the attempt.
        take: whether the session plays it from now on; else it follows the one that does.
    """
    number = request.session.shown.show(snapshot.attempt, snapshot.start.room)
    if snapshot.result.end is None:
        following = request.hub.following
        (following.take if take else following.open)(request.session, snapshot.attempt)
    return present.attempt(snapshot, number, request.now())


HANDLERS: HandlerTable = {OpenAttempt: open_attempt, Resign: resign}
