"""Each condition on a soak's figures, violated once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

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


@pytest.mark.parametrize("kind", judge.OF_PLAYERS)
def test_keys_left_by_departed_players_are_reported(kind: str) -> None:
    left = store()
    left.kinds[kind] = 3

    assert f"3 keys of {kind} are left after all players" in complaints(course(stored=left))


@pytest.mark.parametrize("kind", judge.OF_NODES)
def test_keys_left_by_ended_nodes_are_reported(kind: str) -> None:
    left = store()
    left.kinds[kind] = 1

    assert f"1 keys of {kind} are left after all nodes" in complaints(course(ended=left))
    assert judge.is_quiet(left, [node()], 0), "the nodes are still up"


def test_unapplied_effects_are_reported() -> None:
    left = store()
    left.effects = 2

    assert "2 effects" in complaints(course(stored=left))
    assert not judge.is_quiet(left, [node()], 0)


def test_due_items_are_reported_except_the_ends_of_open_dailies() -> None:
    left = store()
    left.due.update({"a": 2})
    assert complaints(course(stored=left), dailies=2) == ""
    assert "2 due items of kind a" in complaints(course(stored=left), dailies=1)

    left.due.update({"r": 1})
    assert "1 due items of kind r" in complaints(course(stored=left), dailies=2)


def test_keys_without_expiry_are_reported_unless_listed() -> None:
    left = store()
    left.lasting["room"] = 1
    assert "1 keys of room never expire" in complaints(course(stored=left))

    left = store()
    left.lasting["recovery"] = 4
    assert "4 recovery codes for 3 kept identities" in complaints(course(stored=left))


def test_lifetimes_beyond_the_stated_ones_are_reported() -> None:
    late, unknown = store(), store()
    late.lives["room"] = LIVES["room"] + 1
    unknown.lives["novelty"] = 1

    assert "a key of room expires in" in complaints(course(stored=late))
    assert "keys of novelty have no stated lifetime" in complaints(course(stored=unknown))


@pytest.mark.parametrize("name", ["sessions", "connections", "rooms", "watchers"])
def test_open_resources_without_players_are_reported(name: str) -> None:
    found = replace(node(), metrics={f"samedeal_{name}": 1.0})

    assert f"node 0 has 1 {name} without any player" in complaints(course(left=found))
    assert not judge.is_quiet(store(), [found], 0)


def test_closed_sessions_in_memory_are_reported() -> None:
    left = node(objects={SESSION: 5})

    assert "node 0 has 5 closed sessions" in complaints(course(left=left, collected=node()))


def test_a_stuck_effect_age_is_reported() -> None:
    assert "an effect aged 7 s, but none is left" in complaints(
        course(left=node(outbox_age_seconds=7))
    )
    at_play = (node(), node(outbox_age_seconds=445), node())
    assert "node 0 had an effect aged 445 s after 600 s" in complaints(course(at_play=at_play))


def test_more_objects_than_the_caches_explain_are_reported() -> None:
    kind = "server.rooms.feed.RoomAudience"
    most = judge.MOST_OBJECTS + 10 * OBJECTS_EACH
    cached = node(objects={kind: most}, attempts=10)
    assert complaints(course(left=cached)) == ""

    more = replace(cached, objects=Counter({kind: most + 1}))
    assert f"node 0 has {most + 1} more {kind}" in complaints(course(left=more))


def test_kept_rules_are_not_reported() -> None:
    assert complaints(course(left=node(objects={"engine.ruleset.Move": 9_000}))) == ""


def test_more_memory_than_the_caches_explain_is_reported() -> None:
    beside = node().memory + SPARE
    assert complaints(course(left=replace(node(), memory=beside))) == ""
    assert "node 0 takes 25 MiB more outside its caches" in complaints(
        course(left=replace(node(), memory=beside + MIB))
    )


def test_steady_growth_is_reported() -> None:
    steady, faster = (10 * STEADY // MIB + more for more in (0, 1))
    assert complaints(course(at_play=(node(), node(80), node(80 + steady)))) == ""
    assert "node 0 grows by 2.1 MiB a minute" in complaints(
        course(at_play=(node(), node(80), node(80 + faster)))
    )


def test_growth_ignores_restarts_and_short_soaks() -> None:
    again = (node(), node(80), node(180, born=2.0))
    assert complaints(course(at_play=again)) == ""

    short = [replace(each, at=each.at / 10) for each in samples(node(), node(80), node(180))]
    assert list(judge.growing(short)) == []


def test_a_node_that_does_not_answer_is_reported() -> None:
    silent = replace(course(), left={}, collected={})

    assert "node 0 does not report its figures" in complaints(silent)
