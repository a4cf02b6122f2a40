"""Storage charges of rooms and rounds, for the address that causes them.

Sizes are measured with MEMORY USAGE and rounded up; see `server/STORED.md`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from server.base.core.ids import PACE_BOT, PlayerId
from server.base.core.quota import BOT, DAY, HOUR, MINUTE, RUNNER, Item
from server.deals.core.keys import PLAYED_DEAL_DAYS, UNPLAYED_DEAL_LIFE_S
from server.rooms.core import keys

# A room without a round, with the address hashes of its players.
ROOM: Final = (Item(1_700, keys.UNUSED_ROOM_LIFE_MS), Item(350, 3 * HOUR))

ENTRY: Final = Item(120, keys.ROOM_LIFE_MS)  # each further entry of a room's journal
USED_ROOM: Final = Item(1_700, keys.ROOM_LIFE_MS)  # a room from its first round on

# A round: its deal, and the entries of the room's journal.
ROUND: Final = Item(800, UNPLAYED_DEAL_LIFE_S * 1000)

ROUND_RESULTS: Final = 500  # bytes of the stored results of a round, without its players
RUNNER_RESULTS: Final = 150  # bytes of the stored results of a round for each of its players
MAX_SEATS: Final = 8  # the assumed number of seats if the room is not in this node's memory

# A quick match: a room, and a round in it against the pace bot.
MATCH: Final = (USED_ROOM, ROUND, Item(2 * RUNNER + BOT, 2 * HOUR), Item(350, 3 * HOUR))


def round_of(
    runners: int = MAX_SEATS, limit: int = 2 * HOUR, *, first: bool = True, bot: bool = False
) -> list[Item]:
    """Return the storage of a round of `limit` milliseconds.

    `first` says whether it may be the room's first round, and `bot` whether the pace bot plays; its
    run is longer.
    """
    items = [ROUND, Item(runners * RUNNER + (BOT if bot else 0), limit + HOUR + MINUTE)]
    return [USED_ROOM, *items] if first else items


def of_first_move(players: Collection[PlayerId] | None, days: int) -> list[Item]:
    """Return the storage that a player's first move in a round adds.

    This is the round's results, and the pace bot's run if it plays or the players are unknown on
    this node. The player's attempt is kept for `days` days.
    """
    # Every player pays for the whole round, since any of them may be the only one to move.
    count = len(players) if players is not None else MAX_SEATS
    items = [Item(ROUND_RESULTS + RUNNER_RESULTS * count, keys.ROUND_LIFE_MS)]
    if players is None or PACE_BOT in players:
        # Kept as long as the deal, from the round's deadline on.
        items.append(Item(BOT, (days + PLAYED_DEAL_DAYS) * DAY))
    return items
