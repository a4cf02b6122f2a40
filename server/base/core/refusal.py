"""Refusals: a code and a message that explain why a command was not executed."""

from __future__ import annotations

from enum import Enum

from engine.errors import EngineError


class RefusalCode(Enum):
    """The base of enumerations of refusals: names are the codes that clients receive.

    Each wing extends it in its `core/refusals.py`, and names its enumeration in its `wing.py`. A
    code that several wings raise is in a wing on which all of them depend, or here.
    """

    _value_: str  # the default sentence for people


class BaseRefusals(RefusalCode):
    """The refusals that the base raises or interprets, and those of the engine."""

    bad_message = "This is not a valid message of the protocol."
    hello_first = "A session must start with a single hello."
    bad_version = "The server does not support this version of the protocol."
    bad_token = "This token is invalid or has expired."  # noqa: S105 - a sentence
    barred = "You can't play here for now."
    not_for_bots = "Bots can only play in private rooms that let them in."
    too_fast = "Too many commands. Please slow down."
    unknown_game = "There is no such game."
    unknown_variant = "This game has no such variant."
    bad_ruleset = "These rules cannot be played."
    bad_deck = "These are not the cards of this game."
    bad_seed = "This is not a valid deal."
    bad_move = "This is not a move of this game."
    illegal_move = "The rules do not allow this move here."
    unknown_attempt = "You have no such attempt."
    unknown_rules = "The server does not know the rules of this game."
    unknown_format = "This was stored by a newer release of the server."
    seed_not_opened = "The server lacks the key to this deal."
    entries_lost = "The server has lost part of this data."
    address_full = "There is a lot going on from your address. Please try again a little later."
    unknown_day = "There is no leaderboard for this day."
    unknown_deal = "There is no such deal."
    unknown_player = "There is no such player."
    unknown_run = "There is no such run, or it is no longer kept."
    no_webhooks = "This server does not post to other services."
    bad_webhook = "The server cannot post to this address."
    overloaded = "The server is overloaded. Please try again soon."
    unavailable = "The server cannot reach its store. Please try again."
    internal = "Something went wrong on the server."


class HttpRefusals(RefusalCode):
    """The refusals that only the HTTP interface has."""

    unknown_path = "There is nothing at this path."
    bad_method = "This path is read-only."
    bad_request = "This request is not valid."
    being_made = "This file is being generated. Please try again in a minute."


class Refusal(Exception):  # noqa: N818 - a refusal is an answer, not an error
    """A command was refused.

    Attributes:
        text: a message for people.
        wait: milliseconds to wait before a retry, or 0 if no wait is needed.
    """

    def __init__(self, code: RefusalCode, text: str | None = None, wait: int = 0) -> None:
        super().__init__(code.name)
        self.code = code
        self.text = text if text is not None else code.value
        self.wait = wait

    @classmethod
    def of(cls, error: EngineError) -> Refusal:
        """Convert an engine error, keeping its code and message."""
        return cls(BaseRefusals[error.code], error.message)


class UnreadableError(Exception):
    """A stored item cannot be read: by this release, with these keys, or because it is damaged.

    The item is left unchanged. Every read of an item may raise it. This is not a `Refusal`, since a
    refusal states something about the stored state, and that state is unknown here.
    """

    def __init__(self, code: RefusalCode) -> None:
        super().__init__(code.name)
        self.code = code


class UnsuitableError(Exception):
    """The store cannot be used: its version or configuration is not supported."""


class UnavailableError(Exception):
    """The store did not answer or refused a write, so it is unknown whether the write took effect.

    Every read or write of the store may raise it. Docstrings mention it only to add something, such
    as a possible partial result.
    """
