"""Forms of values as they are stored in Redis and published between nodes.

They are apart from the values that the server computes with, so that those can change while what
has been stored can be read for ever. See `server/STORED.md` for the rules of changing a form.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

from msgspec import Struct, structs

from server.play.core.result import Result

Help = Literal["none", "undo", "hints"]
"""The help that a player may ask for: none, undoing moves, or that and hints."""


class StoredResult(Struct, frozen=True, omit_defaults=True):
    """A result in a room's journal, in the outbox and in messages between nodes.

    Attributes:
        home: cards on foundations.
        left: cards not there.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: moves played.
        end: why the attempt ended, or `None` while it goes on.
        undos: how many of the moves went back one.
        hints: how many hints the player was given.
        peeked: whether going back covered a card that had been seen.
    """

    home: int
    left: int
    time: int
    moves: int
    end: Literal["won", "stuck", "resigned", "time"] | None
    undos: int = 0
    hints: int = 0
    peeked: bool = False

    @classmethod
    def of(cls, result: Result) -> StoredResult:
        """Return the stored form of a result."""
        return cls(**asdict(result))

    def restored(self) -> Result:
        """Return the result that this is the form of."""
        return Result(**structs.asdict(self))
