"""Charges for circles: what they store, for the address of who brings it about.

Circles, members and entries are as measured with MEMORY USAGE, and rounded up; what leagues,
seasons and posts store is estimated from these. See `server/STORED.md`.
"""

from __future__ import annotations

from typing import Final

from server.base.core.quota import DAY, Item
from server.challenges.core.keys import CHALLENGE_LIFE_MS
from server.circles.core import keys
from server.circles.core.circle import PAID_ROUNDS
from server.circles.core.events import Every

CIRCLE: Final = (Item(1_200, keys.CIRCLE_LIFE_MS),)
"""A circle with its owner: the journal, and that the player is in it."""

MEMBER: Final = (Item(250, keys.CIRCLE_LIFE_MS),)
"""A member: two entries of the journal, and that the player is in it."""

_ROUND: Final = 2_900
"""Bytes of a challenge of a league: as that of a member, and in the circle's journal."""

SEASONS: Final = Item(4_000, keys.CIRCLE_LIFE_MS)
"""The seasons that a circle closes by itself: as many as are kept."""

POSTS: Final = Item(4_500, keys.CIRCLE_LIFE_MS)
"""The entries of posts, which a circle makes each day: as many as there are until a checkpoint."""

_PERIOD_MS: Final[dict[Every, int]] = {"day": DAY, "week": 7 * DAY}


def rounds(every: Every, count: int) -> tuple[Item, ...]:
    """Return what so many challenges store that a league makes next, for which is paid ahead."""
    ahead = (PAID_ROUNDS + 1) * _PERIOD_MS[every]
    return (Item(count * _ROUND, ahead + CHALLENGE_LIFE_MS),)


ENTRY: Final = Item(200, keys.CIRCLE_LIFE_MS)
"""A further entry of a circle's journal."""
