"""The secrecy law: play a script on two servers and compare everything sent to each viewer.

It also checks that no player receives a race's result while they may still play its deal, nor a
total that includes it.
"""

from __future__ import annotations

import gzip
import random
from collections import Counter
from collections.abc import Sequence
from typing import TypeVar

import msgpack

from server.base.core.ids import DealId, PlayerId
from server.rooms.messages import RoomState
from tests.secrecy.clients import (
    ANN,
    BOB,
    CLIENTS,
    CYD,
    DAN,
    RACE_SCOPES,
    Clients,
    Recorded,
    Script,
    replay,
)
from tests.secrecy.decks import NEVER, Dealer, Decks, Facts, Twins, facts_of
from tests.secrecy.stage import Record, Sent, serve
from tests.wire import read_event

MARGIN = 5
"""Milliseconds before a differing card is shown that are excluded from the comparison.

A node's clock differs from the simulation's by the latency of its Redis connection.
"""

ROOM = RoomState.__struct_config__.tag
"""Message type of a room's state."""

TOTALS = tuple(f"answer to /boards/{scope}/" for scope in RACE_SCOPES)
"""Answers with totals of races."""

T = TypeVar("T")


class LeakError(AssertionError):
    """A message or a log entry depends on unseen cards."""


def check(script: Script, counts: Counter[str]) -> None:
    """Play a script on two servers with different unseen cards, and compare their output.

    Args:
        script: the script.
        counts: counters of the comparisons, updated in place.

    Raises:
        LeakError: the servers' output differs.
    """
    dealer = Dealer(script.decks(), script.daily, b"first")
    clients = Clients(script, dealer)
    with dealer.dealing():
        first = serve(script.seed, CLIENTS, clients.drive)
    has_key = frozenset(clients.clients[client].id for client in (ANN, BOB, CYD, DAN))
    facts = facts_of(first.stored, dealer.deals, clients.code, has_key, sealed=script.sealed)
    counts["sealed again"] += script.sealed
    if script.sealed:
        _check_results(clients, facts, first, counts)
    rng = random.Random(script.seed)
    begun = first.sent[0][0].at
    ended = max(each.at for sent in first.sent for each in sent)
    for number, client in enumerate(clients.clients):
        twins = Twins(facts, script.decks(), client.id)
        # Prefer cards that the viewer sees eventually, then cards never shown.
        found = twins.find(rng, rng.uniform(begun, ended), ended) or twins.find(rng, NEVER, NEVER)
        if found is None:
            counts["without other decks"] += 1
            continue
        decks, shown = found
        second = _serve_again(script, decks, clients.recorded)
        limit = shown - MARGIN
        other = facts_of(second.stored, dealer.deals, clients.code, has_key, sealed=script.sealed)
        if not _others_did_the_same(facts, other, client.id, limit):
            counts["others did something else"] += 1
            continue
        _compare(f"client {number}", first, second, number, limit)
        counts["compared"] += 1
        counts["compared to the end"] += shown == NEVER
        counts["frames"] += sum(each.at < limit for each in first.sent[number])


def _check_results(clients: Clients, facts: Facts, first: Record, counts: Counter[str]) -> None:
    """Raise `LeakError` if a result of the race reached a future player of its deal."""
    deal = next(deal for deal, kind in facts.deals.items() if kind == "room")
    counts["raced again"] += facts.again
    for number, client in enumerate(clients.clients):
        if client.id in facts.runners:
            continue
        shown = [(each, _has_result(each, deal, facts)) for each in first.sent[number]]
        # A room member at the race's end has seen its results, and the room keeps showing them.
        knew = any(has for each, has in shown if each.at <= clients.sealed_at)
        done = facts.done(client.id, "room")
        for each, has in shown:
            if clients.sealed_at < each.at < done and not (knew and each.what.startswith("frame")):
                counts["looked for results"] += has is not None
                if has:
                    leaked = _readable((each.at, each.what, each.data))
                    raise LeakError(f"client {number} was sent a result: {leaked}")


def _body(sent: Sent) -> bytes:
    """Return the response to a request, with its status and headers."""
    head, gzipped, body = sent.data.partition(b"\x1f\x8b")
    return head + gzip.decompress(gzipped + body) if gzipped else head


def _has_result(sent: Sent, deal: DealId, facts: Facts) -> bool | None:
    """Return whether a message has a result of the race, or `None` if its kind cannot have one."""
    if sent.what.startswith(TOTALS):
        # A row of a runner stems from the race, unless there was another one.
        return not facts.again and any(each.encode() in _body(sent) for each in facts.runners)
    if sent.what.startswith("answer to /players/"):
        return deal.encode() in _body(sent)
    if not sent.what.startswith("frame"):
        return None
    value = msgpack.unpackb(sent.data)
    if value[0] != ROOM:
        return None
    room = read_event(value)
    assert isinstance(room, RoomState)
    if room.round is None or room.round.deal != deal:
        return None
    reached = [each.result for each in room.round.runners if each.result.end is not None]
    ranks = [each.rank for each in room.round.runners if each.rank is not None]
    scores = [each for each in room.scores if each.number == room.round.number]
    return bool(reached or ranks or scores)


def _serve_again(script: Script, decks: Decks, recorded: Recorded) -> Record:
    """Replay the inputs on a server with other decks and seeds."""
    dealer = Dealer(decks, script.daily, b"second")
    with dealer.dealing():
        return serve(script.seed, CLIENTS, replay(recorded))


def _others_did_the_same(facts: Facts, other: Facts, viewer: PlayerId, until: float) -> bool:
    """Return whether the other players' journals are equal on both servers until a time.

    They differ if the first server refused a move that is legal on the second.
    """
    return facts.without(viewer, until) == other.without(viewer, until)


def _compare(viewer: str, first: Record, second: Record, number: int, until: float) -> None:
    """Raise `LeakError` if the viewer's messages, the logs or the metrics differ before `until`."""
    sent = [
        [(each.at, each.what, each.data) for each in record.sent[number] if each.at < until]
        for record in (first, second)
    ]
    for one, other in _differing(*sent):
        raise LeakError(f"{viewer} was sent {_readable(one)} or {_readable(other)}")
    logged = [[each for each in record.logged if each[0] < until] for record in (first, second)]
    for entry, other_entry in _differing(*logged):
        raise LeakError(f"logged: {entry} or {other_entry}")
    if until == NEVER and first.metrics != second.metrics:
        lines = [b"\n".join(record.metrics).splitlines() for record in (first, second)]
        raise LeakError(f"counted: {next(iter(_differing(*lines)))}")


def _differing(one: Sequence[T], other: Sequence[T]) -> list[tuple[T | None, T | None]]:
    """Return the first differing pair of two sequences, if any; `None` stands for the end."""
    for place in range(max(len(one), len(other))):
        pair = tuple(each[place] if place < len(each) else None for each in (one, other))
        if pair[0] != pair[1]:
            return [(pair[0], pair[1])]
    return []


def _readable(sent: tuple[float, str, bytes] | None) -> str:
    if sent is None:
        return "nothing"
    at, what, data = sent
    return f"{what} at {at:.3f}: {msgpack.unpackb(data) if what.startswith('frame') else data!r}"
