"""How full the store's memory is, and what that allows. Pure."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

SHORT: Final = 0.9
"""Share of the limit from which on nothing new begins. A tenth is left for games that are played:
of 1 GB, enough for a million moves."""

FULL: Final = 0.99
"""Share of the limit from which on moves are, or soon will be, refused."""

SLACK: Final = 0.02
"""By how much less of the limit has to be taken for a level to be left, so that it is told once."""

Level = Literal["free", "short", "full"]


class Usage(NamedTuple):
    """The memory of a server of the store, in bytes: taken, and at most; 0 if there is no limit."""

    used: int
    limit: int

    @property
    def share(self) -> float:
        """The share of the limit that is taken; 0 without a limit."""
        return self.used / self.limit if self.limit else 0.0


def level_at(before: Level, usage: Usage) -> Level:
    """Return the level of a usage; one that was reached is left a little below where it began."""
    if usage.share >= FULL - (SLACK if before == "full" else 0):
        return "full"
    return "short" if usage.share >= SHORT - (SLACK if before != "free" else 0) else "free"
