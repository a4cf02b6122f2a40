"""Forms of values as they are stored in Redis and published between nodes.

They are apart from the values that the server computes with, so that those can change while what
has been stored can be read for ever. See `server/STORED.md` for the rules of changing a form.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from server.core.ranking import Result


class StoredResult(Struct, frozen=True):
    """A result in a room's journal, in the outbox and in messages between nodes.

    Attributes:
        home: cards on foundations.
        left: cards not there.
        time: milliseconds from the start to the last card that reached a foundation.
        moves: moves played.
        end: why the attempt ended, or `None` while it goes on.
    """

    home: int
    left: int
    time: int
    moves: int
    end: Literal["won", "stuck", "resigned", "time"] | None

    @classmethod
    def of(cls, result: Result) -> StoredResult:
        """Return the stored form of a result."""
        return cls(result.home, result.left, result.time, result.moves, result.end)

    def restored(self) -> Result:
        """Return the result that this is the form of."""
        return Result(self.home, self.left, self.time, self.moves, self.end)
