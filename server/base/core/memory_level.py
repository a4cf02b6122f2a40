"""Memory levels of the store, and the operations that each level allows. Pure."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

# Each level refuses more than the one before:
# - `filling`: rooms of players who have not played yet;
# - `tight`: all new rooms and quick matches;
# - `short`: dailies;
# - `scarce`: new rounds in existing rooms;
# - `full`: moves too, now or soon. Below it, seat holders and running games are not affected.
Level = Literal["free", "filling", "tight", "short", "scarce", "full"]

# The share of the memory limit where each level starts. The last 5 % is reserved for running games:
# of 1 GB, enough for half a million moves.
FROM: Final[dict[Level, float]] = {
    "filling": 0.80, "tight": 0.85, "short": 0.90, "scarce": 0.95, "full": 0.99,
}  # fmt: skip

LEVELS: Final[tuple[Level, ...]] = ("free", *FROM)

# Hysteresis: how far usage must fall below a level's share to leave it, so that it is logged once.
SLACK: Final = 0.02

# The share of the limit above which played games are kept for a shorter time: archived days lose
# their journals, oldest first (`server.dailies.retention`).
SPARING: Final = 0.60

# Pairs of a share of the limit and the maximum days that games started above it are kept. A race's
# run is not archived, and expires by itself.
SHORTER: Final = ((SPARING, 7), (0.70, 2))

# Kinds of new games: a first-time player's room, any other room, a daily, a round.
New = Literal["first_room", "room", "daily", "round"]

REFUSED_FROM: Final[dict[New, Level]] = {
    "first_room": "filling", "room": "tight", "daily": "short", "round": "scarce",
}  # fmt: skip


class Usage(NamedTuple):
    """Memory of one server of the store in bytes: used, and the limit (0 for none)."""

    used: int
    limit: int

    @property
    def share(self) -> float:
        """The used share of the limit; 0 without a limit."""
        return self.used / self.limit if self.limit else 0.0


def level_at(before: Level, usage: Usage) -> Level:
    """Return the level for a usage. A level is left only when usage is `SLACK` below its start."""
    reached = LEVELS.index(before)
    level: Level = "free"
    for number, (name, share) in enumerate(FROM.items(), 1):
        if usage.share >= share - (SLACK if number <= reached else 0):
            level = name
    return level


def most_days(share: float) -> int | None:
    """Return the maximum days to keep a new game at this share of the limit, or `None`."""
    return next((days for part, days in reversed(SHORTER) if share >= part), None)


def may_begin(new: New, level: Level) -> bool:
    """Return whether a kind of game may start at a level."""
    return LEVELS.index(level) < LEVELS.index(REFUSED_FROM[new])
