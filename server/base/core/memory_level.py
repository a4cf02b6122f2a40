"""How full the store's memory is, and what that allows. Pure."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

Level = Literal["free", "filling", "tight", "short", "scarce", "full"]
"""How full the store is; from each level on, one thing more does not begin any more:

- `filling`: rooms of players who have not played yet;
- `tight`: rooms, and quick matches;
- `short`: dailies;
- `scarce`: rounds, in rooms that are there;
- `full`: moves are refused, or soon will be.

Whoever has a seat or an open game goes on as before, and comes back to it.
"""

FROM: Final[dict[Level, float]] = {
    "filling": 0.80, "tight": 0.85, "short": 0.90, "scarce": 0.95, "full": 0.99,
}  # fmt: skip
"""The share of the limit from which on each level holds. The last twentieth is left for games that
are played: of 1 GB, enough for half a million moves."""

LEVELS: Final[tuple[Level, ...]] = ("free", *FROM)
"""All levels, in order."""

SLACK: Final = 0.02
"""By how much less of the limit has to be taken for a level to be left, so that it is told once."""

SPARING: Final = 0.60
"""The share of the limit from which on played games are kept for a shorter time: days that are
archived lose their journals, the oldest first (`server.dailies.retention`)."""

SHORTER: Final = ((SPARING, 7), (0.70, 2))
"""From which share on what begins is kept for fewer days if it is played, and for how many: a
race's run is in no archive, and expires by itself."""

New = Literal["first_room", "room", "daily", "round"]
"""Kinds of beginnings: a room of somebody who has not played yet, another one, a daily, a round."""

ENDS_AT: Final[dict[New, Level]] = {
    "first_room": "filling", "room": "tight", "daily": "short", "round": "scarce",
}  # fmt: skip
"""From which level on each does not begin."""


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
    reached = LEVELS.index(before)
    level: Level = "free"
    for number, (name, share) in enumerate(FROM.items(), 1):
        if usage.share >= share - (SLACK if number <= reached else 0):
            level = name
    return level


def most_days(share: float) -> int | None:
    """Return for how many days what begins is kept at most, at this share of the limit, if any."""
    return next((days for part, days in reversed(SHORTER) if share >= part), None)


def may_begin(new: New, level: Level) -> bool:
    """Return whether something may begin at a level."""
    return LEVELS.index(level) < LEVELS.index(ENDS_AT[new])
