"""Handlers of the commands in `server.challenges.messages`."""

from __future__ import annotations

from server.base.core.refusal import Refusal
from server.base.wire.session_messages import Done
from server.challenges.messages import (
    Challenge,
    Challenges,
    CreateChallenge,
    EmoteRun,
    HideChallenge,
    ListChallenges,
    PlayChallenge,
    Rematch,
    UnwatchChallenge,
    WatchChallenge,
)
from server.play.messages import Attempt
from server.request import HandlerTable, Request


async def create(request: Request[CreateChallenge]) -> Challenge:
    """Make a challenge."""
    raise Refusal("unavailable")


async def watch(request: Request[WatchChallenge]) -> Challenge:
    """Return a challenge, and subscribe the session to it."""
    raise Refusal("unavailable")


async def unwatch(request: Request[UnwatchChallenge]) -> Done:
    """End the session's subscription."""
    raise Refusal("unavailable")


async def play(request: Request[PlayChallenge]) -> Attempt:
    """Start the player's attempt, or return to it."""
    raise Refusal("unavailable")


async def show_list(request: Request[ListChallenges]) -> Challenges:
    """Return the player's challenges."""
    raise Refusal("unavailable")


async def hide(request: Request[HideChallenge]) -> Done:
    """Take a challenge off the player's list."""
    raise Refusal("unavailable")


async def emote(request: Request[EmoteRun]) -> Done:
    """Send an emote for a run."""
    raise Refusal("unavailable")


async def rematch(request: Request[Rematch]) -> Challenge:
    """Make the challenge that follows."""
    raise Refusal("unavailable")


HANDLERS: HandlerTable = {
    CreateChallenge: create,
    WatchChallenge: watch,
    UnwatchChallenge: unwatch,
    PlayChallenge: play,
    ListChallenges: show_list,
    HideChallenge: hide,
    EmoteRun: emote,
    Rematch: rematch,
}
