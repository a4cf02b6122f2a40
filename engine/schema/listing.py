"""A game's listing: the table `[listing]` of its file, which does not affect its rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

MAX_ORDER = 1000  # the last possible place of a listing, and the place of games without one
MAX_MINUTES = 240  # of a listing

LIMITS = (3, 5, 10, 15, 20, 30, 45, 60)  # the usual time limits of races, in minutes

# The crowns of a day. A player earns one by playing all of the day's dailies that count for it.
Crown: TypeAlias = Literal["classics", "rarities"]

# What a race counts besides cards home: face-down cards turned up, or cards in building order.
Headway: TypeAlias = Literal["none", "turned-up", "in-order"]

STANDARD = "standard"  # the id of a game's rules without any variant's overrides


@dataclass(frozen=True, slots=True)
class Listing:
    """The presentation of a game in all its variants."""

    # The id of the variant of its dailies; `None` if it has none unless the operator chooses it.
    daily: str | None = None
    crown: Crown = "classics"  # the crown that its dailies count for
    order: int = MAX_ORDER  # lower numbers come first
    minutes: int = 10  # the usual duration
    race: str = STANDARD  # the id of the variant that is offered first for races
    headway: Headway = "none"  # what races count besides cards home; see `engine.headway`

    @property
    def limit(self) -> int:
        """The usual time limit of its races in minutes, long enough for slow players."""
        return next((limit for limit in LIMITS if limit >= 2 * self.minutes), LIMITS[-1])


def out_of_range(listing: Listing) -> list[tuple[bool, str, str]]:
    """Return the range checks as (whether it fails, the key, the error message)."""
    return [
        (not 0 <= listing.order <= MAX_ORDER, "order", f"must be 0 to {MAX_ORDER}."),
        (not 1 <= listing.minutes <= MAX_MINUTES, "minutes", f"must be 1 to {MAX_MINUTES}."),
    ]
