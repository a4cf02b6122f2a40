"""The refusals of leaderboards."""

from __future__ import annotations

from server.base.core.refusal import RefusalCode


class ResultRefusals(RefusalCode):
    """The refusals of leaderboards."""

    unknown_board = "There is no such leaderboard."
