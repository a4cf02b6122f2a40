"""The commands on a challenge, decided on the state of its journal.

Each returns the event that carries it out, or `None` if there is nothing to do, and raises a
`Refusal` if it is not carried out.
"""

from __future__ import annotations

from server.base.core.ids import ChallengeId, PlayerId
from server.base.core.refusal import Refusal
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
from server.play.core.result import Result


def begin(challenge: Challenge, player: PlayerId, now: int, *, is_member: bool) -> Event | None:
    """Decide that a player begins the one attempt: `None` if it goes on.

    Args:
        challenge: the challenge.
        player: the player.
        now: the time.
        is_member: whether the player is a member of the circle that it is for, if it is for one.

    Raises:
        Refusal: with the code `already_played`, `challenge_over`, `not_challenged` or
            `challenge_full`.
    """
    made, own = challenge.made, challenge.players.get(player)
    if own is not None and own.result is not None:
        raise Refusal("already_played")
    if own is not None and own.is_playing:
        return None
    if not challenge.is_open or now >= made.closes:
        raise Refusal("challenge_over")
    if own is None and (made.named or (made.terms.circle is not None and not is_member)):
        raise Refusal("not_challenged")
    if own is None and len(challenge.players) >= MAX_PLAYERS:
        raise Refusal("challenge_full")
    return Begun(player, now, min(now + made.terms.limit, made.closes))


def may_begin(challenge: Challenge, player: PlayerId, now: int, *, is_member: bool) -> bool:
    """Return whether a player may begin an attempt now, or return to one."""
    try:
        begin(challenge, player, now, is_member=is_member)
    except Refusal:
        return False
    return True


def finish(challenge: Challenge, player: PlayerId, result: Result, now: int) -> Event | None:
    """Return the entry that a player's attempt has ended, also after the close.

    It is `None` if the entry is there already, or the player has none that goes on.
    """
    own = challenge.players.get(player)
    return Finished(player, result, now) if own is not None and own.is_playing else None


def due(challenge: Challenge, now: int) -> Event | None:
    """Return the close if its date has come, or `None`."""
    closes = challenge.closes
    return Closed(closes) if challenge.over is None and now >= closes else None


def close(challenge: Challenge, player: PlayerId, now: int) -> Event | None:
    """Decide that its maker closes a challenge before its date: `None` if that is done.

    Attempts go on: who plays it would learn the deal and the results otherwise.

    Raises:
        Refusal: with the code `not_maker`, or `for_circle`: in that, others count on the date.
    """
    if player != challenge.made.maker:
        raise Refusal("not_maker")
    if challenge.made.terms.circle is not None:
        raise Refusal("for_circle")
    if not challenge.is_open:
        return None
    playing = (each.deadline for each in challenge.players.values() if each.is_playing)
    return Closing(max(playing, default=now), now)


def emote(
    challenge: Challenge, by: PlayerId, player: PlayerId, emote: int | None, now: int
) -> Event | None:
    """Decide that a player sends an emote for a run, or takes it back: `None` if it stands so.

    Raises:
        Refusal: with the code `not_played` or `unknown_run`.
    """
    if not challenge.has_ended(by):
        raise Refusal("not_played")
    run = challenge.players.get(player)
    if run is None or run.result is None or run.void:
        raise Refusal("unknown_run")
    return Emoted(by, player, emote, now) if run.emotes.get(by) != emote else None


def follow(challenge: Challenge, following: ChallengeId, now: int) -> Event | None:
    """Return the entry that a challenge follows this one: `None` if one does."""
    return Followed(following, now) if challenge.rematch is None else None


def void(challenge: Challenge, player: PlayerId, now: int, *, is_void: bool) -> Event | None:
    """Decide that a result is taken back or stands again: `None` if it is so, or there is none."""
    run = challenge.players.get(player)
    if run is None or run.result is None or run.void == is_void:
        return None
    return ResultVoided(player, is_void, now)


def check_played(challenge: Challenge, player: PlayerId) -> None:
    """Check that a player's attempt is over.

    Raises:
        Refusal: with the code `not_played`.
    """
    if not challenge.has_ended(player):
        raise Refusal("not_played")
