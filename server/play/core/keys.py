"""Keys of attempts in Redis, and how long they live."""

from __future__ import annotations

from server.base.core.keys import DAY_SECONDS, partition
from server.base.core.quota import KEPT_DAYS, LEAST_DAYS

ATTEMPT_LIFE_MS = KEPT_DAYS * DAY_SECONDS * 1000
"""Milliseconds that the journal of an attempt is kept after its deadline if it was played; fewer if
much was stored where its player is (`server.base.core.quota`)."""

CERTAIN_LIFE_MS = LEAST_DAYS * DAY_SECONDS * 1000
"""The same in any case: from then on it may be deleted, once its day is archived."""

UNPLAYED_LIFE_MS = 3_600_000
"""The same if it was not played: until then its player can be told how it ended, and whoever
started it cannot start it anew, since its deal is dealt to nobody after the deadline."""


def attempt(attempt_id: str) -> str:
    """Return the key of an attempt's journal: a stream."""
    return f"{{p{partition(attempt_id)}}}:attempt:{attempt_id}"
