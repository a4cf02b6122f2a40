"""The refusals of attempts."""

from __future__ import annotations

from server.base.core.refusal import RefusalCode


class PlayRefusals(RefusalCode):
    """The refusals of attempts."""

    not_started = "The round has not started yet."
    attempt_ended = "This attempt is over."
    too_many_moves = "This attempt has no moves left. You can still give up."
    no_help = "This kind of help is off in this game."
    nothing_to_undo = "There is no move to undo."
    already_played = "You have already played this."
