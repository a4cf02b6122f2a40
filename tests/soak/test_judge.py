"""Each condition on a soak's figures, violated once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from server.players.core import keys
from tests.soak import judge
from tests.soak.figures import ALL_TIME, NodeFigures, Sample, StoreFigures
from tests.soak.judge import LIVES, OBJECTS_EACH, SESSION, SPARE, STEADY, Course

ATTEMPTS, ROOMS = "samedeal_attempts", "samedeal_rooms"
HALVES = (0, 600, 1_200)
"""Sample times of a long soak, in seconds."""

MIB = 1 << 20


def node(
    memory: int = 80, objects: Mapping[str, int] | None = None, born: float = 1.0, **metrics: float
) -> NodeFigures:
    """Return a node's figures from MiB, objects, and metrics without the prefix `samedeal_`."""
    named = {f"samedeal_{name}": value for name, value in metrics.items()}
    return NodeFigures(born, memory * MIB, named, Counter(objects or {}))


def store() -> StoreFigures:
    lives = {"attempt": 90 * judge.DAY, "room": judge.DAY, "player": keys.PLAYER_LIFE_S}
    lasting = Counter({"store-format": 1, ALL_TIME: 7, "player": 3, "recovery": 2})
    return StoreFigures(9 * MIB, Counter(lives.keys() | lasting.keys()), lasting, lives)


def samples(*nodes: NodeFigures) -> list[Sample]:
    return [Sample(at, {0: each}, None) for at, each in zip(HALVES, nodes, strict=True)]


def course(
    *,
    at_play: Sequence[NodeFigures] = (node(), node(), node()),
    left: NodeFigures | None = None,
    collected: NodeFigures | None = None,
    stored: StoreFigures | None = None,
    ended: StoreFigures | None = None,
) -> Course:
    """Return a course of one node that meets all conditions, except for the arguments."""
    began, rest = {0: node()}, {0: collected or left or node()}
    stored = stored or store()
    return Course(began, samples(*at_play), {0: left or node()}, rest, stored, ended or stored)


def complaints(of: Course, dailies: int = 0) -> str:
    return "\n".join(judge.judge(of, nodes=1, dailies=dailies))


def test_a_soak_that_leaves_only_caches_passes() -> None:
    cached = node(80 + 24, {"server.play.core.attempt.Attempt": 1_000}, attempts=1_000)

    assert complaints(course(at_play=(node(), node(90), node(95)), left=cached)) == ""


def changed(**fields: Any) -> StoreFigures:
    """Return the figures of a store after play with some of its counts changed."""
    found = store()
    for name, change in fields.items():
        if isinstance(change, dict):
            for kind, count in change.items():
                getattr(found, name)[kind] = count
        else:
            setattr(found, name, change)
    return found


@pytest.mark.parametrize("kind", judge.OF_PLAYERS)
def test_keys_left_by_departed_players_are_reported(kind: str) -> None:
    left = course(stored=changed(kinds={kind: 3}))
    assert f"3 keys of {kind} are left after all players" in complaints(left)


@pytest.mark.parametrize("kind", judge.OF_NODES)
def test_keys_left_by_ended_nodes_are_reported(kind: str) -> None:
    left = changed(kinds={kind: 1})
    assert f"1 keys of {kind} are left after all nodes" in complaints(course(ended=left))
    assert judge.is_quiet(left, [node()], 0), "the nodes are still up"


def test_due_items_are_reported_except_the_ends_of_open_dailies() -> None:
    left = course(stored=changed(due={"a": 2}))
    assert complaints(left, dailies=2) == ""
    assert "2 due items of kind a" in complaints(left, dailies=1)
    rooms = course(stored=changed(due={"a": 2, "r": 1}))
    assert "1 due items of kind r" in complaints(rooms, dailies=2)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"effects": 2}, "2 effects"),
        ({"lasting": {"room": 1}}, "1 keys of room never expire"),
        ({"lasting": {"recovery": 4}}, "4 recovery codes for 3 kept identities"),
        ({"lives": {"room": LIVES["room"] + 1}}, "a key of room expires in"),
        ({"lives": {"novelty": 1}}, "keys of novelty have no stated lifetime"),
    ],
)
def test_what_a_store_keeps_too_long_is_reported(fields: dict[str, Any], words: str) -> None:
    assert words in complaints(course(stored=changed(**fields)))


def test_a_store_with_unapplied_effects_is_not_quiet() -> None:
    assert not judge.is_quiet(changed(effects=2), [node()], 0)


@pytest.mark.parametrize("name", ["sessions", "connections", "rooms", "watchers"])
def test_open_resources_without_players_are_reported(name: str) -> None:
    found = replace(node(), metrics={f"samedeal_{name}": 1.0})
    assert f"node 0 has 1 {name} without any player" in complaints(course(left=found))
    assert not judge.is_quiet(store(), [found], 0)


KIND = "server.rooms.feed.RoomAudience"
MOST = judge.MOST_OBJECTS + 10 * OBJECTS_EACH
BESIDE = 80 + SPARE // MIB
FASTER = 80 + 10 * STEADY // MIB + 1


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (course(left=node(objects={SESSION: 5}), collected=node()), "has 5 closed sessions"),
        (course(left=node(outbox_age_seconds=7)), "reports an effect aged 7 s, but none is left"),
        (
            course(at_play=(node(), node(outbox_age_seconds=445), node())),
            "had an effect aged 445 s after 600 s",
        ),
        (course(left=node(objects={KIND: MOST + 1}, attempts=10)), f"has {MOST + 1} more {KIND}"),
        (course(left=node(BESIDE + 1)), "takes 25 MiB more outside its caches"),
        (course(at_play=(node(), node(80), node(FASTER))), "grows by 2.1 MiB a minute"),
        (replace(course(), left={}, collected={}), "does not report its figures"),
    ],
)
def test_what_a_node_keeps_is_reported(found: Course, words: str) -> None:
    assert f"node 0 {words}" in complaints(found)


@pytest.mark.parametrize(
    "found",
    [
        course(left=node(objects={KIND: MOST}, attempts=10)),
        course(left=node(objects={"engine.ruleset.Move": 9_000})),
        course(left=node(BESIDE)),
        course(at_play=(node(), node(80), node(FASTER - 1))),
    ],
)
def test_what_caches_and_rules_explain_is_not_reported(found: Course) -> None:
    assert complaints(found) == ""


def test_growth_ignores_restarts_and_short_soaks() -> None:
    again = (node(), node(80), node(180, born=2.0))
    assert complaints(course(at_play=again)) == ""

    short = [replace(each, at=each.at / 10) for each in samples(node(), node(80), node(180))]
    assert list(judge.growing(short)) == []
