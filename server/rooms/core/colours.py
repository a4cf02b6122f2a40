"""Colours of the players in a room.

The server assigns them: colours derived from the order of a list would change on screen whenever
the order does, for example at the start of a race.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from server.base.core.ids import PlayerId

COLOURS: Final = 8  # the number of colours: one for each seat of the largest room


def after(
    colours: Mapping[PlayerId, int], members: Sequence[PlayerId], runners: Sequence[PlayerId]
) -> dict[PlayerId, int]:
    """Return each player's colour, a number below `COLOURS`; no two members share one.

    `members` are in the order of their seats, and `runners` are those of the latest round,
    including players who have left. Players keep their colour unless another member has taken it.
    """
    held = {colours[player] for player in (*members, *runners) if player in colours}
    given: dict[PlayerId, int] = {}
    for player in members:
        mine = colours.get(player)
        # Taken only from a player who leaves a full room during a round and returns.
        if mine is None or mine in given.values():
            first = favourite(player)
            left = [nth % COLOURS for nth in range(first, first + COLOURS)]
            left = [nth for nth in left if nth not in given.values()]
            mine = next((nth for nth in left if nth not in held), left[0])
        given[player] = mine
    return {player: colours[player] for player in runners if player in colours} | given


def favourite(player: PlayerId) -> int:
    """Return the colour that a player gets in every room where it is free."""
    # Not `hash()`: the result must be the same in all processes, and on the page.
    hashed = 0
    for character in player:
        hashed = (hashed * 31 + ord(character)) % 65_521
    return hashed % COLOURS
