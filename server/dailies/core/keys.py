"""Keys in Redis of who plays the dailies, and how long they live."""

from __future__ import annotations

from server.base.core.days import DailyId
from server.base.core.keys import DAY_SECONDS
from server.base.core.quota import KEPT_DAYS

DIGESTS_LIFE_S = 3 * DAY_SECONDS
"""Seconds that the digests of a daily's runs, and who began it where, are kept after the last one:
it is over by then."""

MAX_AT_ADDRESS = 16
"""Players who have begun a daily at one address that are kept, unless the operator allows more."""


TRIMMED_DAYS = "trimmed-days"
"""The key of the days whose journals have been deleted: a sorted set of their numbers."""

TRIMMED_LIFE_S = KEPT_DAYS * DAY_SECONDS
"""Seconds that this is known after the last one: by then, no such day has journals in any case."""


def digests(daily_id: DailyId) -> str:
    """Return the key of the digests of a daily's boards: a hash of the first player by digest."""
    return f"digests:{{{daily_id.name}}}"


def starts(daily_id: DailyId) -> str:
    """Return the key of who began a daily where: a hash of players by address, and by player."""
    return f"starts:{{{daily_id.name}}}"
