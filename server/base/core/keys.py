"""Redis keys that belong to no wing, and how long they live. Wings define their own keys.

The hash tag of journals, outboxes and due items is one of `PARTITIONS` partitions. One script can
therefore write them together in a slot of Redis Cluster, and sweepers find all outboxes without a
list. Presence and sessions end with a node, so their keys are here too.
"""

from __future__ import annotations

import re
from zlib import crc32

# Number of hash tags across which journals are spread. Changing it would lose stored journals.
PARTITIONS = 256

DAY_SECONDS = 86_400
NODE_LIFE_S = 15  # seconds until a node's registration expires unless renewed

# Seconds that a player's sessions are stored after the newest one started.
SESSION_LIFE_S = 30 * DAY_SECONDS

SWEEPER_LIFE_S = 6  # seconds without renewal until other sweepers take over a sweeper's partitions

# Seconds after the last player activity during which sweepers work at shorter intervals.
BUSY_LIFE_S = 20

BARRIER_LIFE_S = 60  # seconds until a barrier key expires

# Seconds until a post expires. It is retried for a day; its id is then remembered for another day,
# so that it is not sent twice.
POST_LIFE_S = 2 * DAY_SECONDS

# Seconds that a node's mark is kept after its last write: longer than an outage of Redis may last.
MARK_LIFE_S = 7 * DAY_SECONDS

NODES = "nodes"  # the key of the registered nodes: a sorted set by expiry in Unix milliseconds

# The key of the active sweepers: a sorted set by expiry in Unix milliseconds.
SWEEPERS = "{sweepers}"

# The key that exists while players were active in the last `BUSY_LIFE_S` seconds.
BUSY = "{sweepers}:busy"

# The key of the nodes that may have stored data which must be removed when they end. It is a hash
# by node: `here`, or `gone` once another node has started the removal.
HOLDERS = "{sweepers}:holders"

# The key of failed effects and due items: a hash of texts by field or member. An operator finds the
# cause in a node's log, and can put an effect back into its outbox with `HSET`.
SET_ASIDE = "set-aside"

# The key of the keyring, the public data about token signing keys: a string (JSON).
KEYRING = "keyring"

FORMAT = "store-format"  # the key of the store's format number
_PARTITION = re.compile(r"\{p\d+\}:")

_NO_BRACES = str.maketrans("", "", "{}")

# The kinds of keys without expiry, and the reason. Every other key must expire.
PERMANENT = {
    "store-format": "the form of the store",
    "keyring": "tokens could not be verified without it",
    "set-aside": "what an operator has to look at",
    "outbox": "what is yet to be applied, which removes it",
    "due": "what is yet to fall due, which removes it",
}


def partition(name: str) -> int:
    """Return a journal's partition, by attempt id or room code."""
    # Without the suffix after a slash, so that a room's effects share its partition.
    return crc32(name.partition("/")[0].encode()) % PARTITIONS


def kind_of(key: str) -> tuple[str, str]:
    """Split a key into its kind (the first word after the partition) and its name (the rest).

    `{p7}:attempt:<id>` is of kind `attempt` with the name `<id>`, and `deal:{<id>}` of kind `deal`.
    """
    words = _PARTITION.sub("", key).translate(_NO_BRACES)
    kind, _, name = words.partition(":")
    return kind, name


def presence(code: str) -> str:
    """Return the key of a room's presence: a hash of node names by player."""
    return f"{{p{partition(code)}}}:presence:{code}"


def quota(place: str) -> str:
    """Return the key of an address's stored bytes: a hash by expiry in Unix milliseconds.

    `place` is a hash of the address.
    """
    return f"quota:{{{place}}}"


def outbox(number: int) -> str:
    """Return the key of a partition's outbox: a hash of effects by attempt or round."""
    return f"{{p{number}}}:outbox"


def due(number: int) -> str:
    """Return the key of a partition's due items: a sorted set by time in Unix milliseconds."""
    return f"{{p{number}}}:due"


def post(post_id: str) -> str:
    """Return the key of an outbound post, kept after delivery to prevent duplicates: a hash."""
    return f"{{p{partition(post_id)}}}:post:{post_id}"


def held(number: int, node: str) -> str:
    """Return the key of a node's notes about data in a partition to remove when it ends: a hash."""
    return f"{{p{number}}}:held:{node}"


def barrier(key: str) -> str:
    """Return the barrier key in the same slot as `key`.

    Writing it shows that the server accepts writes, or waits for its replicas.
    """
    return f"{key[: key.index('}') + 1]}:barrier"


def mark(number: int, node: str) -> str:
    """Return the key of a node's mark in a partition: a string, the time of its last write there.

    If a store returns with an earlier mark, it has lost the writes in between.
    """
    return f"{{p{number}}}:mark:{node}"


def sessions(player_id: str) -> str:
    """Return the key of a player's sessions: a sorted set of `node/session` by last use."""
    return f"sessions:{{{player_id}}}"
