"""Rate limit of changes: each change of a room by a player costs more, the more there were lately.

What the changes of a player cost counts until some time, which is in the room's state, so that all
nodes agree. One after the other, without haste, they cost a second each; who toggles something all
the time soon pays nine seconds for each, and is refused until enough of that has passed. Times are
Unix milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from server.base.core.ids import PlayerId
from server.base.core.refusal import Refusal

COST_MS: Final = 1_000
"""Milliseconds for which a change counts by itself."""

GROWTH: Final = 8
"""By this part of what counts already, a change counts for longer."""

MOST_MS: Final = 60_000
"""Milliseconds that may count when a player changes something: 18 changes at once, then one every
8.5 seconds."""

MAX_PACED: Final = 64
"""Players whose changes count; of more than that, those who have changed the most."""


def check(paces: Mapping[PlayerId, int], player: PlayerId, now: int) -> None:
    """Check that a player may change something.

    Args:
        paces: until when each player's changes count.
        player: the player.
        now: the time.

    Raises:
        Refusal: with the code `too_fast`, and how long to wait.
    """
    excess = paces.get(player, 0) - now - MOST_MS
    if excess > 0:
        raise Refusal("too_fast", wait=excess)


def after(paces: Mapping[PlayerId, int], player: PlayerId, now: int) -> dict[PlayerId, int]:
    """Return until when each player's changes count, after one more by a player."""
    counting = {each: until for each, until in paces.items() if until > now}
    counted = counting.get(player, now) - now
    counting[player] = now + counted + COST_MS + counted // GROWTH
    if len(counting) > MAX_PACED:
        least = min(counting, key=lambda each: (counting[each], each))
        del counting[least]
    return counting
