"""The engine's exceptions, each with a stable error code."""

from __future__ import annotations


class EngineError(ValueError):
    """The base class of errors for invalid input.

    Attributes:
        code: the class's stable identifier for programs, in `snake_case`.
    """

    code = "engine"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message  # a sentence for people


class CardError(EngineError):
    """A string that is not a card."""

    code = "bad_card"


class DeckError(EngineError):
    """A deck that is not exactly the game's packs."""

    code = "bad_deck"


class SeedError(EngineError):
    """A seed that is neither 64 lower-case hexadecimal digits nor the deck of a known deal."""

    code = "bad_seed"


class DealIdError(EngineError):
    """A deal id that cannot be encoded in UTF-8."""

    code = "bad_deal"


class CommitmentError(EngineError):
    """A commitment that is not 64 lower-case hexadecimal digits (32 bytes)."""

    code = "bad_commitment"


class RulesetError(EngineError):
    """A ruleset with an unknown key or an invalid value; the message begins with the key's path."""

    code = "bad_ruleset"
    longest = 300  # characters; longer messages are cut, since they may quote long keys

    def __init__(self, message: str) -> None:
        cut = len(message) > self.longest
        super().__init__(f"{message[: self.longest]}…" if cut else message)


class UnknownGameError(EngineError):
    """A game that is not in the catalogue."""

    code = "unknown_game"


class UnknownVariantError(EngineError):
    """A variant that the game does not have."""

    code = "unknown_variant"


class UnknownRulesError(EngineError):
    """Rules of a stored attempt or deal that the catalogue lacks."""

    code = "unknown_rules"


class PositionError(EngineError):
    """A position that no play of the game can reach, or a delta that does not fit a view."""

    code = "bad_position"


class NotationError(EngineError):
    """A string that is not a move between piles of the game."""

    code = "bad_move"


class IllegalMoveError(EngineError):
    """A move that the rules do not allow in this position."""

    code = "illegal_move"
