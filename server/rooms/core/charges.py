"""Charges for rooms and rounds: what they store, for the address of who brings it about.

It is as measured with MEMORY USAGE, and rounded up; see `server/STORED.md`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from server.base.core.ids import PACE_BOT, PlayerId
from server.base.core.quota import BOT, DAY, HOUR, MINUTE, RUNNER, Item
from server.deals.core.keys import PLAYED_DEAL_DAYS, UNPLAYED_DEAL_LIFE_S
from server.rooms.core import keys

ROOM: Final = (Item(1_700, keys.UNUSED_ROOM_LIFE_MS), Item(350, 3 * HOUR))
"""A room without a round, with the address hashes of its players."""

ENTRY: Final = Item(120, keys.ROOM_LIFE_MS)
"""A further entry of a room's journal."""

USED_ROOM: Final = Item(1_700, keys.ROOM_LIFE_MS)
"""A room from its first round on."""

ROUND: Final = Item(800, UNPLAYED_DEAL_LIFE_S * 1000)
"""A round: its deal, and the entries of the room's journal."""

ROUND_RESULTS: Final = 500
"""Bytes of a round that somebody has played and that is kept beside the journal, and"""

RUNNER_RESULTS: Final = 150
"""bytes of that for each of its players."""

MAX_SEATS: Final = 8
"""Seats of a room that is not known here."""

MATCH: Final = (USED_ROOM, ROUND, Item(2 * RUNNER + BOT, 2 * HOUR), Item(350, 3 * HOUR))
"""A quick match: a room, and a round in it against the pace bot."""


def round_of(
    runners: int = MAX_SEATS, limit: int = 2 * HOUR, *, first: bool = True, bot: bool = False
) -> list[Item]:
    """Return what a round stores.

    Args:
        runners: how many play it.
        limit: its length in milliseconds.
        first: whether it may be the first one of its room.
        bot: whether the pace bot plays, whose run is longer.
    """
    items = [ROUND, Item(runners * RUNNER + (BOT if bot else 0), limit + HOUR + MINUTE)]
    return [USED_ROOM, *items] if first else items


def of_first_move(players: Collection[PlayerId] | None, days: int) -> list[Item]:
    """Return what the first move of a player stores of a round; each who plays is charged for all.

    Args:
        players: who plays the round, or `None` if that is not known here.
        days: for how many days the player's attempt is kept.

    Returns:
        What is kept of the round, and the pace bot's run, if it takes part or that is not known,
        which is kept as the deal is: from the round's deadline on.
    """
    count = len(players) if players is not None else MAX_SEATS
    items = [Item(ROUND_RESULTS + RUNNER_RESULTS * count, keys.ROUND_LIFE_MS)]
    if players is None or PACE_BOT in players:
        items.append(Item(BOT, (days + PLAYED_DEAL_DAYS) * DAY))
    return items
