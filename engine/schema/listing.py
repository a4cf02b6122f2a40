"""The listing of a game: the table `[listing]` of its file, which is no part of its rules."""

from __future__ import annotations

from dataclasses import dataclass

MAX_ORDER = 1000
"""The last place among the games that a listing can have, and that of a game without one."""

MAX_MINUTES = 240
"""The longest that a listing can say a deal takes, in minutes."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The way in which a game is offered, in all its variants.

    Attributes:
        daily: whether it is one of the dailies unless the operator says otherwise.
        order: its place among the games: those of lower numbers are offered first.
        minutes: how long a deal usually takes.
    """

    daily: bool = False
    order: int = MAX_ORDER
    minutes: int = 10


def out_of_range(listing: Listing) -> list[tuple[bool, str, str]]:
    """Return the checks beyond types, as (whether it fails, the key, the error message)."""
    return [
        (not 0 <= listing.order <= MAX_ORDER, "order", f"must be 0 to {MAX_ORDER}."),
        (not 1 <= listing.minutes <= MAX_MINUTES, "minutes", f"must be 1 to {MAX_MINUTES}."),
    ]
