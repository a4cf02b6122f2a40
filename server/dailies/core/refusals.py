"""The refusals of dailies."""

from __future__ import annotations

from server.base.core.refusal import RefusalCode


class DailyRefusals(RefusalCode):
    """The refusals of dailies."""

    no_daily = "There is no daily for this game today."
    too_many_starts = "Too many players at your address have started this daily."
