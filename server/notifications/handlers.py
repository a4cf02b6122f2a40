"""Handlers of the commands in `server.notifications.messages`."""

from __future__ import annotations

from urllib.parse import urlsplit

from server.base.wire.messages import Command
from server.notifications.core import charges
from server.notifications.core.encryption import decoded
from server.notifications.core.wishes import Device, Quiet
from server.notifications.messages import (
    AddPush,
    GetPush,
    Push,
    PushDevice,
    QuietHours,
    RemovePush,
    SetPush,
)
from server.notifications.services import Request


async def get_push(request: Request[GetPush]) -> Push:
    """Return the player's devices and notification preferences."""
    return await _present(request)


async def add_push(request: Request[AddPush]) -> Push:
    """Add a device in the session's epoch."""
    command = request.command
    device = Device(
        command.endpoint,
        decoded(command.key),
        decoded(command.auth),
        command.language,
        request.now(),
        request.session.epoch,
    )
    async with request.paying("any", charges.DEVICE):
        await request.services.notifications.add_device(request.player, device)
    return await _present(request)


async def remove_push(request: Request[RemovePush]) -> Push:
    """Remove a device."""
    await request.services.notifications.remove_device(request.player, request.command.device)
    return await _present(request)


async def set_push(request: Request[SetPush]) -> Push:
    """Set the notification preferences."""
    given = request.command.quiet
    quiet = None if given is None else Quiet(given.begin, given.end, given.zone)
    async with request.paying("any", charges.WISHES):
        await request.services.notifications.wish(request.player, request.command.topics, quiet)
    return await _present(request)


async def _present(request: Request[Command]) -> Push:
    notifications = request.services.notifications
    devices, wishes = await notifications.load(request.player)
    quiet = wishes.quiet
    return Push(
        notifications.key,
        [
            PushDevice(each.id, urlsplit(each.endpoint).hostname or "", each.added)
            for each in devices
        ],
        [*wishes.topics],
        None if quiet is None else QuietHours(quiet.begin, quiet.end, quiet.zone),
    )
