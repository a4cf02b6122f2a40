"""The refusals of moderation."""

from __future__ import annotations

from server.base.core.refusal import RefusalCode


class ModerationRefusals(RefusalCode):
    """The refusals of moderation."""

    not_operator = "Only this server's operators can do that."
    unknown_case = "There is no such case, or it is no longer kept."
