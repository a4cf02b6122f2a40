"""All keys in Redis, and their times to live.

The hash tag of journals, outboxes and due items is one of `PARTITIONS` partitions: what one script
writes together shares a slot of Redis Cluster, and sweepers find all outboxes without a list.
"""

from __future__ import annotations

import re
from zlib import crc32

from server.base.core.days import DailyId
from server.base.core.quota import KEPT_DAYS
from server.results.core.boards import BoardId

PARTITIONS = 256
"""Number of hash tags among which journals are spread. Changing it would lose stored journals."""

DAY_SECONDS = 86_400
ROOM_LIFE = DAY_SECONDS * 1000
"""Milliseconds that a room is kept after its last event."""
UNUSED_ROOM_LIFE = 1_800_000
"""The same of a room in which no round was started yet. While somebody is there, it is extended."""
ROUND_LIFE = 7 * DAY_SECONDS * 1000
"""Milliseconds that the results of a round are kept after its end."""
ATTEMPT_LIFE = KEPT_DAYS * DAY_SECONDS * 1000
"""Milliseconds that the journal of an attempt is kept after its deadline if it was played; fewer if
much was stored where its player is (`server.base.core.quota`)."""
UNPLAYED_LIFE = 3_600_000
"""The same if it was not played: until then its player can be told how it ended, and whoever
started it cannot start it anew, since its deal is dealt to nobody after the deadline."""
DEAL_LIFE = 400 * DAY_SECONDS
"""Seconds that a daily's deal and its seed are kept."""
PLAYED_DEAL_DAYS = 2
"""Days that the deal of a round is kept beyond what is played on it, after somebody began that:
longer than any attempt at it, which is over within two hours."""
PLAYED_DEAL_LIFE = (KEPT_DAYS + PLAYED_DEAL_DAYS) * DAY_SECONDS
"""Seconds that it is kept mostly."""
UNPLAYED_DEAL_LIFE = DAY_SECONDS
"""Seconds that the deal of a round is kept that nobody plays."""
LEADERBOARD_LIFE = 400 * DAY_SECONDS
"""Seconds that a leaderboard of a day or a week is kept after the last entry."""
PLAYER_LIFE = 400 * DAY_SECONDS
"""Seconds that a player's history is kept after the last result, the record of one who has a
history after the last session began, and the note of a deleted player after the deletion. The
record of a player who has kept the identity does not expire once there is a result."""
GUEST_LIFE = 7 * DAY_SECONDS
"""Seconds that the record of a guest without a result is kept after the last session began: it
holds no more than the name, which anybody can have stored by a word of `hello`."""
UNUSED_ACCOUNT_LIFE = 60 * DAY_SECONDS
"""The same of a player who has kept the identity and has no result yet, with the code or passkeys.
"""
DEVICE_LIFE = 300
"""Seconds for which a device code signs a player in."""
CODE_OFFER_LIFE = 3_600
"""Seconds within which a new recovery code is kept, by whoever has written it down."""
RACE_LIFE = 90 * DAY_SECONDS
"""Seconds that a race's record is kept after it was applied: as long as its players' attempts."""
MAX_MET = 100
"""Most players of whom it is kept that a player has met them in a race."""
NODE_LIFE = 15
"""Seconds after which a node's registration expires unless it is renewed."""
MAX_SESSIONS = 8
"""Sessions that a player may have at once: each costs memory, and a frame for each move."""

SESSION_LIFE = 30 * DAY_SECONDS
"""Seconds that a player's sessions are stored after the newest one began."""
PRESENCE_LIFE = 30 * DAY_SECONDS
"""Seconds that a room's presence is kept after the last player entered."""
PLACES_LIFE = 3 * 3_600
"""Seconds that it is kept where a room's players are, after the last came: rounds are shorter."""
SWEEPER_LIFE = 6
"""Seconds after which other sweepers take over from one that does not renew its entry."""
BUSY_LIFE = 20
"""Seconds after the last activity of players for which sweepers work at shorter intervals."""
CREATION_LIFE = 3_600
"""Seconds for which a room that is created again with the same creation key is found."""

BARRIER_LIFE = 60
"""Seconds after which a key that was written for the sake of writing expires."""

MARK_LIFE = 7 * DAY_SECONDS
"""Seconds that a node's mark is kept after it was written: longer than Redis may be away."""

NODES = "nodes"
"""The key of the registered nodes: a sorted set by time of expiry in Unix milliseconds."""

OPEN_ROOM_LIFE = 12
"""Seconds for which a public room is listed after a node last said that somebody is there."""

OPEN_ROOMS = "{open}:rooms"
"""The key of the public rooms with a free seat: a sorted set by time of expiry in Unix ms."""

OPEN_ROWS = "{open}:rows"
"""The key of what the list says of them: a hash of JSON by code."""

OFFER_LIFE = 6
"""Seconds for which a quick match is offered after a node last said that its player waits."""

SWEEPERS = "{sweepers}"
"""The key of the active sweepers: a sorted set by time of expiry in Unix milliseconds."""

BUSY = "{sweepers}:busy"
"""The key that exists while anybody has played in the last `BUSY_LIFE` seconds."""

HOLDERS = "{sweepers}:holders"
"""The key of the nodes that may have stored something which ends with them.

It is a hash by node: `here`, or `gone` once another node has begun to remove that.
"""

SET_ASIDE = "set-aside"
"""The key of effects and due items that could not be handled: a hash of texts by field or member.

The operator finds the cause in a node's log, and can put an effect back into its outbox by `HSET`.
"""

AUDIT = "{audit}:acts"
"""The key of the audit journal: a stream of what operators have done, which is never trimmed."""

AUDITED = "{audit}:ids"
"""The key of the ids of all acts in it: a set, so that each is appended once."""

LATEST_ACTS = "{audit}:latest"
"""The key of the latest act on each subject: a hash of time, id and text (JSON)."""

REPAIRED_DAYS = "repaired-days"
"""The key of the days lost by a fault of the server's: a hash by game and day."""

SUSPICIOUS = "{suspicious}:runs"
"""The key of the runs that an operator should look at: a sorted set by time in Unix ms."""

SUSPICIONS = "{suspicious}:reasons"
"""The key of what is suspicious about them: a hash of JSON by attempt."""

MAX_SUSPICIOUS = 5_000
"""Runs that are kept there; the oldest are dropped."""

DIGESTS_LIFE = 3 * DAY_SECONDS
"""Seconds that the digests of a daily's runs, and who began it where, are kept after the last one:
it is over by then."""

MAX_AT_PLACE = 16
"""Players who have begun a daily at one address that are kept, unless the operator allows more."""

KEYRING = "keyring"
"""The key of what is public of the keys that sign tokens: a string (JSON)."""

FORMAT = "store-format"
"""The key that holds the number of the store's format."""

FOR_GOOD = {
    "store-format": "the form of the store",
    "keyring": "tokens could not be verified without it",
    "audit": "what operators have done, by their own hand",
    "repaired-days": "a field for each act of an operator",
    "suspicious": "at most `MAX_SUSPICIOUS` runs",
    "set-aside": "what an operator has to look at",
    "outbox": "what is yet to be applied, which removes it",
    "due": "what is yet to fall due, which removes it",
    "pool": "deals that are yet to be played",
    "leaderboard": "those of all time, a row for each who has kept an identity and has a result",
    "player": "who has kept an identity and has a result, for whoever has the code or a passkey",
    "recovery": "the code of such a player",
    "passkey": "a passkey of such a player",
}
"""The kinds of keys that need not expire, and why; all others do, whoever writes them."""

_PARTITION = re.compile(r"\{p\d+\}:")
_NO_BRACES = str.maketrans("", "", "{}")


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


def attempt(attempt_id: str) -> str:
    """Return the key of an attempt's journal: a stream."""
    return f"{{p{partition(attempt_id)}}}:attempt:{attempt_id}"


def room(code: str) -> str:
    """Return the key of a room's journal: a stream."""
    return f"{{p{partition(code)}}}:room:{code}"


def round_in(code: str, deal_id: str) -> str:
    """Return the key of a round of a room that is over, by its deal: a string (JSON)."""
    return f"{{p{partition(code)}}}:round:{deal_id}"


def presence(code: str) -> str:
    """Return the key of a room's presence: a hash of node names by player."""
    return f"{{p{partition(code)}}}:presence:{code}"


def places(code: str) -> str:
    """Return the key of the places at which a room's players are: a hash by player."""
    return f"{{p{partition(code)}}}:places:{code}"


def open_rooms_of(network: str) -> str:
    """Return the key of the public rooms of a network, by its keyed hash.

    It is a sorted set of room codes by time of expiry in Unix milliseconds.
    """
    return f"{{open}}:of:{network}"


def quota(place: str) -> str:
    """Return the key of what an address has stored, by a hash of it: a hash of bytes.

    They are by when they expire, in Unix milliseconds.
    """
    return f"quota:{{{place}}}"


def offers(game: str) -> str:
    """Return the key of the quick matches of a game that are offered.

    It is a sorted set of room codes by time of expiry in Unix milliseconds.
    """
    return f"quick:{{{game}}}"


def outbox(number: int) -> str:
    """Return the key of a partition's outbox: a hash of effects by attempt or round."""
    return f"{{p{number}}}:outbox"


def due(number: int) -> str:
    """Return the key of a partition's due items: a sorted set by time in Unix milliseconds."""
    return f"{{p{number}}}:due"


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


def deal(deal_id: str) -> str:
    """Return the key of a deal: a hash."""
    return f"deal:{{{deal_id}}}"


def daily(daily_id: DailyId) -> str:
    """Return the key of a daily: a string, the id of its deal."""
    return f"daily:{{{daily_id.name}}}"


def pool(game: str) -> str:
    """Return the key of a game's pool of certified deals: a sorted set by difficulty."""
    return f"pool:{{{game}}}"


def leaderboard(board: BoardId) -> str:
    """Return the key of a leaderboard: a sorted set of scores by player."""
    return f"leaderboard:{{{board.name}}}{board.suffix}"


def curves(board: BoardId) -> str:
    """Return the key of the curves of a daily, by its leaderboard: a hash of counts."""
    return f"curves:{{{board.name}}}"


def digests(daily_id: DailyId) -> str:
    """Return the key of the digests of a daily's boards: a hash of the first player by digest."""
    return f"digests:{{{daily_id.name}}}"


def starts(daily_id: DailyId) -> str:
    """Return the key of who began a daily where: a hash of players by place, and by player."""
    return f"starts:{{{daily_id.name}}}"


def history(player_id: str) -> str:
    """Return the key of a player's history: a hash of results."""
    return f"history:{{{player_id}}}"


def race(deal_id: str) -> str:
    """Return the key of the record of a race, by its deal: a hash."""
    return f"rated:{{{deal_id}}}"


def met(player_id: str) -> str:
    """Return the key of those whom a player has met in races.

    It is a sorted set by the time of the last one in Unix milliseconds.
    """
    return f"met:{{{player_id}}}"


def player(player_id: str) -> str:
    """Return the key of a player's record: a hash."""
    return f"player:{{{player_id}}}"


def renames(player_id: str) -> str:
    """Return the key of until when a player's latest changes of name count, in Unix milliseconds.

    It expires at that time.
    """
    return f"renames:{{{player_id}}}"


def sessions(player_id: str) -> str:
    """Return the key of a player's sessions: a sorted set of `node/session`, by last use."""
    return f"sessions:{{{player_id}}}"


def session(player_id: str) -> str:
    """Return the key of a player's newest session: a string that names node and session.

    Nodes of releases up to 0.2.0 read it, to close that session or to tell it of ends.
    """
    return f"session:{{{player_id}}}"


def creation(player_id: str, key: str) -> str:
    """Return the key of a creation: a string, the code of the room that it created."""
    return f"creation:{{{player_id}}}:{key}"


def recovery(digest: str) -> str:
    """Return the key of a recovery code by its SHA-256: a string, the player."""
    return f"recovery:{{{digest}}}"


def device(digest: str) -> str:
    """Return the key of a device code by its SHA-256: a string, the player."""
    return f"device:{{{digest}}}"


def passkey(credential: str) -> str:
    """Return the key of a passkey by its credential id (base64url): a hash."""
    return f"passkey:{{{credential}}}"
