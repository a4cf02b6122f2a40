"""Handlers of the commands in `server.challenges.messages`."""

from __future__ import annotations

from server.base.core.ids import AttemptId, ChallengeId, PlayerId
from server.base.core.refusal import Refusal
from server.base.wire.messages import Command
from server.base.wire.session_messages import Done
from server.challenges import present
from server.challenges.challenges import Page
from server.challenges.core import charges
from server.challenges.core.events import Terms
from server.challenges.messages import (
    Challenge,
    Challenges,
    CloseChallenge,
    CreateChallenge,
    EmoteRun,
    HideChallenge,
    ListChallenges,
    PlayChallenge,
    Rematch,
    UnwatchChallenge,
    WatchChallenge,
)
from server.play.handlers import show
from server.play.messages import Attempt
from server.request import HandlerTable, Request


async def create(request: Request[CreateChallenge]) -> Challenge:
    """Make a challenge if there is room for it."""
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
    page = await request.front.watch_challenge(
        request.session, ChallengeId(request.command.challenge)
    )
    await request.services.challenges.look(page.challenge, request.player)
    return await _shown(request, page)


async def unwatch(request: Request[UnwatchChallenge]) -> Done:
    """End the session's subscription to a challenge."""
    request.front.challenges.unwatch(request.session)
    return Done()


async def play(request: Request[PlayChallenge]) -> Attempt:
    """Start the player's attempt if there is room for it, or return to it."""
    snapshot = await request.services.challenges.play(
        ChallengeId(request.command.challenge),
        request.player,
        anew=request.load.has_room("daily"),
    )
    return show(request, snapshot, take=True)


async def show_list(request: Request[ListChallenges]) -> Challenges:
    """Return the player's challenges."""
    lists = request.services.challenge_lists
    return present.challenges(await lists.load(request.player, seen=request.command.seen))


async def hide(request: Request[HideChallenge]) -> Done:
    """Take a challenge off the player's list."""
    challenge = ChallengeId(request.command.challenge)
    await request.services.challenge_lists.hide(request.player, challenge)
    return Done()


async def emote(request: Request[EmoteRun]) -> Done:
    """Send an emote for a run, or take it back."""
    command = request.command
    await request.services.challenges.emote(
        ChallengeId(command.challenge), request.player, PlayerId(command.player), command.emote
    )
    return Done()


async def close(request: Request[CloseChallenge]) -> Done:
    """Close a challenge of the player's before its date."""
    await request.services.challenges.close(ChallengeId(request.command.challenge), request.player)
    return Done()


async def rematch(request: Request[Rematch]) -> Challenge:
    """Make the challenge that follows, if there is room for it, or return it."""
    service, challenge = request.services.challenges, ChallengeId(request.command.challenge)
    _refuse_overload(request)
    before = await service.load(challenge, request.player)
    if before.rematch is not None:
        found = await service.rematch(challenge, request.player)
    else:
        items = charges.made(before.made.terms.open_for, len(before.players))
        async with request.paying("game", items):
            found = await service.rematch(challenge, request.player)
    return await _shown(request, await service.page(found, request.player))


async def _shown(request: Request[Command], page: Page) -> Challenge:
    """Return a challenge with the names of its players."""
    profiles = await request.services.profiles.load(present.players_of(page.challenge))
    return present.challenge(page, profiles)


def _refuse_overload(request: Request[Command]) -> None:
    if not request.load.has_room("room"):
        raise Refusal("overloaded", wait=request.load.wait())


HANDLERS: HandlerTable = {
    CreateChallenge: create,
    WatchChallenge: watch,
    UnwatchChallenge: unwatch,
    PlayChallenge: play,
    ListChallenges: show_list,
    HideChallenge: hide,
    EmoteRun: emote,
    CloseChallenge: close,
    Rematch: rematch,
}
