"""Watching: who may see the boards of a round's runners, and when.

All runners play the same deal, so that a card which one of them has turned up is one that another
has not seen yet. A player whose own attempt at the round runs is shown no board but its own.
"""

from __future__ import annotations

from typing import Literal

from server.base.core.ids import PlayerId
from server.base.core.refusal import Refusal
from server.rooms.core.room import Room

Sight = Literal["live", "delayed", "hidden"]
"""How a watcher sees the boards of a round: at once, `WATCH_DELAY_MS` later, or not at all."""

WATCH_DELAY_MS = 15_000
"""Milliseconds by which those who do not play a round see its boards later.

It is counted from the times of the journals' entries, and long enough that what a watcher tells a
runner is of little use.
"""

MAX_WATCHERS = 2_000
"""Sessions on one node that may watch one room."""


def sight(room: Room, player: PlayerId, *, has_key: bool) -> Sight:
    """Return how a player may see the boards of a room's latest round.

    The answer changes only with the room: it holds for a version of it. A public round is hidden
    until it is over, since strangers play it whom somebody could tell. A round that is over is not
    hidden any more, and those who have not played it see it to its end as they saw it before.

    Args:
        room: the room.
        player: who wants to watch, on any session.
        has_key: whether the player has shown the room's watch key.

    Raises:
        Refusal: as `removed`; as `not_invited` without a seat, a part in the round, or the key; as
            `still_racing` while the player's own attempt at the round is not over.
    """
    round_ = room.round
    runs = round_ is not None and player in round_.players
    if player in room.removed:
        raise Refusal("removed")
    if not (runs or has_key or room.seat_of(player)):
        raise Refusal("not_invited")
    if round_ is None:
        return "delayed"
    if runs and player not in round_.results:
        raise Refusal("still_racing")
    if round_.public and not round_.over:
        return "hidden"
    return "live" if runs else "delayed"
