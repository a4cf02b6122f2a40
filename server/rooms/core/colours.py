"""The colours of the people in a room.

The room gives them out, not the screens: a colour that depends on the order in which a screen lists
people changes under somebody's eyes when that order does, as when a race begins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from server.base.core.ids import PlayerId

COLOURS: Final = 8
"""How many there are: one for each seat of the largest room."""


def after(
    colours: Mapping[PlayerId, int], members: Sequence[PlayerId], runners: Sequence[PlayerId]
) -> dict[PlayerId, int]:
    """Return everybody's colour, each a number below `COLOURS`, of which members have their own.

    Whoever has one keeps it, unless another member has got it since: that is only so for somebody
    who left a full room during a round and came back.

    Args:
        colours: what they have had.
        members: in the order in which they took their seats.
        runners: the players of the latest round, of whom some may have left.
    """
    held = {colours[player] for player in (*members, *runners) if player in colours}
    given: dict[PlayerId, int] = {}
    for player in members:
        mine = colours.get(player)
        if mine is None or mine in given.values():
            first = favourite(player)
            left = [nth % COLOURS for nth in range(first, first + COLOURS)]
            left = [nth for nth in left if nth not in given.values()]
            mine = next((nth for nth in left if nth not in held), left[0])
        given[player] = mine
    return {player: colours[player] for player in runners if player in colours} | given


def favourite(player: PlayerId) -> int:
    """Return the colour that a player has in each room in which nobody else has taken it."""
    hashed = 0
    for character in player:
        hashed = (hashed * 31 + ord(character)) % 65_521
    return hashed % COLOURS
