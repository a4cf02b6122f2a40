"""The costs of commands, paid by a player and an address (`server.base.net.limits`).

The unit is a move: 30 to 50 µs of a node's core, and one journal entry, sent in a batch. Other
costs follow from core time (`deploy/bench/RESULTS.md`), round trips and writes, each at least as
expensive as a move, and from fan-out: a change of a room is sent to all its members. A cost that
grows with the data, such as a circle's members or a board's legal moves, is computed once the data
is known, and charged before the work (`Payer.charge`). Two things are charged separately: storage,
by each wing's `core/charges.py`, and wrong guesses, by `server.base.net.limits`.
"""

from __future__ import annotations

from typing import Final

SECONDS: Final = 0.00015  # approximate node time for a cost of 1, over all turns of its event loop
MOVE: Final = 1.0  # one journal entry; the minimum cost

# A move whose number is not the next one, in addition to its own cost: its journal is read, and
# the answer may be a snapshot: 0.2 to 0.3 ms. It becomes a debt, since only the answer shows it.
OUT_OF_ORDER: Final = 4.0

LOOK: Final = 2.0  # a round trip without fan-out
READ: Final = 3.0  # one or two round trips without fan-out
CHANGE: Final = 4.0  # a journal entry or a stored value, and a message to each viewer
OPEN: Final = 6.0  # several round trips, and possibly reading a journal: 0.3 to 0.6 ms

# Several new journals, deals or registrations: 1 to 2 ms, and kilobytes for days.
CREATE: Final = 10.0

MANY: Final = 18.0  # a quick match, or the deletion of a player: 2 to 3 ms
ENTRY: Final = 0.1  # reading and replaying one entry of an attempt's journal: 15 to 20 µs
RESULT: Final = 0.2  # a result in a history that is read as a whole: 10 to 20 µs
RANKED: Final = 0.025  # ranking a run of a round or a challenge: 2 to 3 µs

# The maximum charge for reading histories: 1,250 results. Longer histories take years of play.
# Without a maximum, looking at one would block the player's moves for minutes.
MOST_RESULTS: Final = 250.0

STARTED: Final = 1.0  # listing the state of an attempt in memory
MISSED: Final = 0.3  # replaying a move that a client missed, and sending its changes
RUNNER: Final = 3.0  # a runner of a round: starting an attempt, or sending a board to a watcher
SUBSCRIBER: Final = 0.04  # sending a room's change to one of this node's sessions: 6 µs

# The maximum charge for sending a room's change: 1,000 sessions. A room has at most 2,000 watchers.
# A player's budget is 100, and starting a round of eight costs 31 in addition.
MAX_BROADCAST: Final = 40.0

HEARER: Final = 0.01  # sending an emote to one of this node's sessions
JUDGED: Final = 0.02  # judging a legal move for a hint, in addition to the hint's own cost: 3 µs

# Custom rules without tables on the node: 1.5 ms to read them and build the tables.
RULES: Final = 10.0

# An attempt by custom rules, whose tables the node may have to build first. The need is known only
# after reading; building takes up to 1.5 ms.
STORED_RULES: Final = 4.0

# Ten milliseconds of a core: a search, replaying a run, verifying a signature, or reading all data
# of a player.
SEARCH: Final = 10.0
