"""Messages about notifications: devices, topics and quiet hours."""

from __future__ import annotations

from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from server.base.core import costs
from server.base.outbound.core.destination import MAX_URL
from server.base.wire.messages import Command, Event
from server.notifications.core.wishes import MAX_ZONE, MINUTES, Topic

Minute = Annotated[int, Meta(ge=0, le=MINUTES - 1)]
"""Minutes after midnight."""


class QuietHours(Struct, array_like=True, frozen=True):
    """The daily quiet hours, without notifications.

    Attributes:
        begin: the start, in minutes after midnight local time.
        end: the end, likewise; earlier than `begin` if the hours include midnight.
        zone: the name of the player's time zone, such as `Europe/Berlin` (IANA), or the offset from
            UTC, such as `+05:30`.
    """

    begin: Minute
    end: Minute
    zone: Annotated[str, Meta(max_length=MAX_ZONE)]


class GetPush(Command, tag=145, frozen=True):
    """Request the player's devices and notification preferences."""

    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.LOOK


class AddPush(Command, tag=146, frozen=True):
    """Subscribe a device to the player's notifications, with its browser's push subscription.

    A known device is updated. A sixth device replaces the earliest one. Refused as `no_push` if the
    server does not send notifications, or as `bad_push` if the endpoint is not at a known push
    service or a key is invalid.

    Attributes:
        endpoint: the subscription's endpoint, which starts with `https://`.
        key: its key `p256dh` (base64url).
        auth: its key `auth` (base64url).
        language: the language of the device's notifications, such as `en`.
    """

    endpoint: Annotated[str, Meta(max_length=MAX_URL)]
    key: Annotated[str, Meta(max_length=100)]
    auth: Annotated[str, Meta(max_length=40)]
    language: Annotated[str, Meta(max_length=16)]
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.CHANGE


class RemovePush(Command, tag=147, frozen=True):
    """Unsubscribe a device.

    Attributes:
        device: the device's id.
    """

    device: Annotated[str, Meta(max_length=16)]
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.READ


class SetPush(Command, tag=148, frozen=True):
    """Set the topics of notifications and the quiet hours, for all devices.

    Refused as `no_push`, or as `unknown_zone` if the server does not know the time zone.

    Attributes:
        topics: `challenged`: another player challenged the player; `beaten`: another player
            overtook the player; `streak`: a streak of dailies ends in two hours.
        quiet: the quiet hours, or null. Notifications from quiet hours are sent at their end if
            still useful.
    """

    topics: Annotated[list[Topic], Meta(max_length=3)]
    quiet: QuietHours | None
    for_bots: ClassVar[bool] = False
    cost: ClassVar[float] = costs.CHANGE


class PushDevice(Struct, array_like=True, frozen=True):
    """A subscribed device.

    Attributes:
        id: the first 16 hexadecimal digits of the SHA-256 of `samedeal push`, a zero byte, and the
            device's endpoint.
        service: the host name of its push service.
        added: the time it was added, in Unix milliseconds.
    """

    id: str
    service: str
    added: int


class Push(Event, tag=114, frozen=True):
    """The player's devices and notification preferences.

    Attributes:
        key: the public key for a browser's subscription (base64url); null if the server does not
            send notifications.
        devices: the devices, earliest first.
        topics: the topics, as in `SetPush`.
        quiet: the quiet hours, or null.
    """

    key: str | None
    devices: list[PushDevice]
    topics: list[Topic]
    quiet: QuietHours | None
