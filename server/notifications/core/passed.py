"""Selection of the players to notify when they are overtaken in a challenge."""

from __future__ import annotations

from typing import Final

from server.base.core.ids import PlayerId
from server.challenges.core.challenge import Challenge

# Players notified of one overtaking, closest first. In a challenge with a thousand players, most
# would otherwise be notified of every good result.
MAX_NOTIFIED: Final = 10


def passed(challenge: Challenge, by: PlayerId) -> list[PlayerId]:
    """Return the players overtaken when a player's attempt ends, best first."""
    ranks = challenge.ranks()
    own = ranks.get(by)
    if own is None:
        return []
    ended = challenge.players[by].ended
    behind = [
        player
        for player, rank in ranks.items()
        if rank > own and challenge.players[player].ended <= ended
    ]
    return sorted(behind, key=lambda player: ranks[player])[:MAX_NOTIFIED]
