"""Those who have been passed in a challenge, and are to be told."""

from __future__ import annotations

from typing import Final

from server.base.core.ids import PlayerId
from server.challenges.core.challenge import Challenge

MAX_TOLD: Final = 10
"""Players who are told that somebody has passed them, those who are closest behind: of a thousand,
most lose a place to everybody who comes."""


def passed(challenge: Challenge, by: PlayerId) -> list[PlayerId]:
    """Return whom a player has passed by ending an attempt, the best of them first."""
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
    return sorted(behind, key=lambda player: ranks[player])[:MAX_TOLD]
