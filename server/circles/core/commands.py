"""The commands on a circle, decided on the state of its journal.

Each function returns the event to append, or `None` if there is nothing to change. Times are Unix
milliseconds of the server's clock. Whoever is no member is told the same by each of them, but for
the one that joins by the link: that there is no such circle.
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


def check_link(circle: Circle, player: PlayerId, secret: str) -> None:
    """Check that a player may see to what a link leads: who is a member may in any case.

    Raises:
        Refusal: as `unknown_circle`.
    """
    if circle.deleted or not (
        circle.member(player) or compare_digest(secret.encode(), circle.secret.encode())
    ):
        raise Refusal("unknown_circle")


def check_member(circle: Circle, player: PlayerId) -> Member:
    """Return a member.

    Raises:
        Refusal: as `unknown_circle`, if the player is none.
    """
    member = circle.member(player)
    if member is None:
        raise Refusal("unknown_circle")
    return member


def check_owner(circle: Circle, player: PlayerId) -> None:
    """Check that a player owns the circle.

    Raises:
        Refusal: as `unknown_circle` or `not_owner`.
    """
    check_member(circle, player)
    if circle.owner != player:
        raise Refusal("not_owner")


def check_other(circle: Circle, player: PlayerId) -> None:
    """Check that whom a member names is a member, too.

    Raises:
        Refusal: as `not_member`.
    """
    if circle.member(player) is None:
        raise Refusal("not_member")


def join(circle: Circle, player: PlayerId, secret: str, now: int) -> Event | None:
    """Decide the command to join: `None` if the player is a member already.

    Raises:
        Refusal: as `unknown_circle` or `circle_full`.
    """
    check_link(circle, player, secret)
    if circle.member(player):
        return None
    if circle.full:
        raise Refusal("circle_full")
    return Joined(player, now)


def leave(circle: Circle, player: PlayerId, now: int) -> Event | None:
    """Decide the command to leave.

    Raises:
        Refusal: as `unknown_circle`.
    """
    check_member(circle, player)
    return Left(player, now)


def erase(circle: Circle, player: PlayerId, now: int) -> Event | None:
    """Decide that nothing of a player stays who has been deleted: `None` if nothing is there."""
    is_former = any(each.player == player for each in circle.former)
    known = is_former or circle.member(player) is not None
    return Left(player, now, erased=True) if known else None


def mute(circle: Circle, player: PlayerId, muted: bool, now: int) -> Event | None:
    """Decide whether a member wants no notifications.

    Raises:
        Refusal: as `unknown_circle`.
    """
    return None if check_member(circle, player).muted == muted else Muted(player, muted, now)


def emote(circle: Circle, player: PlayerId, item: str, sent: int | None, now: int) -> Event | None:
    """Decide the command to send an emote for an item, of which the caller knows that it is there.

    Raises:
        Refusal: as `unknown_circle`.
    """
    check_member(circle, player)
    if circle.emotes.get(item, {}).get(player) == sent:
        return None
    return Emoted(player, item, sent, now)


def remove(
    circle: Circle, owner: PlayerId, player: PlayerId, secret: str, now: int
) -> Event | None:
    """Decide the owner's command to remove a member: `None` for the owner, and who is no member.

    Args:
        circle: the circle.
        owner: who gives the command.
        player: the member.
        secret: the new one, since the member knows the one before.
        now: the time.

    Raises:
        Refusal: as `unknown_circle` or `not_owner`.
    """
    check_owner(circle, owner)
    if player == owner or circle.member(player) is None:
        return None
    return Removed(player, secret, now)


def hand_over(circle: Circle, owner: PlayerId, player: PlayerId, now: int) -> Event | None:
    """Decide the owner's command to make another member the owner.

    Raises:
        Refusal: as `unknown_circle`, `not_owner` or `not_member`.
    """
    check_owner(circle, owner)
    check_other(circle, player)
    return None if player == owner else HandedOver(player, now)


def rename(circle: Circle, owner: PlayerId, name: str, now: int) -> Event | None:
    """Decide the owner's command to give another name, which is one that may be given.

    Raises:
        Refusal: as `unknown_circle` or `not_owner`.
    """
    check_owner(circle, owner)
    return None if circle.name == name else Renamed(name, now)


def renew_link(circle: Circle, owner: PlayerId, secret: str, now: int) -> Event | None:
    """Decide the owner's command to renew the link.

    Raises:
        Refusal: as `unknown_circle` or `not_owner`.
    """
    check_owner(circle, owner)
    return LinkRenewed(secret, now)


def set_season(circle: Circle, owner: PlayerId, weeks: int | None, now: int) -> Event | None:
    """Decide the owner's command to set the length of seasons.

    Raises:
        Refusal: as `unknown_circle` or `not_owner`.
    """
    check_owner(circle, owner)
    if circle.weeks == weeks and (circle.season is None or circle.season.weeks == weeks):
        return None
    return SeasonSet(weeks, now)


def set_league(circle: Circle, owner: PlayerId, league: League | None, now: int) -> Event | None:
    """Decide the owner's command to set the league, of games that there are.

    Raises:
        Refusal: as `unknown_circle`, `not_owner`, or as `no_season`.
    """
    check_owner(circle, owner)
    if circle.league == league:
        return None
    season = circle.season
    if league is not None and (season is None or (now >= season.ends and circle.weeks is None)):
        raise Refusal("no_season")
    return LeagueSet(league, now)


def set_webhook(circle: Circle, owner: PlayerId, webhook: Webhook | None, now: int) -> Event | None:
    """Decide the owner's command to set where posts go, if the server would post there.

    Raises:
        Refusal: as `unknown_circle` or `not_owner`.
    """
    check_owner(circle, owner)
    return None if circle.webhook == webhook else WebhookSet(webhook, now)


def hear_webhook(circle: Circle, url: str, code: str, *, ends: bool, now: int) -> Event | None:
    """Note how the server of a webhook, by its sealed URL, has answered, if that is news.

    It is none if posts go elsewhere by now.
    """
    if circle.webhook is None or circle.webhook.url != url:
        return None
    is_known = circle.answer is not None and circle.answer.code == code and not ends
    return None if is_known else WebhookAnswered(code, ends, now)


def delete(circle: Circle, owner: PlayerId, now: int) -> Event | None:
    """Decide the owner's command to delete the circle.

    Raises:
        Refusal: as `unknown_circle` or `not_owner`.
    """
    check_owner(circle, owner)
    return Deleted(now)


def close_season(circle: Circle, now: int) -> Event | None:
    """Return the event that closes a season, once its results are where they belong."""
    over = circle.season is not None and circle.season.settled <= now
    return SeasonClosed(now) if over else None


def next_game(circle: Circle, now: int) -> str | None:
    """Return the game of the challenge that the league is to make now; `None` if it is none."""
    due, league = circle.round_due, circle.league
    if due is None or league is None or due > now:
        return None
    return league.games[circle.turn % len(league.games)]


def round_closes(circle: Circle, now: int) -> int:
    """Return when a challenge closes that the circle's league makes now."""
    assert circle.league is not None, "it makes one"
    return seasons.next_start(circle.league.every, now, circle.delay)


def pay(circle: Circle, player: PlayerId, now: int) -> Event | None:
    """Note that a player has paid for the league: `None` if nothing is to be paid."""
    if circle.league is None or circle.paid >= PAID_ROUNDS:
        return None
    return LeaguePaid(player, now)


def make_round(circle: Circle, turn: int, made: RoundMade | RoundSkipped) -> Event | None:
    """Note what a league has done in its turn: `None` if that was noted before.

    Args:
        circle: the circle.
        turn: which one of the league it is: as many had been before.
        made: the challenge that it has made, or that it could make none.
    """
    return None if circle.turn != turn or circle.league is None else made


def add_challenge(circle: Circle, added: ChallengeAdded) -> Event | None:
    """Note a challenge that a member has made: `None` if it is known, or the league's.

    Raises:
        Refusal: as `unknown_circle`, if the player is no member.
    """
    check_member(circle, added.player)
    known = {each.challenge for each in circle.challenges}
    known.update(each.challenge for each in circle.rounds)
    return None if added.challenge in known else added


def day_to_post(circle: Circle, now: int) -> int | None:
    """Return the day whose table is to be posted now, the latest one; `None` if none is."""
    due = circle.post_due
    return None if due is None or due > now else seasons.last_settled(now)


def post(circle: Circle, day: int, now: int) -> Event | None:
    """Note that a day's table was given to be posted: `None` if that was done before."""
    if circle.webhook is None or circle.posted >= day:
        return None
    return DayPosted(day, now)
