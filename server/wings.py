"""The wings of the server."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import new_class

from server.foundation import Setup
from server.moderation.services import ModerationServices
from server.notifications.services import NotificationServices
from server.verification import Report, Verification
from server.watching.services import WatchServices
from server.wing import Wing

NAMES = (
    "players",
    "deals",
    "play",
    "results",
    "rooms",
    "dailies",
    "accounts",
    "practice",
    "lobby",
    "watching",
    "runs",
    "challenges",
    "circles",
    "notifications",
    "moderation",
)
"""The wings' folders, the lowest first."""

WINGS: tuple[Wing, ...] = tuple(import_module(f"server.{name}.wing").WING for name in NAMES)
"""The declarations of all wings, in the same order."""


class Services(ModerationServices, NotificationServices, WatchServices):
    """The stores, services and feeds of one node that modules outside their wings use by name.

    These three wings depend on all others of that kind. `services_of` adds the remaining ones.
    """

    async def verify(
        self, percent: int, expected: Report | None, progress: Callable[[int], None]
    ) -> Report:
        """Verify all stored data. See `server.verification`."""
        return await Verification(self, percent).run(expected, progress)


def services_of(setup: Setup) -> Services:
    """Construct the services of all wings, those of a wing after those it depends on."""
    found = (wing.services for wing in reversed(WINGS))
    others = (each for each in found if each is not None and not issubclass(Services, each))
    services: Services = new_class("AllServices", (*others, Services))(setup)
    return services
