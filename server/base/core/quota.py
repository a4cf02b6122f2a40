"""Storage quotas of addresses: their size, expiry and which requests are refused first. Pure.

Stored bytes are charged to the client's address (in IPv6 also to its /48) until they expire, so
that no client can fill the store for the others. The quota limits the bytes stored at a time, not
the bytes written: a client over its quota only has to wait.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000

# Kinds of storage requests: an empty room, a game to be played, or anything else.
Need = Literal["room", "game", "any"]

# The share of its quota up to which an address may start each kind of request. Empty rooms are
# therefore refused first, then games. The last eighth is reserved for running games.
PARTS: Final[dict[Need, float]] = {"room": 3 / 4, "game": 7 / 8, "any": 1.0}

ADDRESS_PLAYERS: Final = 250  # the default number of players that may share an address

# Quota in bytes per player that may share an address: 80 MB for 250 players. A school of 200
# players with three games a day each stores 7 MB a day, a home of five 170 kB.
PLAYER_BYTES: Final = 320_000

# The maximum share of the store's memory for one address. It grows with the operator's number of
# players per address, since one address may then carry all players.
SHARE: Final = 0.08

WIDE_PLAYERS: Final = 4  # the quota of an IPv6 /48 as a multiple of the quota of a /64 in it
WIDE_SHARE: Final = 0.16  # the maximum share of the store's memory for one /48
KEPT_DAYS: Final = 90  # default days that a played game is kept after its deadline

# The minimum days that a played game is kept, whatever the operator's setting and memory usage.
LEAST_DAYS: Final = 2

# Pairs of a share of the quota and the days that games played above it are kept. A busy address
# therefore loses replays, but no games.
SHORTER: Final = ((1 / 4, 7), (1 / 3, 2))

RUNNER: Final = 1_500  # bytes of an unplayed attempt, per player of a round
BOT: Final = 10_000  # bytes of the pace bot's run

# Pairs of a maximum lifetime and the granularity of its expiries, in milliseconds.
_GRAINS: Final = (
    (HOUR, 5 * MINUTE), (8 * HOUR, 30 * MINUTE), (2 * DAY, 3 * HOUR), (10 * DAY, DAY),
)  # fmt: skip

_LONG_GRAIN: Final = 10 * DAY


class Item(NamedTuple):
    """An item to store: its size in bytes and its lifetime in milliseconds from now."""

    size: int
    life: int


class Charge(NamedTuple):
    """The outcome of a charge."""

    accepted: bool
    stored: int  # bytes of the address, including the charged items
    first: int  # the earliest expiry, in Unix milliseconds; 0 if nothing is stored


def quota_of(players: int, limit: int, *, wide: bool) -> int:
    """Return the quota in bytes of an address, or of an IPv6 /48 if `wide`.

    `limit` is the store's memory in bytes, 0 if there is no limit.
    """
    most = players * PLAYER_BYTES * (WIDE_PLAYERS if wide else 1)
    share = (WIDE_SHARE if wide else SHARE) * max(1, players / ADDRESS_PLAYERS)
    return min(most, int(limit * min(share, 1))) if limit else most


def counted_until(now: int, life: int) -> int:
    """Return an item's charged expiry in Unix milliseconds, no earlier than the real one."""
    # Rounded up by about an eighth of the lifetime, and never by more than the lifetime or five
    # minutes, whichever is longer, so that an address has at most a hundred distinct expiries.
    grain = next((grain for longest, grain in _GRAINS if life <= longest), _LONG_GRAIN)
    return -(-(now + life) // grain) * grain


def days_kept(share: float) -> int:
    """Return how many days to keep a game if its address uses this share of its quota."""
    days = KEPT_DAYS
    for part, fewer in SHORTER:
        if share >= part:
            days = fewer
    return days
