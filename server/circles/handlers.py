"""Handlers of the commands in `server.circles.messages`."""

from __future__ import annotations

from server.base.core.refusal import Refusal
from server.base.wire.session_messages import Done
from server.circles.messages import (
    Circle,
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


async def create(request: Request[CreateCircle]) -> Circle:
    """Found a circle."""
    raise Refusal("unknown_circle")


async def invitation(request: Request[ShowInvitation]) -> Invitation:
    """Return what circle a link leads to."""
    raise Refusal("unknown_circle")


async def join(request: Request[JoinCircle]) -> Circle:
    """Join a circle."""
    raise Refusal("unknown_circle")


async def list_circles(request: Request[ListCircles]) -> Circles:
    """Return the player's circles."""
    return Circles([])


async def unwatch(request: Request[UnwatchCircle]) -> Done:
    """End the session's subscription to a circle."""
    return Done()


async def watch(request: Request[WatchCircle]) -> Circle:
    """Subscribe the session to a circle."""
    raise Refusal("unknown_circle")


async def table(request: Request[GetCircleTable]) -> CircleTable:
    """Return a table."""
    raise Refusal("unknown_circle")


async def head_to_head(request: Request[GetHeadToHead]) -> HeadToHead:
    """Return how often each of two members was better."""
    raise Refusal("unknown_circle")


async def feed(request: Request[GetCircleFeed]) -> CircleFeed:
    """Return what has happened lately."""
    raise Refusal("unknown_circle")


async def emote(request: Request[EmoteItem]) -> CircleFeed:
    """Send an emote for an item of the feed."""
    raise Refusal("unknown_circle")


async def leave(request: Request[LeaveCircle]) -> Circles:
    """Leave a circle."""
    raise Refusal("unknown_circle")


async def mute(request: Request[MuteCircle]) -> Circles:
    """Say whether the player wants to be notified."""
    raise Refusal("unknown_circle")


async def remove(request: Request[RemoveFromCircle]) -> Circle:
    """Take a member out."""
    raise Refusal("unknown_circle")


async def hand_over(request: Request[HandOverCircle]) -> Circle:
    """Make another member the owner."""
    raise Refusal("unknown_circle")


async def rename(request: Request[RenameCircle]) -> Circle:
    """Give a circle another name."""
    raise Refusal("unknown_circle")


async def renew_link(request: Request[RenewCircleLink]) -> Circle:
    """Renew the link."""
    raise Refusal("unknown_circle")


async def set_season(request: Request[SetCircleSeason]) -> Circle:
    """Set how long the seasons are."""
    raise Refusal("unknown_circle")


async def set_league(request: Request[SetCircleLeague]) -> Circle:
    """Set what the league is played by."""
    raise Refusal("unknown_circle")


async def set_webhook(request: Request[SetCircleWebhook]) -> Circle:
    """Set where posts are sent."""
    raise Refusal("unknown_circle")


async def delete(request: Request[DeleteCircle]) -> Circles:
    """Delete a circle."""
    raise Refusal("unknown_circle")


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
