"""Every key in Redis, in one place, and how long it lives.

A key's hash tag is one of `PARTITIONS` partitions, so that what one script writes together (a
journal, its outbox, its due time) shares a slot of Redis Cluster, and a sweeper finds all
outboxes without a list of them.
"""

from __future__ import annotations

from zlib import crc32

from server.core.boards import BoardId

PARTITIONS = 256

DAY_SECONDS = 86_400
ROOM_LIFE = DAY_SECONDS * 1000
"""Milliseconds that a room outlives its last event."""
ATTEMPT_LIFE = 90 * DAY_SECONDS * 1000
"""Milliseconds that an attempt's journal outlives its deadline."""
DEAL_LIFE = 400 * DAY_SECONDS
"""Seconds that a deal and its seed are kept."""
LEADERBOARD_LIFE = 400 * DAY_SECONDS
"""Seconds that a day's leaderboard is kept."""
PLAYER_LIFE = 400 * DAY_SECONDS
"""Seconds that a player's record outlives the last session."""
NODE_LIFE = 15
"""Seconds after which a node that says nothing counts as dead."""
SESSION_LIFE = 30 * DAY_SECONDS
"""Seconds for which it is known where a player's newest session is; it may have ended long ago."""
PRESENCE_LIFE = 30 * DAY_SECONDS
"""Seconds that it is kept who is present in a room, from the last one who came on."""
SWEEPER_LIFE = 6
"""Seconds after which others do what a node that says nothing was to do."""
BUSY_LIFE = 20
"""Seconds after the last news of players for which sweepers look more often."""
CREATION_LIFE = 3_600
"""Seconds for which a repeated creation with the same key finds its room."""

NODES = "nodes"
"""The key of the nodes that are alive: a sorted set by Unix milliseconds of when they are not."""

SWEEPERS = "{sweepers}"
"""The key of the nodes that sweep: a sorted set by Unix milliseconds of when they do not."""

BUSY = "{sweepers}:busy"
"""The key that is there if anybody has played lately."""

SET_ASIDE = "set-aside"
"""The key of what could not be applied: a hash of texts by field of an outbox, or by what was due.

An operator finds the cause in a node's log, and puts an effect back with `HSET` into its outbox.
"""

SIGNING_KEY = "signing-key"
"""The key that holds the secret which signs tokens."""

FORMAT = "format"
"""The key that holds the number of the store's format; without it, that is 1."""


def partition(name: str) -> int:
    """Return the partition of a journal."""
    return crc32(name.encode()) % PARTITIONS


def attempt(attempt_id: str) -> str:
    """Return the key of an attempt's journal: a stream."""
    return f"{{p{partition(attempt_id)}}}:attempt:{attempt_id}"


def room(code: str) -> str:
    """Return the key of a room's journal: a stream."""
    return f"{{p{partition(code)}}}:room:{code}"


def presence(code: str) -> str:
    """Return the key of who is present in a room: a hash of nodes, by player."""
    return f"{{p{partition(code)}}}:presence:{code}"


def outbox(number: int) -> str:
    """Return the key of a partition's outbox: a hash, by attempt."""
    return f"{{p{number}}}:outbox"


def due(number: int) -> str:
    """Return the key of what falls due in a partition: a sorted set by Unix milliseconds."""
    return f"{{p{number}}}:due"


def barrier(key: str) -> str:
    """Return the key, in the slot of another one, whose write comes after what stands there."""
    return f"{key[: key.index('}') + 1]}:barrier"


def deal(deal_id: str) -> str:
    """Return the key of a deal: a hash."""
    return f"deal:{{{deal_id}}}"


def daily(game: str, day: int) -> str:
    """Return the key that holds the id of a day's deal."""
    return f"daily:{{{game}:{day}}}"


def leaderboard(board: BoardId) -> str:
    """Return the key of a leaderboard: a sorted set of packed results by player."""
    return f"leaderboard:{{{board.name}}}"


def player(player_id: str) -> str:
    """Return the key of a player's record: a hash."""
    return f"player:{{{player_id}}}"


def session(player_id: str) -> str:
    """Return the key that says where a player's newest session is: node and session."""
    return f"session:{{{player_id}}}"


def creation(player_id: str, key: str) -> str:
    """Return the key that holds the code of the room made by a creation."""
    return f"creation:{{{player_id}}}:{key}"
