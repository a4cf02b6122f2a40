"""Keys in Redis that no wing has for itself, and how long they live; each wing has its own.

The hash tag of journals, outboxes and due items is one of `PARTITIONS` partitions: what one script
writes together shares a slot of Redis Cluster, and sweepers find all outboxes without a list. Where
players are present, and their sessions, end with a node: so these keys are here.
"""

from __future__ import annotations

import re
from zlib import crc32

PARTITIONS = 256
"""Number of hash tags among which journals are spread. Changing it would lose stored journals."""

DAY_SECONDS = 86_400

NODE_LIFE_S = 15
"""Seconds after which a node's registration expires unless it is renewed."""

SESSION_LIFE_S = 30 * DAY_SECONDS
"""Seconds that a player's sessions are stored after the newest one began."""

SWEEPER_LIFE_S = 6
"""Seconds after which other sweepers take over from one that does not renew its entry."""

BUSY_LIFE_S = 20
"""Seconds after the last activity of players for which sweepers work at shorter intervals."""

BARRIER_LIFE_S = 60
"""Seconds after which a key that was written for the sake of writing expires."""

POST_LIFE_S = 2 * DAY_SECONDS
"""Seconds after which what is known of a post expires: it is tried for a day, and then its id is
known for as long, so that it is not sent again."""

MARK_LIFE_S = 7 * DAY_SECONDS
"""Seconds that a node's mark is kept after it was written: longer than Redis may be away."""

NODES = "nodes"
"""The key of the registered nodes: a sorted set by time of expiry in Unix milliseconds."""

SWEEPERS = "{sweepers}"
"""The key of the active sweepers: a sorted set by time of expiry in Unix milliseconds."""

BUSY = "{sweepers}:busy"
"""The key that exists while anybody has played in the last `BUSY_LIFE_S` seconds."""

HOLDERS = "{sweepers}:holders"
"""The key of the nodes that may have stored something which ends with them.

It is a hash by node: `here`, or `gone` once another node has begun to remove that.
"""

SET_ASIDE = "set-aside"
"""The key of effects and due items that could not be handled: a hash of texts by field or member.

The operator finds the cause in a node's log, and can put an effect back into its outbox by `HSET`.
"""

KEYRING = "keyring"
"""The key of what is public of the keys that sign tokens: a string (JSON)."""

FORMAT = "store-format"
"""The key that holds the number of the store's format."""

_PARTITION = re.compile(r"\{p\d+\}:")

_NO_BRACES = str.maketrans("", "", "{}")

FOR_GOOD = {
    "store-format": "the form of the store",
    "keyring": "tokens could not be verified without it",
    "set-aside": "what an operator has to look at",
    "outbox": "what is yet to be applied, which removes it",
    "due": "what is yet to fall due, which removes it",
}
"""The kinds of keys that need not expire, and why; all others do, whoever writes them."""


def partition(name: str) -> int:
    """Return the partition of a journal, by attempt id or room code.

    What follows a slash is not part of that: a room has several effects in its partition.
    """
    return crc32(name.partition("/")[0].encode()) % PARTITIONS


def kind_of(key: str) -> tuple[str, str]:
    """Return of what kind a key is, as its first word after a partition, and the name after that.

    The kind of `{p7}:attempt:<id>` is `attempt`, and its name the id; so it is of `deal:{<id>}`.
    """
    words = _PARTITION.sub("", key).translate(_NO_BRACES)
    kind, _, name = words.partition(":")
    return kind, name


def presence(code: str) -> str:
    """Return the key of a room's presence: a hash of node names by player."""
    return f"{{p{partition(code)}}}:presence:{code}"


def quota(place: str) -> str:
    """Return the key of what an address has stored, by a hash of it: a hash of bytes.

    They are by when they expire, in Unix milliseconds.
    """
    return f"quota:{{{place}}}"


def outbox(number: int) -> str:
    """Return the key of a partition's outbox: a hash of effects by attempt or round."""
    return f"{{p{number}}}:outbox"


def due(number: int) -> str:
    """Return the key of a partition's due items: a sorted set by time in Unix milliseconds."""
    return f"{{p{number}}}:due"


def post(post_id: str) -> str:
    """Return the key of something to post to a server of others, or of its having been: a hash."""
    return f"{{p{partition(post_id)}}}:post:{post_id}"


def held(number: int, node: str) -> str:
    """Return the key of what a node has stored of a partition that ends with it: a hash of notes.

    Sessions are in another slot than the note of them.
    """
    return f"{{p{number}}}:held:{node}"


def barrier(key: str) -> str:
    """Return the key, in the slot of a given one, that is written for the sake of writing.

    The write shows that the server takes writes, or waits for its replicas.
    """
    return f"{key[: key.index('}') + 1]}:barrier"


def mark(number: int, node: str) -> str:
    """Return the key of a node's mark in a partition: a string, the time of its last write there.

    A store that comes back with an earlier one has lost what was written in between.
    """
    return f"{{p{number}}}:mark:{node}"


def sessions(player_id: str) -> str:
    """Return the key of a player's sessions: a sorted set of `node/session`, by last use."""
    return f"sessions:{{{player_id}}}"
