"""Conditions on the figures of a soak. Pure.

Whatever comes with players goes with them, and what is stored for longer says for how long. What a
node keeps in memory are caches that are stated here, with what an entry of each takes.
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
"""The kinds of keys of which none is left when nobody is there, and nothing is to be done."""

OF_NODES = ("nodes", "sweepers")
"""The kinds of keys of which none is left when no node is there."""

LIVES: Mapping[str, int] = {
    # A daily closes two days after it opens, at most.
    "attempt": 2 * DAY + play_keys.ATTEMPT_LIFE_MS // 1000,
    # A room is kept from its last event on, and a round is one before its end.
    "room": rooms_keys.ROOM_LIFE_MS // 1000 + DAY,
    # It is known as long as the deal's runs are looked at most.
    "round": rooms_keys.ROUND_LIFE_MS // 1000,
    # What is stored of a player counts as long as that, in steps of ten days.
    "quota": players_keys.PLAYER_LIFE_S + 10 * DAY,
    "barrier": keys.BARRIER_LIFE_S,
    # That of a node which was killed; others take theirs along.
    "mark": keys.MARK_LIFE_S,
    "places": rooms_keys.ADDRESSES_LIFE_S,
    "sweepers": keys.SWEEPER_LIFE_S,
    "busy": keys.BUSY_LIFE_S,
    # The last nodes stay listed, until another one finds that they have left nothing.
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
    # Those of players without a result; the others' stay.
    "recovery": players_keys.UNUSED_ACCOUNT_LIFE_S,
    "passkey": players_keys.UNUSED_ACCOUNT_LIFE_S,
    "rated": rooms_keys.RACE_LIFE_S,
    "met": players_keys.PLAYER_LIFE_S,
    "renames": 30 * DAY,
    "device": accounts_keys.DEVICE_LIFE_S,
}
"""In how many seconds a key has expired, by kind."""

FOR_EVER = {
    *("store-format", "keyring", "audit", "repaired-days", "pool", "suspicious", "due", "passkey"),
    *("recovery", "player", "daily-sets", ALL_TIME),
}
"""The kinds of keys that may stay for ever; players and recovery codes of kept identities."""

OPEN = {
    "samedeal_sessions": "sessions",
    "samedeal_connections": "connections",
    "samedeal_rooms": "rooms",
    "samedeal_watchers": "watchers",
}
"""The metrics of which nothing is left when nobody is there."""

OUTBOX_AGE = "samedeal_outbox_age_seconds"

OLDEST = 60.0
"""Seconds since when an effect may have been unapplied while people play: Redis was away for ten,
and a node that has died is noticed after fifteen."""

SESSION = "server.base.wire.session.Session"


class Cache(NamedTuple):
    """A cache of a node.

    Attributes:
        metric: how many entries it has, with its label.
        size: the bytes that an entry takes at most.
    """

    metric: str
    size: int


CACHES = (
    Cache("samedeal_attempts", 24_576),
    Cache('samedeal_budgets{of="players"}', 700),
    Cache('samedeal_budgets{of="addresses"}', 1_300),
)
"""Metrics of a node's memory of those who have left, up to a bound of each."""

SPARE = 24 << 20
"""Bytes by which a node may take more than it did, beside its caches: the memory of the most that
was going on at once is not given back."""

STEADY = 2 << 20
"""Bytes a minute by which a node may grow in the second half of a soak, beside its caches."""

LEAST = 10.0
"""Minutes of a soak from which on growth by the minute is judged: before, it is the start's."""

MOST_OBJECTS = keys.PARTITIONS + 100
"""Objects of a class that may be there beside those of the caches: some for each partition."""

RULES = "engine.ruleset."
"""Prefixes of the names of classes of rules, of which each game's are made when it is first played,
and kept."""

OBJECTS_EACH = 8
"""Objects of a class that belong to an entry of a cache, at most: boards, to undo moves to."""


@dataclass(frozen=True, slots=True)
class Course:
    """The figures of a whole soak.

    Attributes:
        began: the figures of each node, by number, before anybody came.
        samples: those while people were there, in order.
        left: the figures of each node after all had left, before it collected garbage.
        collected: the same after that.
        store: those of the store then.
        ended: those of the store when all nodes had been ended in order.
    """

    began: Mapping[int, NodeFigures]
    samples: Sequence[Sample]
    left: Mapping[int, NodeFigures]
    collected: Mapping[int, NodeFigures]
    store: StoreFigures
    ended: StoreFigures


def judge(course: Course, nodes: int, dailies: int) -> list[str]:
    """Return what does not hold.

    Args:
        course: the figures.
        nodes: how many nodes there are.
        dailies: how many dailies have been played that have not ended.
    """
    missing = [number for number in range(nodes) if number not in course.collected]
    return [
        *(f"node {number} does not tell its figures" for number in missing),
        *left_in_store(course.store, course.ended, dailies),
        *lasting(course.ended),
        *(text for number, each in course.left.items() for text in left_in_node(number, each)),
        *stale(course.samples),
        *kept_objects(course),
        *grown(course),
        *growing(course.samples),
    ]


def is_quiet(store: StoreFigures, nodes: Iterable[NodeFigures], dailies: int) -> bool:
    """Return whether nothing is left of those who were there."""
    left = (text for each in nodes for text in left_in_node(0, each))
    return not any(left_in_store(store, StoreFigures(), dailies)) and not any(left)


def left_in_store(left: StoreFigures, ended: StoreFigures, dailies: int) -> Iterator[str]:
    """Yield what is stored of those who have left: players, and then nodes."""
    for store, kinds, who in ((left, OF_PLAYERS, "all players"), (ended, OF_NODES, "all nodes")):
        for kind in kinds:
            if store.kinds[kind]:
                yield f"{store.kinds[kind]} keys of {kind} are left after {who}"
    if left.effects:
        yield f"{left.effects} effects have not been applied"
    for kind, count in left.due.items():
        if count > (dailies if kind == "a" else 0):
            yield f"{count} due items of kind {kind} are left, and {dailies} dailies go on"


def lasting(store: StoreFigures) -> Iterator[str]:
    """Yield the kinds of keys that live for longer than they should."""
    for kind, count in store.lasting.items():
        if kind not in FOR_EVER and kind not in OF_PLAYERS:
            yield f"{count} keys of {kind} never expire"
    if store.lasting["recovery"] > store.lasting["player"]:
        kept = store.lasting["player"]
        yield f"{store.lasting['recovery']} recovery codes of {kept} kept identities"
    for kind, life in store.lives.items():
        if kind in OF_PLAYERS:
            # None should be left.
            continue
        if kind not in LIVES:
            yield f"of keys of {kind} nothing is said here"
        elif life > LIVES[kind]:
            yield f"a key of {kind} expires in {life} s, and {LIVES[kind]} are the most"


def left_in_node(number: int, node: NodeFigures) -> Iterator[str]:
    """Yield what a node has in memory of those who have left, before it collects garbage."""
    for metric, what in OPEN.items():
        if count := node.total(metric):
            yield f"node {number} has {count:.0f} {what} with nobody there"
    if age := node.total(OUTBOX_AGE):
        yield f"node {number} has an effect of {age:.0f} s, and there is none"
    if count := node.objects[SESSION]:
        yield f"node {number} has {count} closed sessions in memory"


def stale(samples: Iterable[Sample]) -> Iterator[str]:
    """Yield what was not applied for too long while people played."""
    ages = [
        (node.total(OUTBOX_AGE), sample.at, number)
        for sample in samples
        for number, node in sample.nodes.items()
    ]
    age, at, number = max(ages, default=(0.0, 0.0, 0))
    if age > OLDEST:
        yield f"node {number} had an effect of {age:.0f} s after {at:.0f} s"


def kept_objects(course: Course) -> Iterator[str]:
    """Yield the classes of which nodes have more objects than their caches explain."""
    for number, node in course.collected.items():
        entries = sum(int(node.metrics.get(cache.metric, 0)) for cache in CACHES)
        most = MOST_OBJECTS + OBJECTS_EACH * entries
        began = course.began[number].objects if number in course.began else Counter[str]()
        for kind, count in (node.objects - began).items():
            if count > most and not kind.startswith(RULES):
                yield f"node {number} has {count} more {kind}, with {entries} entries of caches"


def beside_caches(node: NodeFigures) -> int:
    """Return the bytes of memory that a node takes beside its caches."""
    return node.memory - sum(
        round(node.metrics.get(cache.metric, 0)) * cache.size for cache in CACHES
    )


def grown(course: Course) -> Iterator[str]:
    """Yield the nodes that take more memory in the end than their caches explain."""
    for number, node in course.collected.items():
        if number in course.began:
            extra = beside_caches(node) - beside_caches(course.began[number])
            if extra > SPARE:
                yield f"node {number} takes {extra >> 20} MiB more than at first, beside its caches"


def growing(samples: Sequence[Sample]) -> Iterator[str]:
    """Yield the nodes that grow in the second half of a soak, beside their caches."""
    if not samples or samples[-1].at < 60 * LEAST:
        return
    for number in samples[-1].nodes:
        last = samples[-1].nodes[number]
        # A node that was started again grows from there.
        own = [
            (each.at, each.nodes[number])
            for each in samples
            if number in each.nodes
            and each.nodes[number].born == last.born
            and each.at >= samples[-1].at / 2
        ]
        minutes = (own[-1][0] - own[0][0]) / 60
        if minutes > 0:
            rate = (beside_caches(last) - beside_caches(own[0][1])) / minutes
            if rate > STEADY:
                yield f"node {number} grows by {rate / 2**20:.1f} MiB a minute beside its caches"
