"""A game's listing: the table `[listing]` of its file, which does not affect its rules."""

from __future__ import annotations

from dataclasses import dataclass

MAX_ORDER = 1000  # the last possible place of a listing, and the place of games without one
MAX_MINUTES = 240  # of a listing


@dataclass(frozen=True, slots=True)
class Listing:
    """The presentation of a game in all its variants."""

    daily: bool = False  # by default; operators can choose others
    order: int = MAX_ORDER  # lower numbers come first
    minutes: int = 10  # the usual duration


def out_of_range(listing: Listing) -> list[tuple[bool, str, str]]:
    """Return the range checks as (whether it fails, the key, the error message)."""
    return [
        (not 0 <= listing.order <= MAX_ORDER, "order", f"must be 0 to {MAX_ORDER}."),
        (not 1 <= listing.minutes <= MAX_MINUTES, "minutes", f"must be 1 to {MAX_MINUTES}."),
    ]
