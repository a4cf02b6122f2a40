"""Rate limit of changes: the more a player has changed a room lately, the more each change costs.

The cost is a time until which a player's changes count. It is part of the room's state, so that all
nodes agree. Occasional changes cost one second each; a player who toggles constantly soon pays nine
seconds per change. Times are Unix milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from server.base.core.ids import PlayerId
from server.base.core.refusal import BaseRefusals, Refusal

COST_MS: Final = 1_000  # milliseconds that a change costs by itself
GROWTH: Final = 8  # the divisor of the pending cost that is added to a change's own cost

# Milliseconds of pending cost above which changes are refused: a burst of 18 changes, then one
# every 8.5 seconds.
MOST_MS: Final = 60_000

# The maximum number of players with pending costs; the lowest costs are dropped.
MAX_PACED: Final = 64


def check(paces: Mapping[PlayerId, int], player: PlayerId, now: int) -> None:
    """Refuse as `too_fast`, with the time to wait, a player beyond the rate limit.

    `paces` has the time until which each player's changes count.
    """
    excess = paces.get(player, 0) - now - MOST_MS
    if excess > 0:
        raise Refusal(BaseRefusals.too_fast, wait=excess)


def after(paces: Mapping[PlayerId, int], player: PlayerId, now: int) -> dict[PlayerId, int]:
    """Return `paces` after one more change by a player."""
    counting = {each: until for each, until in paces.items() if until > now}
    counted = counting.get(player, now) - now
    counting[player] = now + counted + COST_MS + counted // GROWTH
    if len(counting) > MAX_PACED:
        # Break ties by id, so that all nodes drop the same player.
        least = min(counting, key=lambda each: (counting[each], each))
        del counting[least]
    return counting
