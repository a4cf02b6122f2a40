"""The refusals of watching."""

from __future__ import annotations

from server.base.core.refusal import RefusalCode


class WatchRefusals(RefusalCode):
    """The refusals of watching."""

    not_invited = "Only members of this room and people with its watch link can watch."
    still_racing = "You are still in this round. You can watch when you are done."
    too_many_watchers = "Too many people are watching already."
