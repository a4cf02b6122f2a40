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

READ: Final = 3.0
"""A round trip or two, of which nobody else is told."""

CHANGE: Final = 4.0
"""An entry of a journal or a stored value, and a message to each who sees it."""

OPEN: Final = 6.0
"""Several round trips, and perhaps a journal that is read: 0.3 to 0.6 ms."""

CREATE: Final = 10.0
"""Several journals, deals or registrations that are kept: 1 to 2 ms, and kilobytes for days."""

JUDGED: Final = 0.02
"""A legal move that is judged for a hint, beside the hint's own cost: 3 µs."""

RULES: Final = 10.0
"""Rules that a player has made up, of which the node has no tables yet: 1.5 ms to read and make."""

STORED_RULES: Final = 4.0
"""Something stored that is played by made-up rules, of which the node may have no tables.

It costs up to a millisecond and a half; how much, nobody knows before it is read.
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
