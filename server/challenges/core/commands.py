"""Decisions on a challenge's commands, given the state of its journal.

Each function returns the event to append, or `None` if nothing changes, and raises a `Refusal` if
the command is not allowed.
"""

from __future__ import annotations

from server.base.core.ids import ChallengeId, PlayerId
from server.base.core.refusal import BaseRefusals, Refusal
from server.challenges.core.challenge import MAX_PLAYERS, Challenge
from server.challenges.core.events import (
    Begun,
    Closed,
    Closing,
    Emoted,
    Event,
    Finished,
    Followed,
    ResultVoided,
)
from server.challenges.core.refusals import ChallengeRefusals
from server.play.core.refusals import PlayRefusals
from server.play.core.result import Result


def begin(challenge: Challenge, player: PlayerId, now: int, *, is_member: bool) -> Event | None:
    """Decide a player's command to start the attempt: `None` if it is already running.

    `is_member` says whether the player is a member of the challenge's circle, if it has one.
    Refused as `already_played`, `challenge_over`, `not_challenged` or `challenge_full`.
    """
    made, own = challenge.made, challenge.players.get(player)
    if own is not None and own.result is not None:
        raise Refusal(PlayRefusals.already_played)
    if own is not None and own.is_playing:
        return None
    if not challenge.is_open or now >= made.closes:
        raise Refusal(ChallengeRefusals.challenge_over)
    if own is None and (made.named or (made.terms.circle is not None and not is_member)):
        raise Refusal(ChallengeRefusals.not_challenged)
    if own is None and len(challenge.players) >= MAX_PLAYERS:
        raise Refusal(ChallengeRefusals.challenge_full)
    return Begun(player, now, min(now + made.terms.limit, made.closes))


def may_begin(challenge: Challenge, player: PlayerId, now: int, *, is_member: bool) -> bool:
    """Return whether a player can start or resume an attempt now."""
    try:
        begin(challenge, player, now, is_member=is_member)
    except Refusal:
        return False
    return True


def finish(challenge: Challenge, player: PlayerId, result: Result, now: int) -> Event | None:
    """Decide the result of a player's attempt, which can arrive after the close.

    It is `None` if the player has no running attempt, as when the result is already recorded.
    """
    own = challenge.players.get(player)
    return Finished(player, result, now) if own is not None and own.is_playing else None


def due(challenge: Challenge, now: int) -> Event | None:
    """Return the close if the deadline has passed, or `None`."""
    closes = challenge.closes
    return Closed(closes) if challenge.over is None and now >= closes else None


def close(challenge: Challenge, player: PlayerId, now: int) -> Event | None:
    """Decide the creator's command to close a challenge early: `None` if it is done.

    Refused as `not_creator`, or as `for_circle`.
    """
    if player != challenge.made.creator:
        raise Refusal(ChallengeRefusals.not_creator)
    if challenge.made.terms.circle is not None:
        # Members rely on the announced date.
        raise Refusal(ChallengeRefusals.for_circle)
    if not challenge.is_open:
        return None
    # Running attempts continue: ending them would reveal the deal and the results to their players.
    # After an outage, one may have ended at its deadline without having been settled yet.
    playing = (each.deadline for each in challenge.players.values() if each.is_playing)
    return Closing(max([now, *playing]), now)


def emote(
    challenge: Challenge, by: PlayerId, player: PlayerId, emote: int | None, now: int
) -> Event | None:
    """Decide a player's command to send or remove an emote: `None` if nothing changes.

    Refused as `not_played` or `unknown_run`.
    """
    if not challenge.has_ended(by):
        raise Refusal(ChallengeRefusals.not_played)
    run = challenge.players.get(player)
    if run is None or run.result is None or run.void:
        raise Refusal(BaseRefusals.unknown_run)
    return Emoted(by, player, emote, now) if run.emotes.get(by) != emote else None


def follow(challenge: Challenge, following: ChallengeId, now: int) -> Event | None:
    """Record a challenge's rematch: `None` if it already has one."""
    return Followed(following, now) if challenge.rematch is None else None


def void(challenge: Challenge, player: PlayerId, now: int, *, is_void: bool) -> Event | None:
    """Decide to void or restore a result: `None` if nothing changes or there is no result."""
    run = challenge.players.get(player)
    if run is None or run.result is None or run.void == is_void:
        return None
    return ResultVoided(player, is_void, now)


def check_played(challenge: Challenge, player: PlayerId) -> None:
    """Check that a player's attempt is over. Refused as `not_played`."""
    if not challenge.has_ended(player):
        raise Refusal(ChallengeRefusals.not_played)
