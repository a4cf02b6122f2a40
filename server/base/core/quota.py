"""Quotas of addresses: how much each may store, until when it counts, what is refused first. Pure.

What clients store is counted for the address that they come from, by when it expires, and for the
/48 around it in IPv6. So nobody can fill the store for everybody else. What is counted is what is
there at a time and not what was written: whoever waits may go on.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000

Need = Literal["room", "game", "any"]
"""Kinds of needs: an empty room, a game that is to be played, or anything else."""

PARTS: Final[dict[Need, float]] = {"room": 3 / 4, "game": 7 / 8, "any": 1.0}
"""The part of its quota that an address may have stored for something new to begin there.

So empty rooms are refused first, then games, and the last eighth is left to those who play.
"""

ADDRESS_PLAYERS: Final = 250
"""How many players may share an address, unless an operator says otherwise."""

PLAYER_BYTES: Final = 320_000
"""Bytes for each player that may share an address: of 250, 80 MB.

A school of 200 of whom each plays three games a day stores 7 MB a day, and a home of five, 170 kB.
"""

SHARE: Final = 0.08
"""The most of the store's memory that an address may fill. If the operator says that more players
than usual share one, it is as many times as much, since then it may be that of all players."""

WIDE_PLAYERS: Final = 4
"""How many times as much as an address, the /64 of IPv6, the /48 around it may have stored."""

WIDE_SHARE: Final = 0.16
"""The most of the store's memory that a /48 may fill."""

KEPT_DAYS: Final = 90
"""Days for which a game is kept that was played, after its deadline, unless an operator says fewer.
"""

LEAST_DAYS: Final = 2
"""The fewest days for which it is kept, whatever an operator says and however full the store is."""

SHORTER: Final = ((1 / 4, 7), (1 / 3, 2))
"""From which part of its quota on what is played at an address is kept for fewer days, and for how
many. So an address at which much is played every day loses replays, and no games."""

RUNNER: Final = 1_500
"""Bytes of an attempt that is not played, for each player of a round."""

BOT: Final = 10_000
"""Bytes of the pace bot's run."""

_GRAINS: Final = (
    (HOUR, 5 * MINUTE), (8 * HOUR, 30 * MINUTE), (2 * DAY, 3 * HOUR), (10 * DAY, DAY),
)  # fmt: skip
"""Up to which life, in milliseconds, expiries are counted together, and in which grain."""

_LONG_GRAIN: Final = 10 * DAY


class Item(NamedTuple):
    """Something that is stored: how many bytes, and for how many milliseconds from now."""

    size: int
    life: int


class Charge(NamedTuple):
    """The outcome of a charge.

    Attributes:
        accepted: whether it was counted.
        stored: the bytes that the address has stored, with what was counted.
        first: when some of it expires first, in Unix milliseconds; 0 if there was nothing.
    """

    accepted: bool
    stored: int
    first: int


def quota_of(players: int, limit: int, *, wide: bool) -> int:
    """Return how many bytes an address may have stored.

    Args:
        players: how many players may share an address.
        limit: the store's memory in bytes; 0 if there is no limit.
        wide: whether it is a /48 of IPv6.
    """
    most = players * PLAYER_BYTES * (WIDE_PLAYERS if wide else 1)
    share = (WIDE_SHARE if wide else SHARE) * max(1, players / ADDRESS_PLAYERS)
    return min(most, int(limit * min(share, 1))) if limit else most


def counted_until(now: int, life: int) -> int:
    """Return until when something counts, no earlier than it expires; in Unix milliseconds.

    It is rounded up by an eighth of the life or so, never by more than the life itself or five
    minutes, so that an address has a hundred such times at most.
    """
    grain = next((grain for longest, grain in _GRAINS if life <= longest), _LONG_GRAIN)
    return -(-(now + life) // grain) * grain


def days_kept(share: float) -> int:
    """Return for how many days a game is kept at an address with this share of its quota stored."""
    days = KEPT_DAYS
    for part, fewer in SHORTER:
        if share >= part:
            days = fewer
    return days
