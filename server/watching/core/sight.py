"""Visibility of a round's boards to watchers.

All runners play the same deal, so a card turned up by one of them may still be hidden from another.
While a player's own attempt at the round runs, they see no other board.
"""

from __future__ import annotations

from typing import Literal

from server.base.core.ids import PlayerId
from server.base.core.refusal import Refusal
from server.rooms.core.refusals import RoomRefusals
from server.rooms.core.room import Room
from server.watching.core.refusals import WatchRefusals

# A watcher's view of the boards: immediate, delayed by `WATCH_DELAY_MS`, or none.
Sight = Literal["live", "delayed", "hidden"]

# The delay of the boards for viewers who do not play the round, in milliseconds. The delay starts
# at the times of journal entries. It is long enough that a watcher's tips are of little use to a
# runner.
WATCH_DELAY_MS = 15_000

MAX_WATCHERS = 2_000  # maximum sessions on one node that watch one room


def sight(room: Room, player: PlayerId, *, has_key: bool) -> Sight:
    """Return a player's sight of the boards of one version of a room's latest round.

    `has_key` says whether the player has presented the room's watch key. Refused as `removed`; as
    `not_invited` without a seat, a part in the round or the key; as `still_racing` while the
    player's own attempt at the round is running.
    """
    round_ = room.round
    runs = round_ is not None and player in round_.players
    if player in room.removed:
        raise Refusal(RoomRefusals.removed)
    if not (runs or has_key or room.seat_of(player)):
        raise Refusal(WatchRefusals.not_invited)
    if round_ is None:
        return "delayed"
    if runs and player not in round_.results:
        raise Refusal(WatchRefusals.still_racing)
    if round_.public and not round_.over:
        # A watcher could help the strangers in it.
        return "hidden"
    # After the round too, non-players see the rest of it with the same delay.
    return "live" if runs else "delayed"
