"""The refusals of notifications."""

from __future__ import annotations

from server.base.core.refusal import RefusalCode


class NotificationRefusals(RefusalCode):
    """The refusals of notifications."""

    no_push = "This server does not send notifications."
    bad_push = "This server can't send notifications there."
    unknown_zone = "The server does not know this time zone."
