"""The costs of commands, paid by a player and an address (`server.base.net.limits`).

The measure is a move: 30 to 50 µs of a node's core, and one entry of a journal, sent with others.
What the others cost follows from what they take of a core (`deploy/bench/RESULTS.md`), of round
trips, and of writes, each at least as much as a move; and from what they make others do: a change
of a room is sent to all who are in it. A cost that grows with what a command finds, as the members
of a circle or the legal moves of a board, is computed when that is known, and charged before the
work (`Payer.charge`). Two things are charged apart: what is stored, by a wing's
`core/charges.py`, and wrong guesses, by `server.base.net.limits`.
"""

from __future__ import annotations

from typing import Final

SECONDS: Final = 0.00015
"""The time that a node takes for a cost of 1, about, in all passes of its event loop together."""

MOVE: Final = 1.0
"""One entry of a journal; nothing costs less."""

LOOK: Final = 2.0
"""A round trip, of which nobody else is told."""

READ: Final = 3.0
"""A round trip or two, of which nobody else is told."""

CHANGE: Final = 4.0
"""An entry of a journal or a stored value, and a message to each who sees it."""

OPEN: Final = 6.0
"""Several round trips, and perhaps a journal that is read: 0.3 to 0.6 ms."""

CREATE: Final = 10.0
"""Several journals, deals or registrations that are kept: 1 to 2 ms, and kilobytes for days."""

MANY: Final = 18.0
"""A quick match, or the deletion of a player: 2 to 3 ms."""

ENTRY: Final = 0.1
"""An entry of an attempt's journal that is read and replayed: 15 to 20 µs."""

RESULT: Final = 0.2
"""A result of a history that is read as a whole: 10 to 20 µs."""

RANKED: Final = 0.025
"""A run of a round or a challenge that is ranked: 2 to 3 µs."""

MOST_RESULTS: Final = 250.0
"""The maximum charge for reading histories: 1,250 results.

Longer ones take a player years. Without a maximum, a look at one would keep its player from
playing for minutes.
"""

STARTED: Final = 1.0
"""An attempt in memory whose state is listed."""

MISSED: Final = 0.3
"""A move that a client has missed: it is replayed, and its changes are sent."""

RUNNER: Final = 3.0
"""A runner of a round: an attempt that is started, or a board that is sent to a watcher."""

SUBSCRIBER: Final = 0.04
"""A session of this node to which a change of a room is sent: 6 µs."""

MOST_TOLD: Final = 40.0
"""The maximum charge for all of them: 1,000 sessions. A room has 2,000 watchers at most, and a
player's budget is 100, of which starting a round of eight costs 31 in addition.
"""

HEARER: Final = 0.01
"""A session of this node to which an emote is sent."""

JUDGED: Final = 0.02
"""A legal move that is judged for a hint, beside the hint's own cost: 3 µs."""

RULES: Final = 10.0
"""Rules that a player has made up, of which the node has no tables yet: 1.5 ms to read and make."""

STORED_RULES: Final = 4.0
"""An attempt by a player's own rules, whose tables the node may have to build first.

Whether it has to is known only after reading; building them takes up to 1.5 ms.
"""

SEARCH: Final = 10.0
"""Ten milliseconds of a core: a search, a run that is played again, a signature that is verified,
or all that is stored of a player.
"""

MISSES: Final = frozenset({"unknown_room", "not_invited", "bad_code", "bad_passkey"})
"""Refusals that say that a code or a credential is none: misses, which each command declares that
may be refused so (`Command.misses`).

What has an id of 80 random bits is not among them: nobody guesses one.
"""
