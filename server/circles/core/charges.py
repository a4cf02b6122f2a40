"""Storage charges of circles, for the address that causes them.

The sizes of circles, members and entries are measured with MEMORY USAGE and rounded up. Those for
leagues, seasons and posts are estimated from them. See `server/STORED.md`.
"""

from __future__ import annotations

from typing import Final

from server.base.core.quota import DAY, Item
from server.challenges.core.keys import CHALLENGE_LIFE_MS
from server.circles.core import keys
from server.circles.core.circle import PAID_ROUNDS
from server.circles.core.events import Every

# A circle with its owner: its journal and the owner's list entry.
CIRCLE: Final = (Item(1_200, keys.CIRCLE_LIFE_MS),)

# A member: two journal entries and an entry in the player's list of circles.
MEMBER: Final = (Item(250, keys.CIRCLE_LIFE_MS),)

# Bytes for a league challenge: a challenge and its entry in the circle's journal.
_ROUND: Final = 2_900

SEASONS: Final = Item(4_000, keys.CIRCLE_LIFE_MS)  # the past seasons that a circle keeps

# The entries for daily posts between two checkpoints.
POSTS: Final = Item(4_500, keys.CIRCLE_LIFE_MS)

_PERIOD_MS: Final[dict[Every, int]] = {"day": DAY, "week": 7 * DAY}


def rounds(every: Every, count: int) -> tuple[Item, ...]:
    """Return the charge for a number of prepaid league challenges."""
    ahead = (PAID_ROUNDS + 1) * _PERIOD_MS[every]
    return (Item(count * _ROUND, ahead + CHALLENGE_LIFE_MS),)


ENTRY: Final = Item(200, keys.CIRCLE_LIFE_MS)  # one more entry in a circle's journal
