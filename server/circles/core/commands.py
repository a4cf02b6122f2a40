"""Decisions on a circle's commands, given the state of its journal.

Each function returns the event to append, or `None` if nothing changes. Times are Unix milliseconds
of the server's clock. To a player outside the circle, every command except joining by link reports
that the circle does not exist.
"""

from __future__ import annotations

from hmac import compare_digest

from server.base.core.ids import PlayerId
from server.base.core.refusal import Refusal
from server.circles.core import seasons
from server.circles.core.circle import PAID_ROUNDS, Circle, Member
from server.circles.core.events import (
    ChallengeAdded,
    DayPosted,
    Deleted,
    Emoted,
    Event,
    HandedOver,
    Joined,
    League,
    LeaguePaid,
    LeagueSet,
    Left,
    LinkRenewed,
    Muted,
    Removed,
    Renamed,
    RoundMade,
    RoundSkipped,
    SeasonClosed,
    SeasonSet,
    Webhook,
    WebhookAnswered,
    WebhookSet,
)
from server.circles.core.refusals import CircleRefusals


def check_link(circle: Circle, player: PlayerId, secret: str) -> None:
    """Refuse as `unknown_circle` a player without membership and the link's secret."""
    # Compare in constant time, so that response times do not reveal the secret.
    if circle.deleted or not (
        circle.member(player) or compare_digest(secret.encode(), circle.secret.encode())
    ):
        raise Refusal(CircleRefusals.unknown_circle)


def check_member(circle: Circle, player: PlayerId) -> Member:
    """Return a player's membership. Refused as `unknown_circle`, if the player is not a member."""
    member = circle.member(player)
    if member is None:
        raise Refusal(CircleRefusals.unknown_circle)
    return member


def check_owner(circle: Circle, player: PlayerId) -> None:
    """Check that a player owns the circle. Refused as `unknown_circle` or `not_owner`."""
    check_member(circle, player)
    if circle.owner != player:
        raise Refusal(CircleRefusals.not_owner)


def check_other(circle: Circle, player: PlayerId) -> None:
    """Check that the player named in a command is a member. Refused as `not_member`."""
    if circle.member(player) is None:
        raise Refusal(CircleRefusals.not_member)


def join(circle: Circle, player: PlayerId, secret: str, now: int) -> Event | None:
    """Decide a join command: `None` for a member. Refused as `unknown_circle` or `circle_full`."""
    check_link(circle, player, secret)
    if circle.member(player):
        return None
    if circle.full:
        raise Refusal(CircleRefusals.circle_full)
    return Joined(player, now)


def leave(circle: Circle, player: PlayerId, now: int) -> Event | None:
    """Decide a command to leave. Refused as `unknown_circle`."""
    check_member(circle, player)
    return Left(player, now)


def erase(circle: Circle, player: PlayerId, now: int) -> Event | None:
    """Decide the erasure of a deleted player: `None` if the circle has no trace of them."""
    is_former = any(each.player == player for each in circle.former)
    known = is_former or circle.member(player) is not None
    return Left(player, now, erased=True) if known else None


def mute(circle: Circle, player: PlayerId, muted: bool, now: int) -> Event | None:
    """Decide a command to mute or unmute notifications. Refused as `unknown_circle`."""
    return None if check_member(circle, player).muted == muted else Muted(player, muted, now)


def emote(circle: Circle, player: PlayerId, item: str, sent: int | None, now: int) -> Event | None:
    """Decide a command to send an emote, or to remove it. Refused as `unknown_circle`.

    The caller checks that the item exists.
    """
    check_member(circle, player)
    if circle.emotes.get(item, {}).get(player) == sent:
        return None
    return Emoted(player, item, sent, now)


def remove(
    circle: Circle, owner: PlayerId, player: PlayerId, secret: str, now: int
) -> Event | None:
    """Decide the owner's command to remove a member: `None` for the owner and non-members.

    `secret` is the new one. Refused as `unknown_circle` or `not_owner`.
    """
    check_owner(circle, owner)
    if player == owner or circle.member(player) is None:
        return None
    # The removed member knows the old link.
    return Removed(player, secret, now)


def hand_over(circle: Circle, owner: PlayerId, player: PlayerId, now: int) -> Event | None:
    """Decide the owner's command to transfer ownership.

    Refused as `unknown_circle`, `not_owner` or `not_member`.
    """
    check_owner(circle, owner)
    check_other(circle, player)
    return None if player == owner else HandedOver(player, now)


def rename(circle: Circle, owner: PlayerId, name: str, now: int) -> Event | None:
    """Decide the owner's command to rename the circle. The caller validates the name.

    Refused as `unknown_circle` or `not_owner`.
    """
    check_owner(circle, owner)
    return None if circle.name == name else Renamed(name, now)


def renew_link(circle: Circle, owner: PlayerId, secret: str, now: int) -> Event | None:
    """Decide the owner's command to renew the link. Refused as `unknown_circle` or `not_owner`."""
    check_owner(circle, owner)
    return LinkRenewed(secret, now)


def set_season(circle: Circle, owner: PlayerId, weeks: int | None, now: int) -> Event | None:
    """Decide the owner's command to set the length. Refused as `unknown_circle` or `not_owner`."""
    check_owner(circle, owner)
    if circle.weeks == weeks and (circle.season is None or circle.season.weeks == weeks):
        return None
    return SeasonSet(weeks, now)


def set_league(circle: Circle, owner: PlayerId, league: League | None, now: int) -> Event | None:
    """Decide the owner's command to set or end the league. The caller validates the games.

    Refused as `unknown_circle`, `not_owner` or `no_season`.
    """
    check_owner(circle, owner)
    if circle.league == league:
        return None
    season = circle.season
    # A league needs a season that is running or will follow.
    if league is not None and (season is None or (now >= season.ends and circle.weeks is None)):
        raise Refusal(CircleRefusals.no_season)
    return LeagueSet(league, now)


def set_webhook(circle: Circle, owner: PlayerId, webhook: Webhook | None, now: int) -> Event | None:
    """Decide the owner's command to set or remove the webhook. The caller validates the URL.

    Refused as `unknown_circle` or `not_owner`.
    """
    check_owner(circle, owner)
    return None if circle.webhook == webhook else WebhookSet(webhook, now)


def record_webhook_outcome(
    circle: Circle, url: str, code: str, *, ends: bool, now: int
) -> Event | None:
    """Record an outcome of posting to the webhook with this sealed URL.

    Return `None` if it is unchanged or the webhook has been replaced.
    """
    if circle.webhook is None or circle.webhook.url != url:
        return None
    is_known = circle.answer is not None and circle.answer.code == code and not ends
    return None if is_known else WebhookAnswered(code, ends, now)


def delete(circle: Circle, owner: PlayerId, now: int) -> Event | None:
    """Decide the owner's command to delete it. Refused as `unknown_circle` or `not_owner`."""
    check_owner(circle, owner)
    return Deleted(now)


def close_season(circle: Circle, now: int) -> Event | None:
    """Return the event that closes a settled season, or `None`."""
    over = circle.season is not None and circle.season.settled <= now
    return SeasonClosed(now) if over else None


def next_game(circle: Circle, now: int) -> str | None:
    """Return the game of the league's challenge that is due, or `None`."""
    due, league = circle.round_due, circle.league
    if due is None or league is None or due > now:
        return None
    return league.games[circle.turn % len(league.games)]


def round_closes(circle: Circle, now: int) -> int:
    """Return the close of a league challenge made now."""
    assert circle.league is not None, "only a league makes challenges"
    return seasons.next_start(circle.league.every, now, circle.delay)


def pay(circle: Circle, player: PlayerId, now: int) -> Event | None:
    """Record a player's payment for the league: `None` if nothing is owed."""
    if circle.league is None or circle.paid >= PAID_ROUNDS:
        return None
    return LeaguePaid(player, now)


def make_round(circle: Circle, turn: int, made: RoundMade | RoundSkipped) -> Event | None:
    """Record a league's turn, counted from 0; `None` if it already is."""
    return None if circle.turn != turn or circle.league is None else made


def add_challenge(circle: Circle, added: ChallengeAdded) -> Event | None:
    """Record a member's challenge: `None` if it is already known or the league's.

    Refused as `unknown_circle`, if the player is not a member.
    """
    check_member(circle, added.player)
    known = {each.challenge for each in circle.challenges}
    known.update(each.challenge for each in circle.rounds)
    return None if added.challenge in known else added


def day_to_post(circle: Circle, now: int) -> int | None:
    """Return the latest day whose table is due for posting, or `None`."""
    due = circle.post_due
    # After an outage, only the latest day is posted.
    return None if due is None or due > now else seasons.last_settled(now)


def post(circle: Circle, day: int, now: int) -> Event | None:
    """Record that a day's table is queued for posting: `None` if it already was."""
    if circle.webhook is None or circle.posted >= day:
        return None
    return DayPosted(day, now)
