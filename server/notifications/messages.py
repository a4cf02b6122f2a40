"""Notifications: on which devices a player is told what, and when not."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from server.base.outbound.core.destination import MAX_URL
from server.base.wire import costs
from server.base.wire.messages import Command, Event
from server.notifications.core.wishes import MAX_ZONE, MINUTES, Topic

Minute = Annotated[int, Meta(ge=0, le=MINUTES - 1)]
"""Minutes after midnight."""


class QuietHours(Struct, array_like=True, frozen=True):
    """The hours of each day in which nothing is told.

    Attributes:
        begin: from when, in minutes after midnight where the player is.
        end: until when; earlier than `begin` if midnight is between them.
        zone: the name of the time zone where the player is, as `Europe/Berlin` (IANA); or how much
            the player's clock is ahead of UTC, as `+05:30`.
    """

    begin: Minute
    end: Minute
    zone: Annotated[str, Meta(max_length=MAX_ZONE)]


class GetPush(Command, tag=145, frozen=True):
    """Ask on which devices the player is told what."""

    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.LOOK


class AddPush(Command, tag=146, frozen=True):
    """Have the player told something on this device, as its browser has subscribed.

    A device that is known is changed. A sixth one takes the place of the one that was added first.
    Refused as `no_push`, if this server tells nothing, or as `bad_push`, if it is at no push
    service that the server knows, or its keys are none.

    Attributes:
        endpoint: the subscription's, which begins with `https://`.
        key: its key `p256dh` (base64url).
        auth: its key `auth` (base64url).
        language: in which the device shows what it is told, as `en`.
    """

    endpoint: Annotated[str, Meta(max_length=MAX_URL)]
    key: Annotated[str, Meta(max_length=100)]
    auth: Annotated[str, Meta(max_length=40)]
    language: Annotated[str, Meta(max_length=16)]
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.CHANGE


class RemovePush(Command, tag=147, frozen=True):
    """Tell the player nothing any more on a device.

    Attributes:
        device: its id.
    """

    device: Annotated[str, Meta(max_length=16)]
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.READ


class SetPush(Command, tag=148, frozen=True):
    """Set what the player is told, on all devices, and when not.

    Refused as `no_push`, or as `unknown_zone`, if the server knows no such time zone.

    Attributes:
        topics: `challenged`: somebody challenges the player; `beaten`: somebody has passed the
            player; `streak`: a streak of dailies ends in two hours.
        quiet: the hours in which nothing is told, but at their end if it is of use then; null for
            none.
    """

    topics: Annotated[list[Topic], Meta(max_length=3)]
    quiet: QuietHours | None
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.CHANGE


class PushDevice(Struct, array_like=True, frozen=True):
    """A device on which the player is told something.

    Attributes:
        id: the first 16 hexadecimal digits of the SHA-256 of `samedeal push`, a zero byte, and its
            endpoint.
        service: the name of its push service.
        added: since when, in Unix milliseconds.
    """

    id: str
    service: str
    added: int


class Push(Event, tag=114, frozen=True):
    """On which devices the player is told what.

    Attributes:
        key: the public key that a browser subscribes with (base64url); null if this server tells
            nothing.
        devices: the one that was added first before the others.
        topics: what the player is told; see `SetPush`.
        quiet: the hours in which nothing is told; null for none.
    """

    key: str | None
    devices: list[PushDevice]
    topics: list[Topic]
    quiet: QuietHours | None
