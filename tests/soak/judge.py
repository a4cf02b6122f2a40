"""Verdict on a soak's figures, without I/O.

A player's state goes when the player leaves, and longer-lived keys have a stated lifetime. A node
may keep only the caches listed here, each with the size of an entry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from server.accounts.core import keys as accounts_keys
from server.base.core import keys
from server.dailies.core import keys as dailies_keys
from server.deals.core import keys as deals_keys
from server.play.core import keys as play_keys
from server.players.core import keys as players_keys
from server.results.core import keys as results_keys
from server.rooms.core import keys as rooms_keys
from tests.soak.figures import ALL_TIME, NodeFigures, Sample, StoreFigures

DAY = keys.DAY_SECONDS

OF_PLAYERS = ("presence", "sessions", "open", "quick", "set-aside", "outbox")
"""Kinds of keys that must be gone when all players have left and no work is pending."""

OF_NODES = ("nodes", "sweepers")
"""Kinds of keys that must be gone when all nodes have ended."""

LIVES: Mapping[str, int] = {
    # A daily closes at most two days after it opens.
    "attempt": 2 * DAY + play_keys.ATTEMPT_LIFE_MS // 1000,
    # A room lives on from its last event, which can be the end of a round.
    "room": rooms_keys.ROOM_LIFE_MS // 1000 + DAY,
    # A round stays readable as long as the deal's runs can be.
    "round": rooms_keys.ROUND_LIFE_MS // 1000,
    # A player's storage counts for the player's lifetime, in steps of ten days.
    "quota": players_keys.PLAYER_LIFE_S + 10 * DAY,
    "barrier": keys.BARRIER_LIFE_S,
    # The mark of a killed node; other nodes remove theirs.
    "mark": keys.MARK_LIFE_S,
    "places": rooms_keys.ADDRESSES_LIFE_S,
    "sweepers": keys.SWEEPER_LIFE_S,
    "busy": keys.BUSY_LIFE_S,
    # The last nodes stay listed until another node finds that they left nothing.
    "holders": keys.SESSION_LIFE_S,
    "nodes": keys.NODE_LIFE_S,
    "deal": deals_keys.DEAL_LIFE_S,
    "daily": deals_keys.DEAL_LIFE_S,
    "leaderboard": results_keys.LEADERBOARD_LIFE_S,
    "curves": results_keys.LEADERBOARD_LIFE_S,
    "digests": dailies_keys.DIGESTS_LIFE_S,
    "starts": dailies_keys.DIGESTS_LIFE_S,
    "history": players_keys.PLAYER_LIFE_S,
    "player": players_keys.PLAYER_LIFE_S,
    # Codes of players without a result; other codes stay.
    "recovery": players_keys.UNUSED_ACCOUNT_LIFE_S,
    "passkey": players_keys.UNUSED_ACCOUNT_LIFE_S,
    "rated": rooms_keys.RACE_LIFE_S,
    "met": players_keys.PLAYER_LIFE_S,
    "renames": 30 * DAY,
    "device": accounts_keys.DEVICE_LIFE_S,
}
"""The longest lifetime of a key in seconds, by kind."""

FOR_EVER = {
    *("store-format", "keyring", "audit", "repaired-days", "pool", "suspicious", "due", "passkey"),
    *("recovery", "player", "daily-sets", ALL_TIME),
}
"""Kinds of keys that may lack an expiry; players and recovery codes only of kept identities."""

OPEN = {
    "samedeal_sessions": "sessions",
    "samedeal_connections": "connections",
    "samedeal_rooms": "rooms",
    "samedeal_watchers": "watchers",
}
"""Metrics that must be zero when all players have left."""

OUTBOX_AGE = "samedeal_outbox_age_seconds"

OLDEST = 60.0
"""The greatest age of an unapplied effect during play, in seconds.

Redis is held for ten seconds, and a dead node is noticed after fifteen.
"""

SESSION = "server.base.wire.session.Session"


class Cache(NamedTuple):
    """A cache of a node.

    Attributes:
        metric: the metric of its number of entries, with its label.
        size: the most bytes per entry.
    """

    metric: str
    size: int


CACHES = (
    Cache("samedeal_attempts", 24_576),
    Cache('samedeal_budgets{of="players"}', 700),
    Cache('samedeal_budgets{of="addresses"}', 1_300),
)
"""A node's bounded caches of players who have left."""

SPARE = 24 << 20
"""A node's allowed growth outside its caches, in bytes: peak memory is not returned."""

STEADY = 2 << 20
"""A node's allowed growth outside its caches in a soak's second half, in bytes a minute."""

LEAST = 10.0
"""Minutes of a soak before growth is judged; shorter soaks mostly show startup."""

MOST_OBJECTS = keys.PARTITIONS + 100
"""Objects of a class allowed in addition to the caches: some per partition."""

RULES = "engine.ruleset."
"""Prefix of the rule classes' names. A game's rules are built on first use and kept."""

OBJECTS_EACH = 8
"""The most objects of a class per cache entry: boards, for undo."""


@dataclass(frozen=True, slots=True)
class Course:
    """The figures of a whole soak.

    Attributes:
        began: each node's figures, by number, before the players arrive.
        left: each node's figures after all players left, before garbage collection.
        collected: each node's figures after garbage collection.
        ended: the store's figures after all nodes shut down.
    """

    began: Mapping[int, NodeFigures]
    samples: Sequence[Sample]
    left: Mapping[int, NodeFigures]
    collected: Mapping[int, NodeFigures]
    store: StoreFigures
    ended: StoreFigures


def judge(course: Course, nodes: int, dailies: int) -> list[str]:
    """Return the violated conditions.

    Args:
        dailies: number of played dailies that are still open.
    """
    missing = [number for number in range(nodes) if number not in course.collected]
    return [
        *(f"node {number} does not report its figures" for number in missing),
        *left_in_store(course.store, course.ended, dailies),
        *lasting(course.ended),
        *(text for number, each in course.left.items() for text in left_in_node(number, each)),
        *stale(course.samples),
        *kept_objects(course),
        *grown(course),
        *growing(course.samples),
    ]


def is_quiet(store: StoreFigures, nodes: Iterable[NodeFigures], dailies: int) -> bool:
    left = (text for each in nodes for text in left_in_node(0, each))
    return not any(left_in_store(store, StoreFigures(), dailies)) and not any(left)


def left_in_store(left: StoreFigures, ended: StoreFigures, dailies: int) -> Iterator[str]:
    """Yield the stored keys, effects and due items of departed players and ended nodes."""
    for store, kinds, who in ((left, OF_PLAYERS, "all players"), (ended, OF_NODES, "all nodes")):
        for kind in kinds:
            if store.kinds[kind]:
                yield f"{store.kinds[kind]} keys of {kind} are left after {who}"
    if left.effects:
        yield f"{left.effects} effects have not been applied"
    for kind, count in left.due.items():
        if count > (dailies if kind == "a" else 0):
            yield f"{count} due items of kind {kind} are left, with {dailies} open dailies"


def lasting(store: StoreFigures) -> Iterator[str]:
    """Yield the kinds of keys that live too long."""
    for kind, count in store.lasting.items():
        if kind not in FOR_EVER and kind not in OF_PLAYERS:
            yield f"{count} keys of {kind} never expire"
    if store.lasting["recovery"] > store.lasting["player"]:
        kept = store.lasting["player"]
        yield f"{store.lasting['recovery']} recovery codes for {kept} kept identities"
    for kind, life in store.lives.items():
        if kind in OF_PLAYERS:
            # None may exist; `left_in_store` reports them.
            continue
        if kind not in LIVES:
            yield f"keys of {kind} have no stated lifetime"
        elif life > LIVES[kind]:
            yield f"a key of {kind} expires in {life} s, more than {LIVES[kind]} s"


def left_in_node(number: int, node: NodeFigures) -> Iterator[str]:
    """Yield the state of departed players in a node's memory, before garbage collection."""
    for metric, what in OPEN.items():
        if count := node.total(metric):
            yield f"node {number} has {count:.0f} {what} without any player"
    if age := node.total(OUTBOX_AGE):
        yield f"node {number} reports an effect aged {age:.0f} s, but none is left"
    if count := node.objects[SESSION]:
        yield f"node {number} has {count} closed sessions in memory"


def stale(samples: Iterable[Sample]) -> Iterator[str]:
    """Yield the oldest effect that stayed unapplied too long during play."""
    ages = [
        (node.total(OUTBOX_AGE), sample.at, number)
        for sample in samples
        for number, node in sample.nodes.items()
    ]
    age, at, number = max(ages, default=(0.0, 0.0, 0))
    if age > OLDEST:
        yield f"node {number} had an effect aged {age:.0f} s after {at:.0f} s"


def kept_objects(course: Course) -> Iterator[str]:
    """Yield the classes with more objects than a node's caches explain."""
    for number, node in course.collected.items():
        entries = sum(int(node.metrics.get(cache.metric, 0)) for cache in CACHES)
        most = MOST_OBJECTS + OBJECTS_EACH * entries
        began = course.began[number].objects if number in course.began else Counter[str]()
        for kind, count in (node.objects - began).items():
            if count > most and not kind.startswith(RULES):
                yield f"node {number} has {count} more {kind}, with {entries} cache entries"


def outside_caches(node: NodeFigures) -> int:
    """Return a node's memory outside its caches, in bytes."""
    return node.memory - sum(
        round(node.metrics.get(cache.metric, 0)) * cache.size for cache in CACHES
    )


def grown(course: Course) -> Iterator[str]:
    """Yield the nodes whose memory grew more than their caches explain."""
    for number, node in course.collected.items():
        if number in course.began:
            extra = outside_caches(node) - outside_caches(course.began[number])
            if extra > SPARE:
                yield f"node {number} takes {extra >> 20} MiB more outside its caches than at first"


def growing(samples: Sequence[Sample]) -> Iterator[str]:
    """Yield the nodes that grow outside their caches in the second half of a soak."""
    if not samples or samples[-1].at < 60 * LEAST:
        return
    for number in samples[-1].nodes:
        last = samples[-1].nodes[number]
        # A restarted node is measured from its restart.
        own = [
            (each.at, each.nodes[number])
            for each in samples
            if number in each.nodes
            and each.nodes[number].born == last.born
            and each.at >= samples[-1].at / 2
        ]
        minutes = (own[-1][0] - own[0][0]) / 60
        if minutes > 0:
            rate = (outside_caches(last) - outside_caches(own[0][1])) / minutes
            if rate > STEADY:
                yield f"node {number} grows by {rate / 2**20:.1f} MiB a minute outside its caches"
