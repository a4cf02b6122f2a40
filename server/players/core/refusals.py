"""The refusals of players."""

from __future__ import annotations

from server.base.core.refusal import RefusalCode


class PlayerRefusals(RefusalCode):
    """The refusals of players."""

    bad_name = "A name has 1 to 20 letters, digits, spaces or simple signs."
    name_reserved = "This name is reserved for the people who run the game."
    name_offensive = "Please choose a name that is kind to everyone."
    name_too_soon = "You have changed your name a lot lately. Please wait a little."
    name_hidden = "Your name is hidden for now, and can't be changed."
