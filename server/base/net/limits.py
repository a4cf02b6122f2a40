"""Limits on clients, such as commands, guesses of codes and sockets, and the token bucket.

A player's limits cover all the player's sessions on a node, and an address's limits cover all its
players. An address's limits are stated per player expected there (`ADDRESS_PLAYERS`) and multiplied
by that number, but are never below one player's. `server.base.net.budgets` applies them; each
command states its cost (`server.base.core.costs`).

All limits apply per node, since a limit across nodes would take a round trip to Redis for each
command. A client that spreads over N nodes therefore gets N times the limits. This still bounds the
most expensive operations for the cluster: four nodes create 1.7 guests per second for an address.

Only wrong guesses count. Each player has two a day that others cannot use up (`PLAYER_SLIPS`);
beyond these, all players at an address share six per minute (`ADDRESS_MISSES`), which is a node's
limit for a client without new players. New players are limited to 25 per minute (`ADDRESS_GUESTS`),
with two guesses each, which makes 56 guesses per minute. `.github/SECURITY.md` states the
consequences for each kind of code.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from server.base.core import quota


class Rate(NamedTuple):
    """A bucket's rate.

    Attributes:
        second: sustained tokens per second.
        at_once: tokens in a burst.
    """

    second: float
    at_once: float

    def times(self, count: float) -> Rate:
        """Return the combined rate of `count` buckets."""
        return Rate(self.second * count, self.at_once * count)

    def at_least(self, other: Rate) -> Rate:
        """Return the maximum of both rates, sustained and in a burst."""
        return Rate(max(self.second, other.second), max(self.at_once, other.at_once))


PLAYER_COMMANDS = Rate(20.0, 100.0)
"""Commands of a player: a move costs 1, and people make at most two a second."""

PREPAID = 60.0
"""The maximum part of a charge that must be available before the work starts.

The rest is left as a debt, since reading a long attempt costs more than a full budget.
"""

PLAYER_OFFENCES = Rate(0.1, 50.0)
"""A player's commands over the limit and invalid messages, beyond which each closes its session."""

PLAYER_SLIPS = Rate(2 / 86_400, 2.0)
"""A player's first wrong guesses of a day, charged to no other budget. A player with the right
code, or a single typing error, is therefore never blocked by guessing players at the same address.
"""

PLAYER_MISSES = Rate(0.1, 3.0)
"""A player's further wrong guesses. Mistyping a code five times in a row is unlikely."""

ADDRESS_PLAYERS: Final = quota.ADDRESS_PLAYERS
"""Default number of players that may share an address.

A home has five, a school 200 who may all start within the same minute. Mobile carriers put
thousands of customers behind one address, but few of them play here at the same time.
"""

ADDRESS_COMMANDS = Rate(2.0, 20.0)
"""Commands per player at an address: a move every half second sustained, and a burst to open the
page and return to a room. 250 players take a twentieth of a core."""

ADDRESS_OFFENCES = Rate(1 / 250, 1.0)
"""Offences per player at an address, beyond which each closes the offender's session.

Other players at the address are not affected.
"""

ADDRESS_MISSES = Rate(1 / 2_500, 0.2)
"""Wrong guesses per player at an address, by players already wrong twice that day: 50 in a burst,
then six per minute.

A class that types a code from the blackboard is wrong a few times. An attacker has 8,640 guesses a
day, and two with each new guest.
"""

PLAYER_REPORTS = Rate(1 / 600, 5.0)
"""Reports to the operators of other players or their runs."""

ADDRESS_REPORTS = Rate(1 / 75_000, 0.08)
"""Reports per player at an address: 20 in a burst, then one in five minutes.

With new players for each report, filling the list (`MAX_REPORTED` of
`server/moderation/core/keys.py`) takes 17 days on one node.
"""

PLAYER_RULES = Rate(1 / 30, 15.0)
"""A player's new custom rules: changed games without tables on the node."""

ADDRESS_RULES = Rate(1 / 2_500, 0.2)
"""New custom rules per player at an address: 50 in a burst, then six per minute."""

NODE_RULES = Rate(1.0, 500.0)
"""New custom rules of all players on a node: 500 take 4 MB while they are in use."""

ADDRESS_HANDSHAKES = Rate(1 / 25, 2.0)
"""WebSockets opened per player at an address: all may lose the network twice in a minute."""

ADDRESS_GUESTS = Rate(1 / 600, 1.0)
"""New guests per player at an address: all may come for the first time in the same minute."""

ADDRESS_REQUESTS = Rate(1 / 25, 0.8)
"""Costs of requests below `/api` per player at an address."""

ADDRESS_ANSWERS = Rate(0.2, 4.0)
"""HTTP requests of any kind per player at an address: opening the page takes a dozen, and all
players may do so within the same minute. A request takes up to 0.9 ms, so 50 per second, for 250
players, take a twentieth of a core; a refused one takes a third of that."""

LEAST_ANSWERS = Rate(2.0, 50.0)
"""HTTP requests of any kind guaranteed to every address: opening the page four times in a row."""

ADDRESS_SOCKETS: Final = 2
"""Concurrent WebSockets per player at an address: a tab and a phone."""

ADDRESS_CONNECTIONS: Final = 6
"""Concurrent HTTP connections per player at an address: browsers open six.

Connections of trusted proxies are not counted by address, since many clients share them.
"""

WIDE: Final = 4
"""The limits of an IPv6 /48 as a multiple of the limits of a /64 in it.

A customer's network is between the two in size, and the owner of a /48 has 65,536 networks of size
/64.
"""

MAX_KNOWN: Final = 10_000
"""Budgets of players, and of addresses, that a node keeps without a session; the oldest go first.

A player's takes 0.7 kB and an address's 1.2 kB: at most 19 MB in total.
"""

MAX_SPENT: Final = 30_000
"""Further players, and addresses, for which only the states of buckets that are not full are kept.

They take 0.4 kB each, at most 24 MB, and are dropped once full: ten seconds after a request, or a
day after a wrong guess. A client with more addresses than that escapes their limits, but not the
node's; the networks of one /48 share its budget.
"""

MAX_CONNECTIONS: Final = 16_000
"""Default maximum of players' TCP connections on a node, unless the limit on open files is too low:
more sessions than a core serves well, at 15 kB each."""

SPARE_CONNECTIONS: Final = 256
"""Concurrent connections beyond the maximum that get a 503 before they are closed."""

BYTES_PER_SECOND = 8_192.0
"""Bytes per second that a connection may send on average; playing takes a few hundred."""

BYTES_AT_ONCE = 16_384.0
"""Bytes that a connection may send in a burst."""

CONTROL_COST = 128
"""Bytes charged for a ping or pong, which is cheap to send and expensive to answer."""

EMOTES = Rate(0.5, 3.0)
"""Emotes of a player."""

ROOM_EMOTES = Rate(4.0, 12.0)
"""Emotes sent to a room's subscribers on a node, from all senders together."""


_EXACT: Final = 1e-6
"""Tolerance in seconds for rounding errors in sums of times."""


class Bucket:
    """A token bucket, which starts full. Its state is the time when it would have been empty.

    It has no clock: `now` is in seconds from any origin, and never decreases.
    """

    __slots__ = ("_empty_at", "_fill", "_second")

    def __init__(self, rate: Rate) -> None:
        self._second = rate.second
        self._fill = rate.at_once / rate.second
        self._empty_at = float("-inf")

    @property
    def state(self) -> float:
        """The time when it would have been empty, to restore it in another bucket."""
        return self._empty_at

    @state.setter
    def state(self, empty_at: float) -> None:
        self._empty_at = empty_at

    @property
    def full_at(self) -> float:
        """The time when it becomes full, if nothing is taken."""
        return self._empty_at + self._fill

    def take(self, now: float, cost: float = 1.0) -> bool:
        """Take `cost` tokens, and return whether there were enough."""
        # Called once or twice per move: `max` would take as long as the rest.
        full = now - self._fill
        paid = (self._empty_at if self._empty_at > full else full) + cost / self._second
        if paid > now + _EXACT:
            return False
        self._empty_at = paid
        return True

    def owe(self, now: float, cost: float) -> None:
        """Take tokens without a check, leaving a debt that later commands must wait for."""
        self._empty_at = max(self._empty_at, now - self._fill) + cost / self._second

    def give_back(self, cost: float = 1.0) -> None:
        """Return tokens that were taken."""
        self._empty_at -= cost / self._second

    def wait(self, now: float, cost: float = 1.0) -> float:
        """Return the seconds until there are `cost` tokens; 0 for now."""
        missing = max(self._empty_at, now - self._fill) + cost / self._second - now
        return missing if missing > _EXACT else 0.0
