"""What the engine refuses, and by which code."""

from __future__ import annotations


class EngineError(ValueError):
    """Input that the engine refuses.

    Attributes:
        code: a stable word for programs, in `snake_case`.
        message: one sentence for people.
    """

    code = "engine"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class CardError(EngineError):
    """A text that is no card."""

    code = "bad_card"


class DeckError(EngineError):
    """A pack that does not hold each card as often as the game wants it."""

    code = "bad_deck"


class SeedError(EngineError):
    """A seed that is not 32 bytes in hexadecimal."""

    code = "bad_seed"


class DealIdError(EngineError):
    """A text that no deal's id can be."""

    code = "bad_deal"


class CommitmentError(EngineError):
    """A commitment that is not 32 bytes in hexadecimal."""

    code = "bad_commitment"


class RulesetError(EngineError):
    """A ruleset with an unknown key or an impossible value; the message begins with its path."""

    code = "bad_ruleset"
    longest = 300
    """A message of more characters is cut: keys and values of a file may have any length."""

    def __init__(self, message: str) -> None:
        cut = len(message) > self.longest
        super().__init__(f"{message[: self.longest]}…" if cut else message)


class UnknownGameError(EngineError):
    """A game that the catalogue does not hold."""

    code = "unknown_game"


class UnknownVariantError(EngineError):
    """A variant that the game does not have."""

    code = "unknown_variant"


class UnknownRulesError(EngineError):
    """Rules that something stored is played by, and that the catalogue does not hold."""

    code = "unknown_rules"


class PositionError(EngineError):
    """A position that cannot be."""

    code = "bad_position"


class NotationError(EngineError):
    """A text that is no move of this game's piles."""

    code = "bad_move"


class IllegalMoveError(EngineError):
    """A move that the rules do not allow in this position."""

    code = "illegal_move"
