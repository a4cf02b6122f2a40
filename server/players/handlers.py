"""Handlers of the commands in `server.base.wire.session_messages`."""

from __future__ import annotations

from server.base.core.refusal import BaseRefusals, Refusal
from server.base.wire.session_messages import VERSIONS, Done, Hello, Ping, Pong, Rename, Welcome
from server.players import present as players_present
from server.players.core import charges
from server.players.services import Request


async def hello(request: Request[Hello]) -> Welcome:
    """Identify the player, who may have other sessions on any node."""
    command = request.command
    if command.version not in VERSIONS:
        oldest, newest = VERSIONS[0], VERSIONS[-1]
        raise Refusal(
            BaseRefusals.bad_version, f"This server supports versions {oldest} to {newest}."
        )
    if command.token is not None:
        return await _entered(request)
    # A failed hello does not count as a new guest, which would delay others at the address.
    with request.session.payer.new_guest():
        async with request.paying("any", charges.GUEST):
            return await _entered(request)


async def _entered(request: Request[Hello]) -> Welcome:
    command, services, session = request.command, request.services, request.session
    claim = await services.identity.claim(command.token, command.name)
    recorded = await services.hub.add_session(session, claim.player, claim.epoch, claim.name)
    found = await services.identity.identify(claim, recorded)
    player = players_present.player(found.profile)
    return Welcome(player, found.token, request.now(), session.id)


async def rename(request: Request[Rename]) -> Done:
    """Change the player's name, and show it in the session's room."""
    services, session = request.services, request.session
    async with request.paying("any", charges.RECORD):
        profile = await services.identity.rename(request.player, request.command.name)
    services.hub.renamed.emit(session, profile)
    return Done()


async def ping(request: Request[Ping]) -> Pong:
    """Return the server's time."""
    return Pong(now=request.now())
