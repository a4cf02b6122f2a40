"""Limits on what clients may do, as commands, guesses of codes and sockets; the token bucket.

A player's limits hold for all of the player's sessions on a node together, and an address's for all
who share that address. An address's are given for each of the players that an operator expects
there (`ADDRESS_PLAYERS`), and are that many times as large, but never less than one player's.
`server.base.net.budgets` applies them; each command says what it costs (`server.base.wire.costs`).

All of them count on one node: a limit that holds for several nodes would take a round trip to Redis
for each command. So who spreads over N nodes may do N times as much. What costs the cluster most is
bounded well enough by that: four nodes make 1.7 guests a second for an address.

Guesses are those of players. Each has two a day that nobody else can take away (`PLAYER_SLIPS`),
and beyond these all at an address share six a minute (`ADDRESS_MISSES`): so many are answered on a
node for whoever has no new players. New ones come 25 a minute (`ADDRESS_GUESTS`), with two guesses
each, which makes 56 a minute. What that means for each kind of code is in `.github/SECURITY.md`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from server.base.core import quota


class Rate(NamedTuple):
    """How much a bucket gives.

    Attributes:
        second: tokens a second for long.
        at_once: tokens at once.
    """

    second: float
    at_once: float

    def times(self, count: float) -> Rate:
        """Return the rate for so many as one."""
        return Rate(self.second * count, self.at_once * count)

    def at_least(self, other: Rate) -> Rate:
        """Return the larger rate of both, for long and at once."""
        return Rate(max(self.second, other.second), max(self.at_once, other.at_once))


PLAYER_COMMANDS = Rate(20.0, 100.0)
"""The budget of a player's commands: a move costs 1, and people make two a second at most."""

PREPAID = 60.0
"""The part of a command's price that a player must have before the command starts.

The rest is owed: reading a long attempt costs more than a full budget.
"""

PLAYER_OFFENCES = Rate(0.1, 50.0)
"""A player's commands that were too many, or no messages, beyond which each closes its session."""

PLAYER_SLIPS = Rate(2 / 86_400, 2.0)
"""A player's first wrong guesses of a day, which nobody else pays for or can take away: who is
right, or has mistyped once, waits for nobody who guesses."""

PLAYER_MISSES = Rate(0.1, 3.0)
"""A player's further guesses of what there is not: nobody types a code wrongly five times in a row.
"""

ADDRESS_PLAYERS: Final = quota.ADDRESS_PLAYERS
"""How many players may share an address, unless an operator says otherwise.

A home has five, a school 200, all of whom may begin within the same minute. Mobile carriers put
thousands behind one address, of whom few play here at a time.
"""

ADDRESS_COMMANDS = Rate(2.0, 20.0)
"""The budget of commands for each player at an address: a move in half a second for long, and at
once what it takes to open the page and to return to a room. 250 of them take a twentieth of a core.
"""

ADDRESS_OFFENCES = Rate(1 / 250, 1.0)
"""Offences for each player at an address, beyond which each closes the session that commits it.

Others at the address, who commit none, notice nothing.
"""

ADDRESS_MISSES = Rate(1 / 2_500, 0.2)
"""Guesses of what there is not by who has been wrong twice that day, for each player at an address:
50 at once, then six a minute.

A class that types a code from the blackboard is wrong a few times; who guesses has 8,640 tries a
day, and two with each new guest.
"""

PLAYER_REPORTS = Rate(1 / 600, 5.0)
"""Reports of other players, or of their runs, to the operators."""

ADDRESS_REPORTS = Rate(1 / 75_000, 0.08)
"""Reports for each player at an address: 20 at once, then one in five minutes.

Whoever has new players for it takes 17 days for as many as are kept (`MAX_REPORTED` of
`server/moderation/core/keys.py`), on one node.
"""

PLAYER_RULES = Rate(1 / 30, 15.0)
"""New rules that a player makes up: games with changes that the node has no tables of yet."""

ADDRESS_RULES = Rate(1 / 2_500, 0.2)
"""New rules for each player at an address: 50 at once, then six a minute."""

NODE_RULES = Rate(1.0, 500.0)
"""New rules of all players on a node: 500 take 4 MB for as long as somebody plays by them."""

ADDRESS_HANDSHAKES = Rate(1 / 25, 2.0)
"""WebSockets opened for each player at an address: all may lose the network twice in a minute."""

ADDRESS_GUESTS = Rate(1 / 600, 1.0)
"""New guests for each player at an address: all may come for the first time in the same minute."""

ADDRESS_REQUESTS = Rate(1 / 25, 0.8)
"""The budget of requests below `/api` for each player at an address."""

ADDRESS_ANSWERS = Rate(0.2, 4.0)
"""HTTP requests of any kind for each player at an address: opening the page takes a dozen, and all
may do so within the same minute. One takes up to 0.9 ms, so 50 a second, at 250 players, take a
twentieth of a core; one that is refused takes a third of that.
"""

LEAST_ANSWERS = Rate(2.0, 50.0)
"""HTTP requests of any kind that every address may send: opening the page four times in a row."""

ADDRESS_SOCKETS: Final = 2
"""WebSockets at a time for each player at an address: a tab and a phone."""

ADDRESS_CONNECTIONS: Final = 6
"""HTTP connections at a time for each player at an address: browsers open six.

Those of trusted proxies are not counted by address, since they are everybody's.
"""

WIDE: Final = 4
"""How many times as much as an address, the /64 of IPv6, the /48 around it may do.

A network of one customer is between the two, and whoever has a /48 has 65,536 of the former.
"""

MAX_KNOWN: Final = 10_000
"""Players, and addresses, whose budgets a node keeps while they have no session there.

Those that were used longest ago go first. A player's takes 0.7 kB and an address's 1.2 kB, so all
that is kept takes 19 MB at most.
"""

MAX_SPENT: Final = 30_000
"""Players, and addresses, beyond these, of which the numbers are kept in which anything is missing.

They take 0.4 kB each, 24 MB at most, and go when nothing is missing any more: after ten seconds if
somebody has sent a request, and after a day if a player was wrong. Whoever has more addresses than
that escapes their limits, but not those of the node; the networks of one /48 share its budget.
"""

MAX_CONNECTIONS: Final = 16_000
"""TCP connections of players on a node, unless an operator says otherwise or the limit of open
files is too low for it: more sessions than a core serves well, at 15 kB each.
"""

SPARE_CONNECTIONS: Final = 256
"""Connections beyond that at a time which are told so (503) before they are closed."""

BYTES_PER_SECOND = 8_192.0
"""Bytes per second that a connection may send on average; playing takes a few hundred."""

BYTES_AT_ONCE = 16_384.0
"""Bytes that a connection may send at once."""

CONTROL_COST = 128
"""Bytes charged for a ping or pong, which is cheap to send and expensive to answer."""

EMOTES = Rate(0.5, 3.0)
"""Emotes that a player may send."""

ROOM_EMOTES = Rate(4.0, 12.0)
"""Emotes that a room's subscribers on a node are sent, whoever sends them."""


_EXACT: Final = 1e-6
"""Seconds by which sums of times may be wrong, since they are rounded."""


class Bucket:
    """A token bucket, which starts full. Its state is the time at which it would have been empty.

    It has no clock: `now` is in seconds, from any start, and never earlier than before.
    """

    __slots__ = ("_empty_at", "_fill", "_second")

    def __init__(self, rate: Rate) -> None:
        self._second = rate.second
        self._fill = rate.at_once / rate.second
        self._empty_at = float("-inf")

    @property
    def state(self) -> float:
        """When it would have been empty, by which one of the same rate can go on."""
        return self._empty_at

    @state.setter
    def state(self, empty_at: float) -> None:
        self._empty_at = empty_at

    @property
    def full_at(self) -> float:
        """From when on it is full, if nothing is taken."""
        return self._empty_at + self._fill

    def take(self, now: float, cost: float = 1.0) -> bool:
        """Take as many tokens as something costs; return whether there were so many."""
        # Once or twice for each move: without `max`, which takes as long as the rest.
        full = now - self._fill
        paid = (self._empty_at if self._empty_at > full else full) + cost / self._second
        if paid > now + _EXACT:
            return False
        self._empty_at = paid
        return True

    def owe(self, now: float, cost: float) -> None:
        """Take tokens that need not be there: others have to wait until they are paid back."""
        self._empty_at = max(self._empty_at, now - self._fill) + cost / self._second

    def give_back(self, cost: float = 1.0) -> None:
        """Give back what was taken."""
        self._empty_at -= cost / self._second

    def wait(self, now: float, cost: float = 1.0) -> float:
        """Return in how many seconds there are as many tokens as something costs; 0 for now."""
        missing = max(self._empty_at, now - self._fill) + cost / self._second - now
        return missing if missing > _EXACT else 0.0
