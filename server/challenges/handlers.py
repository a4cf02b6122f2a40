"""Handlers of the commands in `server.challenges.messages`."""

from __future__ import annotations

from collections.abc import Callable

from server.base.core.ids import AttemptId, ChallengeId, PlayerId
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.wire.messages import Command
from server.base.wire.session_messages import Done
from server.challenges import present
from server.challenges.challenges import MAX_NOTIFIED, Page
from server.challenges.core import charges
from server.challenges.core.events import Terms
from server.challenges.core.table import TOP
from server.challenges.messages import (
    BlockChallenger,
    Blocked,
    Challenge,
    ChallengeCommand,
    Challengers,
    Challenges,
    CloseChallenge,
    CreateChallenge,
    EmoteRun,
    GetChallengers,
    HideChallenge,
    ListBlocked,
    ListChallenges,
    PlayChallenge,
    Rematch,
    UnwatchChallenge,
    WatchChallenge,
)
from server.challenges.services import Request
from server.play.handlers import show
from server.play.messages import Attempt

BLOCKED_COST = 0.04
"""The cost per player in the list of blocked players: 0.6 ms for 100 players."""

REMATCH_COST = 5.0
"""The additional cost of creating a rematch."""

LISTED_COST = 0.4
"""The additional cost per challenge in a list: 3 ms for 50 challenges."""


async def create(request: Request[CreateChallenge]) -> Challenge:
    """Create a challenge if the server's load permits."""
    command, service = request.command, request.services.challenges
    terms = Terms(
        command.game,
        command.variant,
        command.limit * 1000,
        command.open_for * 1000,
        command.help,
        command.target,
        command.circle,
    )
    _refuse_overload(request)
    request.pay_for_rules(terms.game, terms.variant)
    request.pay(charges.NAMED_COST * len(command.players))
    if command.attempt is not None:
        request.pay(charges.RACED_COST)
    if command.circle is not None:
        members = await service.members(command.circle)
        request.pay(charges.CIRCLE_COST + charges.MEMBER_COST * len(members))
    items = charges.made(terms.open_for, len(command.players))
    async with request.paying("game", items):
        found = await service.create(
            request.player,
            terms,
            command.key,
            named=[PlayerId(each) for each in command.players],
            attempt=AttemptId(command.attempt) if command.attempt is not None else None,
        )
    return await _shown(request, await service.page(found, request.player))


async def watch(request: Request[WatchChallenge]) -> Challenge:
    """Return a challenge, and subscribe the session to it."""
    await _pay(request, rows=TOP)
    page = await request.services.challenge_feeds.watch(
        request.session, ChallengeId(request.command.challenge)
    )
    await request.services.challenges.look(page.challenge, request.player)
    return await _shown(request, page)


async def unwatch(request: Request[UnwatchChallenge]) -> Done:
    """End the session's subscription to a challenge."""
    request.services.challenge_feeds.unsubscribe(request.session)
    return Done()


async def challengers(request: Request[GetChallengers]) -> Challengers:
    """Return another page of a challenge's table."""
    await _pay(request, rows=request.command.count)
    command, services = request.command, request.services
    found = await services.challenges.load(ChallengeId(command.challenge), request.player)
    table = services.challenges.table(found, request.player)
    first, count = command.first, command.count
    profiles = await services.profiles.load(row.player for row in table.rows(first, count))
    return present.page_of(table, first, count, profiles)


async def play(request: Request[PlayChallenge]) -> Attempt:
    """Start the player's attempt if the server's load permits, or resume it."""
    await _pay(request)
    snapshot = await request.services.challenges.play(
        ChallengeId(request.command.challenge),
        request.player,
        anew=request.load.has_room("daily"),
    )
    request.pay_for_stored_rules(snapshot.start.variant)
    return show(request, snapshot, take=True)


async def show_list(request: Request[ListChallenges]) -> Challenges:
    """Return the player's challenges."""
    lists = request.services.challenge_lists
    request.pay(LISTED_COST * len(await lists.ids(request.player)))
    return present.challenges(await lists.load(request.player, seen=request.command.seen))


async def hide(request: Request[HideChallenge]) -> Done:
    """Remove a challenge from the player's list."""
    challenge = ChallengeId(request.command.challenge)
    await request.services.challenge_lists.hide(request.player, challenge)
    return Done()


async def emote(request: Request[EmoteRun]) -> Done:
    """Send an emote for a run, or remove it."""
    await _pay(request)
    command = request.command
    await request.services.challenges.emote(
        ChallengeId(command.challenge), request.player, PlayerId(command.player), command.emote
    )
    return Done()


async def close(request: Request[CloseChallenge]) -> Done:
    """Close a challenge of the player early."""
    await _pay(request)
    await request.services.challenges.close(ChallengeId(request.command.challenge), request.player)
    return Done()


async def rematch(request: Request[Rematch]) -> Challenge:
    """Return the rematch; create it if the server's load permits."""
    service, challenge = request.services.challenges, ChallengeId(request.command.challenge)
    _refuse_overload(request)
    await _pay(request, rows=TOP)
    before = await service.load(challenge, request.player)
    if before.rematch is not None:
        found = await service.rematch(challenge, request.player)
    else:
        request.pay(REMATCH_COST + charges.NAMED_COST * min(len(before.players), MAX_NOTIFIED))
        items = charges.made(before.made.terms.open_for, len(before.players))
        async with request.paying("game", items):
            found = await service.rematch(challenge, request.player)
    return await _shown(request, await service.page(found, request.player))


async def _shown(request: Request[Command], page: Page) -> Challenge:
    """Return a challenge with its players' names."""
    profiles = await request.services.profiles.load(present.players_of(page))
    return present.challenge(page, profiles)


async def _pay(request: Request[ChallengeCommand], *, rows: int = 0) -> None:
    """Charge the additional cost that depends on the challenge's size."""
    challenge = ChallengeId(request.command.challenge)
    request.pay(await request.services.challenges.cost(challenge, request.player, rows=rows))


async def block(request: Request[BlockChallenger]) -> Blocked:
    """Block or unblock another player's challenges."""
    command, lists, pay = request.command, request.services.challenge_lists, _by_blocked(request)
    other, blocked = PlayerId(command.player), command.blocked
    if blocked:
        request.services.quotas.note(request.player, charges.BLOCKED)
    return present.blocked(await lists.block(request.player, other, pay, blocked=blocked))


async def list_blocked(request: Request[ListBlocked]) -> Blocked:
    """Return the players whose challenges are blocked."""
    lists = request.services.challenge_lists
    return present.blocked(await lists.blocked(request.player, _by_blocked(request)))


def _by_blocked(request: Request[Command]) -> Callable[[int], None]:
    """Return a function that charges for a number of players' names."""
    return lambda count: request.pay(BLOCKED_COST * count)


def _refuse_overload(request: Request[Command]) -> None:
    if not request.load.has_room("room"):
        raise Refusal(BaseRefusals.overloaded, wait=request.load.wait())
