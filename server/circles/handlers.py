"""Handlers of the commands in `server.circles.messages`."""

from __future__ import annotations

from collections.abc import Sequence

from server.base.core.ids import CircleId, PlayerId
from server.base.core.refusal import Refusal
from server.base.wire import costs
from server.base.wire.messages import Command
from server.base.wire.session_messages import Done
from server.circles import messages, present
from server.circles.core import charges, commands
from server.circles.core.circle import PAID_ROUNDS, Circle
from server.circles.core.events import League
from server.circles.core.items import Item
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
from server.request import HandlerTable, Request

MEMBER_COST = 0.3
"""The cost of each member in a table or a feed, or of a circle that is deleted, beside that of the
command: of 200, 4.5 to 14 ms, as they have played."""

SHOWN_COST = 0.04
"""The cost of each member of a circle that is shown: of 200, 1.2 ms."""

LISTED_COST = 0.5
"""The cost of each circle that is read to list them, or to see whether there may be one more."""


async def create(request: Request[CreateCircle]) -> messages.Circle:
    """Found a circle if there is room for it."""
    await _pay_by_circles(request)
    command = request.command
    if not request.load.has_room("room"):
        raise Refusal("overloaded", wait=request.load.wait())
    async with request.paying("any", charges.CIRCLE):
        found = await request.services.circles.found(request.player, command.name, command.key)
    return await _shown(request, found)


async def invitation(request: Request[ShowInvitation]) -> Invitation:
    """Return what circle a link leads to."""
    link = request.command.link
    found = await request.services.circles.invitation(request.player, link)
    owner = (await request.services.profiles.load([found.owner]))[found.owner]
    return present.invitation(link, found, request.player, owner)


async def join(request: Request[JoinCircle]) -> messages.Circle:
    """Join a circle, for which the player's address is charged if there is such a circle."""
    circles, link = request.services.circles, request.command.link
    found = await circles.invitation(request.player, link)
    request.pay(SHOWN_COST * len(found.members))
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
    return await _shown(request, await request.front.watch_circle(request.session, circle))


async def unwatch(request: Request[UnwatchCircle]) -> Done:
    """End the session's subscription to a circle."""
    request.front.circles.unwatch(request.session)
    return Done()


async def table(request: Request[GetCircleTable]) -> CircleTable:
    """Return a table."""
    command, services = request.command, request.services
    found = await _circle(request)
    _pay(request, found)
    made = await services.circle_tables.table(found, command.span, command.period)
    return present.table(made, found, await services.profiles.load(present.players_of(made)))


async def head_to_head(request: Request[GetHeadToHead]) -> HeadToHead:
    """Return how often each of two members was better."""
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
    """Return what has happened lately."""
    found = await _circle(request)
    _pay(request, found)
    return await _feed(request, found)


async def emote(request: Request[EmoteItem]) -> CircleFeed:
    """Send an emote for an item of the feed, or take it back."""
    command, found = request.command, await _circle(request)
    _pay(request, found)
    items = await request.services.circle_tables.feed(found)
    if all(each.id != command.item for each in items):
        raise Refusal("unknown_item")
    after = await request.services.circles.emote(
        found.id, request.player, command.item, command.emote
    )
    _charge(request)
    return await _shown_feed(request, after, items)


async def leave(request: Request[LeaveCircle]) -> Circles:
    """Leave a circle."""
    await _pay_by_circles(request)
    circle = CircleId(request.command.circle)
    await request.services.circles.leave(circle, request.player)
    _charge(request)
    return await _list(request)


async def mute(request: Request[MuteCircle]) -> Circles:
    """Say whether the player wants to be notified."""
    await _pay_by_circles(request)
    circle, muted = CircleId(request.command.circle), request.command.muted
    await request.services.circles.mute(circle, request.player, muted=muted)
    _charge(request)
    return await _list(request)


async def remove(request: Request[RemoveFromCircle]) -> messages.Circle:
    """Take a member out; the member's sessions are told when the circle is sent."""
    await _pay_by_members(request, SHOWN_COST)
    circle, player = CircleId(request.command.circle), PlayerId(request.command.player)
    return await _changed(
        request, await request.services.circles.remove(circle, request.player, player)
    )


async def hand_over(request: Request[HandOverCircle]) -> messages.Circle:
    """Make another member the owner."""
    await _pay_by_members(request, SHOWN_COST)
    circle, player = CircleId(request.command.circle), PlayerId(request.command.player)
    return await _changed(
        request, await request.services.circles.hand_over(circle, request.player, player)
    )


async def rename(request: Request[RenameCircle]) -> messages.Circle:
    """Give a circle another name."""
    await _pay_by_members(request, SHOWN_COST)
    circle, name = CircleId(request.command.circle), request.command.name
    return await _changed(
        request, await request.services.circles.rename(circle, request.player, name)
    )


async def renew_link(request: Request[RenewCircleLink]) -> messages.Circle:
    """Renew the link by which a circle is joined."""
    await _pay_by_members(request, SHOWN_COST)
    circle = CircleId(request.command.circle)
    return await _changed(
        request, await request.services.circles.renew_link(circle, request.player)
    )


async def set_season(request: Request[SetCircleSeason]) -> messages.Circle:
    """Set how long the seasons are."""
    await _pay_by_members(request, SHOWN_COST)
    circle, weeks = CircleId(request.command.circle), request.command.weeks
    found = await request.services.circles.set_season(circle, request.player, weeks)
    if weeks is not None:
        request.services.quotas.note(request.player, charges.SEASONS)
    return await _changed(request, found)


async def set_league(request: Request[SetCircleLeague]) -> messages.Circle:
    """Set what the league is played by."""
    await _pay_by_members(request, SHOWN_COST)
    circle, terms = CircleId(request.command.circle), request.command.league
    circles = request.services.circles
    if terms is None:
        return await _changed(request, await circles.set_league(circle, request.player, None))
    games, limit = tuple(terms.games), terms.limit * 1000
    league = League(terms.every, games, limit, terms.drop, terms.help)
    # The owner pays for what the league makes until somebody plays.
    async with request.paying("game", charges.rounds(league.every, PAID_ROUNDS)):
        found = await circles.set_league(circle, request.player, league)
    return await _changed(request, found)


async def set_webhook(request: Request[SetCircleWebhook]) -> messages.Circle:
    """Set where posts go, and post there that they do."""
    await _pay_by_members(request, SHOWN_COST)
    command, circle = request.command, CircleId(request.command.circle)
    found = await request.services.circles.set_webhook(
        circle, request.player, command.url, command.form
    )
    if found.webhook is not None:
        await request.services.circle_posts.post_test(found, request.now())
        # The answer is an entry, too.
        _charge(request)
        request.services.quotas.note(request.player, charges.POSTS)
    return await _changed(request, found)


async def delete(request: Request[DeleteCircle]) -> Circles:
    """Delete a circle."""
    await _pay_by_members(request, MEMBER_COST)
    await _pay_by_circles(request)
    await request.services.circles.delete(CircleId(request.command.circle), request.player)
    return await _list(request)


async def _circle(request: Request[CircleCommand]) -> Circle:
    """Return the circle of a command of one of its members."""
    circle = CircleId(request.command.circle)
    return await request.services.circles.load(circle, request.player)


def _pay(request: Request[Command], found: Circle) -> None:
    """Charge for what is read of each member's history.

    Raises:
        Refusal: as `too_fast`.
    """
    request.pay(MEMBER_COST * len(found.members))


async def _pay_by_members(request: Request[CircleCommand], each: float) -> None:
    """Charge so much for each member of a circle, if the player is one of them.

    Raises:
        Refusal: as `too_fast`.
    """
    circle = CircleId(request.command.circle)
    request.pay(each * await request.services.circles.size(circle, request.player))


async def _pay_by_circles(request: Request[Command]) -> None:
    """Charge for the reading of the player's circles.

    Raises:
        Refusal: as `too_fast`.
    """
    request.pay(LISTED_COST * len(await request.services.circles.ids(request.player)))


async def _list(request: Request[Command]) -> Circles:
    return present.circles(await request.services.circles.of(request.player), request.player)


async def _feed(request: Request[CircleCommand], found: Circle) -> CircleFeed:
    return await _shown_feed(request, found, await request.services.circle_tables.feed(found))


async def _shown_feed(
    request: Request[CircleCommand], found: Circle, items: Sequence[Item]
) -> CircleFeed:
    """Return the feed of a circle, with the names of the players of its items."""
    players = [each.player for each in items if each.player is not None]
    return present.feed(found, items, await request.services.profiles.load(players))


def _charge(request: Request[Command]) -> None:
    """Charge where the player is for an entry of a journal."""
    request.services.quotas.note(request.player, charges.ENTRY)


async def _changed(request: Request[Command], found: Circle) -> messages.Circle:
    """Return a circle that the player has changed."""
    _charge(request)
    return await _shown(request, found)


async def _shown(request: Request[Command], found: Circle) -> messages.Circle:
    """Return a circle with the names of its members."""
    return present.circle(found, await request.services.profiles.load(found.players))


HANDLERS: HandlerTable = {
    CreateCircle: create,
    ShowInvitation: invitation,
    JoinCircle: join,
    ListCircles: list_circles,
    UnwatchCircle: unwatch,
    WatchCircle: watch,
    GetCircleTable: table,
    GetHeadToHead: head_to_head,
    GetCircleFeed: feed,
    EmoteItem: emote,
    LeaveCircle: leave,
    MuteCircle: mute,
    RemoveFromCircle: remove,
    HandOverCircle: hand_over,
    RenameCircle: rename,
    RenewCircleLink: renew_link,
    SetCircleSeason: set_season,
    SetCircleLeague: set_league,
    SetCircleWebhook: set_webhook,
    DeleteCircle: delete,
}
