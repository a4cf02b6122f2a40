"""Conditions on a soak's figures: each is broken once."""

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
"""Seconds after which a long soak has its figures taken."""

MIB = 1 << 20


def node(
    memory: int = 80, objects: Mapping[str, int] | None = None, born: float = 1.0, **metrics: float
) -> NodeFigures:
    """Return figures of a node: its MiB, objects, and metrics without `samedeal_`."""
    named = {f"samedeal_{name}": value for name, value in metrics.items()}
    return NodeFigures(born, memory * MIB, named, Counter(objects or {}))


def store() -> StoreFigures:
    """Return the figures of a store in which people have played."""
    lives = {"attempt": 90 * judge.DAY, "room": judge.DAY, "player": keys.PLAYER_LIFE_S}
    lasting = Counter({"store-format": 1, ALL_TIME: 7, "player": 3, "recovery": 2})
    return StoreFigures(9 * MIB, Counter(lives.keys() | lasting.keys()), lasting, lives)


def samples(*nodes: NodeFigures) -> list[Sample]:
    """Return samples of one node, ten minutes apart."""
    return [Sample(at, {0: each}, None) for at, each in zip(HALVES, nodes, strict=True)]


def course(
    *,
    at_play: Sequence[NodeFigures] = (node(), node(), node()),
    left: NodeFigures | None = None,
    collected: NodeFigures | None = None,
    stored: StoreFigures | None = None,
    ended: StoreFigures | None = None,
) -> Course:
    """Return a course of one node in which all holds, but for what is given."""
    began, rest = {0: node()}, {0: collected or left or node()}
    stored = stored or store()
    return Course(began, samples(*at_play), {0: left or node()}, rest, stored, ended or stored)


def complaints(of: Course, dailies: int = 0) -> str:
    """Return what does not hold, as one text."""
    return "\n".join(judge.judge(of, nodes=1, dailies=dailies))


def test_all_holds_of_a_soak_that_leaves_nothing_but_caches() -> None:
    cached = node(80 + 24, {"server.play.core.attempt.Attempt": 1_000}, attempts=1_000)

    assert complaints(course(at_play=(node(), node(90), node(95)), left=cached)) == ""


@pytest.mark.parametrize("kind", judge.OF_PLAYERS)
def test_nothing_is_stored_of_those_who_have_left(kind: str) -> None:
    left = store()
    left.kinds[kind] = 3

    assert f"3 keys of {kind} are left after all players" in complaints(course(stored=left))


@pytest.mark.parametrize("kind", judge.OF_NODES)
def test_nothing_is_stored_of_nodes_that_have_ended(kind: str) -> None:
    left = store()
    left.kinds[kind] = 1

    assert f"1 keys of {kind} are left after all nodes" in complaints(course(ended=left))
    assert judge.is_quiet(left, [node()], 0), "the nodes go on until then"


def test_every_effect_has_been_applied() -> None:
    left = store()
    left.effects = 2

    assert "2 effects" in complaints(course(stored=left))
    assert not judge.is_quiet(left, [node()], 0)


def test_nothing_is_due_but_the_ends_of_dailies_that_go_on() -> None:
    left = store()
    left.due.update({"a": 2})
    assert complaints(course(stored=left), dailies=2) == ""
    assert "2 due items of kind a" in complaints(course(stored=left), dailies=1)

    left.due.update({"r": 1})
    assert "1 due items of kind r" in complaints(course(stored=left), dailies=2)


def test_what_is_stored_expires_unless_it_is_said_to_stay() -> None:
    left = store()
    left.lasting["room"] = 1
    assert "1 keys of room never expire" in complaints(course(stored=left))

    left = store()
    left.lasting["recovery"] = 4
    assert "4 recovery codes of 3 kept identities" in complaints(course(stored=left))


def test_nothing_expires_later_than_is_said() -> None:
    late, unknown = store(), store()
    late.lives["room"] = LIVES["room"] + 1
    unknown.lives["novelty"] = 1

    assert "a key of room expires in" in complaints(course(stored=late))
    assert "of keys of novelty nothing is said" in complaints(course(stored=unknown))


@pytest.mark.parametrize("name", ["sessions", "connections", "rooms", "watchers"])
def test_nothing_is_open_on_a_node_that_nobody_is_on(name: str) -> None:
    found = replace(node(), metrics={f"samedeal_{name}": 1.0})

    assert f"node 0 has 1 {name} with nobody there" in complaints(course(left=found))
    assert not judge.is_quiet(store(), [found], 0)


def test_no_closed_session_stays_in_memory_until_it_is_collected() -> None:
    left = node(objects={SESSION: 5})

    assert "node 0 has 5 closed sessions" in complaints(course(left=left, collected=node()))


def test_the_age_of_an_effect_does_not_stick() -> None:
    assert "an effect of 7 s, and there is none" in complaints(
        course(left=node(outbox_age_seconds=7))
    )
    at_play = (node(), node(outbox_age_seconds=445), node())
    assert "node 0 had an effect of 445 s after 600 s" in complaints(course(at_play=at_play))


def test_there_are_no_more_objects_than_caches_explain() -> None:
    kind = "server.rooms.feed.Feed"
    most = judge.MOST_OBJECTS + 10 * OBJECTS_EACH
    cached = node(objects={kind: most}, attempts=10)
    assert complaints(course(left=cached)) == ""

    more = replace(cached, objects=Counter({kind: most + 1}))
    assert f"node 0 has {most + 1} more {kind}" in complaints(course(left=more))


def test_rules_are_made_once_and_kept() -> None:
    assert complaints(course(left=node(objects={"engine.ruleset.Move": 9_000}))) == ""


def test_a_node_takes_no_more_memory_than_caches_explain() -> None:
    beside = node().memory + SPARE
    assert complaints(course(left=replace(node(), memory=beside))) == ""
    assert "node 0 takes 25 MiB more than at first" in complaints(
        course(left=replace(node(), memory=beside + MIB))
    )


def test_a_node_does_not_go_on_growing() -> None:
    steady, faster = (10 * STEADY // MIB + more for more in (0, 1))
    assert complaints(course(at_play=(node(), node(80), node(80 + steady)))) == ""
    assert "node 0 grows by 2.1 MiB a minute" in complaints(
        course(at_play=(node(), node(80), node(80 + faster)))
    )


def test_growth_is_that_of_one_process_and_of_a_long_soak() -> None:
    again = (node(), node(80), node(180, born=2.0))
    assert complaints(course(at_play=again)) == ""

    short = [replace(each, at=each.at / 10) for each in samples(node(), node(80), node(180))]
    assert list(judge.growing(short)) == []


def test_a_node_that_does_not_answer_in_the_end_is_told_of() -> None:
    silent = replace(course(), left={}, collected={})

    assert "node 0 does not tell its figures" in complaints(silent)
