"""Handlers of the commands in `server.circles.messages`."""

from __future__ import annotations

from server.base.core import costs
from server.base.core.ids import PlayerId
from server.base.core.refusal import BaseRefusals, Refusal
from server.base.wire.messages import Command
from server.base.wire.session_messages import Done
from server.base.work.random_text import random_id
from server.circles import messages, present
from server.circles.core import charges, commands
from server.circles.core.circle import PAID_ROUNDS, Circle
from server.circles.core.events import League
from server.circles.core.ids import CircleId
from server.circles.core.refusals import CircleRefusals
from server.circles.messages import (
    CircleCommand,
    CircleFeed,
    Circles,
    CircleTable,
    CreateCircle,
    DeleteCircle,
    EmoteItem,
    GetCircleFeed,
    GetCircleTable,
    GetHeadToHead,
    HandOverCircle,
    HeadToHead,
    Invitation,
    JoinCircle,
    LeaveCircle,
    ListCircles,
    MuteCircle,
    RemoveFromCircle,
    RenameCircle,
    RenewCircleLink,
    SetCircleLeague,
    SetCircleSeason,
    SetCircleWebhook,
    ShowInvitation,
    UnwatchCircle,
    WatchCircle,
)
from server.circles.services import Request

MEMBER_COST = 0.3
"""The additional cost per member of a table, a feed or a deletion: 4.5 to 14 ms for 200 members,
depending on how much they played."""

SHARED_COST = 0.01
"""The additional cost per member of a table built for another member: 0.3 ms for 200 members."""

SHOWN_COST = 0.04
"""The additional cost per member of showing a circle: 1.2 ms for 200 members."""

LISTED_COST = 0.5
"""The cost per circle of reading a player's circles."""


async def create(request: Request[CreateCircle]) -> messages.Circle:
    """Found a circle if the server's load permits."""
    await _pay_by_circles(request)
    command = request.command
    if not request.load.has_room("room"):
        raise Refusal(BaseRefusals.overloaded, wait=request.load.wait())
    async with request.paying("any", charges.CIRCLE):
        found = await request.services.circles.found(request.player, command.name, command.key)
    return await _shown(request, found)


async def invitation(request: Request[ShowInvitation]) -> Invitation:
    """Return the circle behind a link."""
    link = request.command.link
    found = await request.services.circles.invitation(request.player, link)
    owner = (await request.services.profiles.load([found.owner]))[found.owner]
    return present.invitation(link, found, request.player, owner)


async def join(request: Request[JoinCircle]) -> messages.Circle:
    """Join a circle, charging the player's address for a new membership."""
    circles, link = request.services.circles, request.command.link
    found = await circles.invitation(request.player, link)
    request.pay(SHOWN_COST * len(found.members))
    # A member who opens the link again stores nothing, so charges only apply to others.
    if found.member(request.player) is None:
        async with request.paying("any", charges.MEMBER):
            found = await circles.join(request.player, link)
    return await _shown(request, found)


async def list_circles(request: Request[ListCircles]) -> Circles:
    """Return the player's circles."""
    await _pay_by_circles(request)
    return await _list(request)


async def watch(request: Request[WatchCircle]) -> messages.Circle:
    """Return a circle, and subscribe the session to it in place of any other."""
    await _pay_by_members(request, SHOWN_COST)
    circle = CircleId(request.command.circle)
    return await _shown(request, await request.services.circle_feeds.watch(request.session, circle))


async def unwatch(request: Request[UnwatchCircle]) -> Done:
    """End the session's subscription to a circle."""
    request.services.circle_feeds.unsubscribe(request.session)
    return Done()


async def table(request: Request[GetCircleTable]) -> CircleTable:
    """Return a table."""
    command, views = request.command, request.services.circle_views
    found = await _circle(request)
    is_built = views.has_table(found, command.span, command.period)
    request.pay((SHARED_COST if is_built else MEMBER_COST) * len(found.members))
    return await views.table(found, command.span, command.period)


async def head_to_head(request: Request[GetHeadToHead]) -> HeadToHead:
    """Return the head-to-head results of two members."""
    found = await _circle(request)
    one, other = PlayerId(request.command.one), PlayerId(request.command.other)
    commands.check_other(found, one)
    commands.check_other(found, other)

    def pay(count: int) -> None:
        request.pay(costs.OPEN + min(costs.RESULT * count, costs.MOST_RESULTS))

    duels = await request.services.circle_tables.duels(one, other, pay)
    profiles = await request.services.profiles.load([one, other])
    return present.head_to_head(found, duels, profiles[one], profiles[other])


async def feed(request: Request[GetCircleFeed]) -> CircleFeed:
    """Return the circle's recent events."""
    found, views = await _circle(request), request.services.circle_views
    _pay_for_feed(request, found)
    return await views.feed(found)


async def emote(request: Request[EmoteItem]) -> CircleFeed:
    """Send an emote for a feed item, or remove it."""
    command, found = request.command, await _circle(request)
    views = request.services.circle_views
    _pay_for_feed(request, found)
    feed = await views.feed(found)
    if all(each.item != command.item for each in feed.items):
        raise Refusal(CircleRefusals.unknown_item)
    after = await request.services.circles.decide(
        found.id, commands.emote, request.player, command.item, command.emote
    )
    _charge(request)
    return present.with_emotes(feed, after)


async def leave(request: Request[LeaveCircle]) -> Circles:
    """Leave a circle."""
    await _pay_by_circles(request)
    circle = CircleId(request.command.circle)
    await request.services.circles.leave(circle, request.player)
    _charge(request)
    return await _list(request)


async def mute(request: Request[MuteCircle]) -> Circles:
    """Mute or unmute the circle's notifications."""
    await _pay_by_circles(request)
    circle, muted = CircleId(request.command.circle), request.command.muted
    await request.services.circles.decide(circle, commands.mute, request.player, muted)
    _charge(request)
    return await _list(request)


async def remove(request: Request[RemoveFromCircle]) -> messages.Circle:
    """Remove a member. The circle's next broadcast notifies the member's sessions."""
    await _pay_by_members(request, SHOWN_COST)
    circle, player = CircleId(request.command.circle), PlayerId(request.command.player)
    return await _changed(
        request, await request.services.circles.remove(circle, request.player, player)
    )


async def hand_over(request: Request[HandOverCircle]) -> messages.Circle:
    """Transfer ownership to another member."""
    await _pay_by_members(request, SHOWN_COST)
    circle, player = CircleId(request.command.circle), PlayerId(request.command.player)
    return await _changed(
        request,
        await request.services.circles.decide(circle, commands.hand_over, request.player, player),
    )


async def rename(request: Request[RenameCircle]) -> messages.Circle:
    """Rename a circle."""
    await _pay_by_members(request, SHOWN_COST)
    circle, name = CircleId(request.command.circle), request.command.name
    return await _changed(
        request, await request.services.circles.rename(circle, request.player, name)
    )


async def renew_link(request: Request[RenewCircleLink]) -> messages.Circle:
    """Renew the invitation link."""
    await _pay_by_members(request, SHOWN_COST)
    circle = CircleId(request.command.circle)
    return await _changed(
        request,
        await request.services.circles.decide(
            circle, commands.renew_link, request.player, random_id()
        ),
    )


async def set_season(request: Request[SetCircleSeason]) -> messages.Circle:
    """Set the season length."""
    await _pay_by_members(request, SHOWN_COST)
    circle, weeks = CircleId(request.command.circle), request.command.weeks
    found = await request.services.circles.decide(
        circle, commands.set_season, request.player, weeks
    )
    if weeks is not None:
        # The circle closes seasons by itself, so their storage is charged in advance.
        request.services.quotas.note(request.player, charges.SEASONS)
    return await _changed(request, found)


async def set_league(request: Request[SetCircleLeague]) -> messages.Circle:
    """Set or end the league."""
    await _pay_by_members(request, SHOWN_COST)
    circle, terms = CircleId(request.command.circle), request.command.league
    circles = request.services.circles
    if terms is None:
        return await _changed(request, await circles.set_league(circle, request.player, None))
    games, limit = tuple(terms.games), terms.limit * 1000
    league = League(terms.every, games, limit, terms.drop, terms.help)
    # The owner pays for the first challenges; later ones are paid for by players.
    async with request.paying("game", charges.rounds(league.every, PAID_ROUNDS)):
        found = await circles.set_league(circle, request.player, league)
    return await _changed(request, found)


async def set_webhook(request: Request[SetCircleWebhook]) -> messages.Circle:
    """Set or remove the webhook, and send a test post to a new one."""
    await _pay_by_members(request, SHOWN_COST)
    command, circle = request.command, CircleId(request.command.circle)
    found = await request.services.circles.set_webhook(
        circle, request.player, command.url, command.form
    )
    if found.webhook is not None:
        await request.services.circle_posts.post_test(found, request.now())
        # The outcome of the test adds an entry to the journal.
        _charge(request)
        request.services.quotas.note(request.player, charges.POSTS)
    return await _changed(request, found)


async def delete(request: Request[DeleteCircle]) -> Circles:
    """Delete a circle."""
    # Deletion updates the index of every member.
    await _pay_by_members(request, MEMBER_COST)
    await _pay_by_circles(request)
    await request.services.circles.delete(CircleId(request.command.circle), request.player)
    return await _list(request)


async def _circle(request: Request[CircleCommand]) -> Circle:
    """Return the circle of a member's command."""
    circle = CircleId(request.command.circle)
    return await request.services.circles.load(circle, request.player)


def _pay_for_feed(request: Request[Command], found: Circle) -> None:
    """Charge for reading each member's history, unless the feed is built.

    Raises:
        Refusal: as `too_fast`.
    """
    if not request.services.circle_views.has_feed(found):
        request.pay(MEMBER_COST * len(found.members))


async def _pay_by_members(request: Request[CircleCommand], each: float) -> None:
    """Charge a cost per member of a circle, if the player is a member.

    Raises:
        Refusal: as `too_fast`.
    """
    circle = CircleId(request.command.circle)
    request.pay(each * await request.services.circles.size(circle, request.player))


async def _pay_by_circles(request: Request[Command]) -> None:
    """Charge for reading the player's circles.

    Raises:
        Refusal: as `too_fast`.
    """
    request.pay(LISTED_COST * len(await request.services.circles.ids(request.player)))


async def _list(request: Request[Command]) -> Circles:
    return present.circles(await request.services.circles.of(request.player), request.player)


def _charge(request: Request[Command]) -> None:
    """Charge the player's address for a journal entry."""
    request.services.quotas.note(request.player, charges.ENTRY)


async def _changed(request: Request[Command], found: Circle) -> messages.Circle:
    """Charge for a change and return the changed circle."""
    _charge(request)
    return await _shown(request, found)


async def _shown(request: Request[Command], found: Circle) -> messages.Circle:
    """Return a circle with its members' names."""
    return present.circle(found, await request.services.profiles.load(found.players))
